//! The style and the scripts of the pages.

use std::sync::LazyLock;

use arena_results::{report, viewer};

use arena_runner::short_hash::short_hash;

/// A file that pages load.
pub struct Asset {
    /// Its name.
    pub name: &'static str,
    /// What kind of file it is.
    pub kind: &'static str,
    /// What is in it.
    pub text: String,
    /// The address, which changes with what is in it.
    pub href: String,
}

const JS: &str = "text/javascript; charset=utf-8";

/// All files.
static ALL: LazyLock<[Asset; 5]> = LazyLock::new(|| {
    let style = [&report::style(), viewer::STYLE, include_str!("assets/site.css")].concat();
    [
        asset("style.css", "text/css; charset=utf-8", style),
        asset("live.js", JS, include_str!("assets/live.js").into()),
        asset("tv.js", JS, [viewer::SCRIPT, include_str!("assets/tv.js")].concat()),
        asset("lobby.js", JS, [viewer::SCRIPT, include_str!("assets/lobby.js")].concat()),
        asset(
            "seat.js",
            JS,
            [viewer::SCRIPT, include_str!("assets/prompt.js"), include_str!("assets/seat.js")].concat(),
        ),
    ]
});

fn asset(name: &'static str, kind: &'static str, text: String) -> Asset {
    Asset { name, kind, href: format!("/static/{name}?v={}", short_hash(&text)), text }
}

/// The file of this name.
pub fn find(name: &str) -> Option<&'static Asset> {
    ALL.iter().find(|asset| asset.name == name)
}

/// The address of a file that there is.
///
/// # Panics
/// If there is none.
pub fn href(name: &str) -> &'static str {
    &find(name).expect("pages load what there is").href
}
