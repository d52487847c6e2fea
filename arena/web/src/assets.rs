//! The style and the scripts of the pages.

use std::sync::LazyLock;

use arena_engine::games;
use arena_results::{report, viewer};

use arena_runner::short_hash::short_hash;

/// A file that pages load.
pub struct Asset {
    pub name: String,
    pub kind: &'static str,
    pub text: String,
    /// The address, which changes with what is in it.
    pub href: String,
}

const JS: &str = "text/javascript; charset=utf-8";
/// The links of numbers to matches.
const WAYS: &str = include_str!("assets/ways.js");
/// The functions of all pages that ask the server for something.
const REQUESTS: &str = include_str!("assets/requests.js");
/// The functions of all pages that keep something in the browser.
const MEMORY: &str = include_str!("assets/memory.js");

/// All files.
static ALL: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    let style = [
        &report::style(),
        viewer::STYLE,
        include_str!("assets/site.css"),
    ]
    .concat();
    let general = [
        asset("style.css".into(), "text/css; charset=utf-8", style),
        asset(
            "live.js".into(),
            JS,
            [WAYS, REQUESTS, include_str!("assets/live.js")].concat(),
        ),
        asset("ways.js".into(), JS, WAYS.into()),
        asset(
            "lobby.js".into(),
            JS,
            [
                viewer::ELEMENTS,
                REQUESTS,
                MEMORY,
                include_str!("assets/lobby.js"),
            ]
            .concat(),
        ),
    ];
    let of_game = |game: &str| {
        let table = viewer::script(game);
        let tv = [&table, REQUESTS, include_str!("assets/tv.js")].concat();
        let seat = [
            &table,
            REQUESTS,
            MEMORY,
            include_str!("assets/prompt.js"),
            include_str!("assets/seat.js"),
        ]
        .concat();
        [
            asset(format!("tv-{game}.js"), JS, tv),
            asset(format!("seat-{game}.js"), JS, seat),
        ]
    };
    general
        .into_iter()
        .chain(games::all().flat_map(of_game))
        .collect()
});

fn asset(name: String, kind: &'static str, text: String) -> Asset {
    Asset {
        href: format!("/static/{name}?v={}", short_hash(&text)),
        name,
        kind,
        text,
    }
}

/// The file of this name.
pub fn find(name: &str) -> Option<&'static Asset> {
    ALL.iter().find(|asset| asset.name == name)
}

/// The address of a file, if there is one of this name.
pub fn href(name: &str) -> Option<&'static str> {
    find(name).map(|asset| asset.href.as_str())
}
