//! The page that shows a match: one file that needs nothing else.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{PreEscaped, html};
use sha2::{Digest, Sha256};

use super::Replay;
use crate::{html, json};

/// How a match and its table look.
pub const STYLE: &str = concat!(include_str!("viewer.css"), include_str!("board.css"));
/// The same for a page that has a look of its own: within the element `replay` alone.
pub(crate) const STYLE_WITHIN: &str = concat!(include_str!("viewer.css"), "#replay{", include_str!("board.css"), "}\n");
/// The tables of all games, and what lets one step through a match; without its beginning.
pub const SCRIPT: &str = concat!(
    include_str!("js/dom.js"),
    include_str!("../../../engine/src/games/coda/table.js"),
    include_str!("../../../engine/src/games/code_777/table.js"),
    include_str!("../../../engine/src/games/crack_the_code/table.js"),
    include_str!("../../../engine/src/games/digit_code/table.js"),
    include_str!("js/replay.js"),
);
/// The match of the page is shown.
const BEGIN: &str =
    "showReplay(document.getElementById(\"replay\"), JSON.parse(document.getElementById(\"data\").textContent));\n";

/// The match as one HTML file: it loads nothing from anywhere, and no script may run but its own.
pub fn html(replay: &Replay) -> serde_json::Result<String> {
    let data = data(replay)?;
    let script = [SCRIPT, BEGIN].concat();
    let style = [html::BASE, STYLE].concat();
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; img-src data:; base-uri 'none'; form-action 'none'",
        hash(&script),
        hash(&style)
    );
    let body = html! {
        header {
            h1 { @for (place, bot) in replay.bots.iter().enumerate() { @if place > 0 { span.soft { " · " } } bdi { (bot) } } }
            p.soft { (replay.title) ", match " bdi { (replay.r#match) } " of " bdi { (replay.tournament) } }
        }
        main #replay {}
        noscript { p { "This page shows the match by a script of its own, which this browser does not run." } }
        footer { p.soft { "Made by Coda Arena " (env!("CARGO_PKG_VERSION")) ". Keys: ← → a step, Home and End, space plays." } }
        script #data type="application/json" { (PreEscaped(data)) }
        script type="module" { (PreEscaped(script)) }
    };
    Ok(html::page(
        &format!("{} · {}", replay.r#match, replay.title),
        Some(&policy),
        &html! { style { (PreEscaped(style)) } },
        &body,
    ))
}

/// A match as what a script element holds: nothing in it ends the element.
pub(crate) fn data(replay: &Replay) -> serde_json::Result<String> {
    Ok(json::line(replay)?.replace('<', "\\u003c"))
}

/// The SHA-256 of a text, as a policy names it.
pub(crate) fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text))
}
