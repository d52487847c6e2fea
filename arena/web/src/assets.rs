//! Style sheets and scripts of the pages.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex};

use arena_engine::table;
use arena_results::{report, viewer};

use arena_runner::lock;
use arena_runner::short_hash::short_hash;

/// Static file that pages load.
pub struct Asset {
    pub name: String,
    pub kind: &'static str,
    pub text: String,
    /// Address, which changes with the contents so that browsers can cache the file.
    pub href: String,
}

const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";
/// The script that turns each count of matches into a link to these matches.
const WAYS: &str = include_str!("assets/ways.js");
/// Functions of pages that send requests to the server.
const REQUESTS: &str = include_str!("assets/requests.js");
/// Functions of pages that store data in the browser.
const MEMORY: &str = include_str!("assets/memory.js");

const SITE: &str = include_str!("assets/site.css");
const LIVE: &str = include_str!("assets/live.js");
const QUICK: &str = include_str!("assets/quick.js");
const COMPANY: &str = include_str!("assets/company.js");
const LOBBY: &str = include_str!("assets/lobby.js");
const TV: &str = include_str!("assets/tv.js");
const PROMPT: &str = include_str!("assets/prompt.js");
const SEAT: &str = include_str!("assets/seat.js");

/// All static files.
static ALL: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    let mut all = vec![
        asset("style.css", CSS, &[&report::style(), viewer::STYLE, SITE]),
        asset("live.js", JS, &[WAYS, REQUESTS, LIVE]),
        asset("ways.js", JS, &[WAYS]),
    ];
    let quick = [viewer::ELEMENTS, REQUESTS, MEMORY, QUICK];
    all.push(asset("quick.js", JS, &quick));
    all.push(asset("lobby.js", JS, &[&quick[..], &[LOBBY]].concat()));
    all
});

/// The static files of games that have been requested, by name.
static OF_GAMES: Mutex<BTreeMap<String, &'static Asset>> = Mutex::new(BTreeMap::new());

/// Returns a script that draws the tables of a game: `tv-GAME.js` or `seat-GAME.js`.
fn of_game(name: &str) -> Option<&'static Asset> {
    let (kind, game) = name.strip_suffix(".js")?.split_once('-')?;
    let table = || Some(viewer::script(table::find(game)?.name));
    if let Some(known) = lock(&OF_GAMES).get(name) {
        return Some(known);
    }
    let made = match kind {
        "tv" => asset(name, JS, &[&table()?, REQUESTS, TV]),
        "seat" => asset(
            name,
            JS,
            &[&table()?, REQUESTS, MEMORY, PROMPT, SEAT, COMPANY],
        ),
        _ => return None,
    };
    let made = Box::leak(Box::new(made));
    Some(lock(&OF_GAMES).entry(name.to_owned()).or_insert(made))
}

fn asset(name: &str, kind: &'static str, parts: &[&str]) -> Asset {
    let text = parts.concat();
    Asset {
        href: format!("/static/{name}?v={}", short_hash(&text)),
        name: name.to_owned(),
        kind,
        text,
    }
}

/// Returns the file with this name.
pub fn find(name: &str) -> Option<&'static Asset> {
    ALL.iter()
        .find(|asset| asset.name == name)
        .or_else(|| of_game(name))
}

/// Returns the address of the file with this name.
pub fn href(name: &str) -> Option<&'static str> {
    find(name).map(|asset| asset.href.as_str())
}
