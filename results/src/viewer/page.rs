//! Page that shows a match, as one self-contained file.

use arena_engine::table;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use super::Replay;
use super::packed::packed;
use crate::{html, json};

/// Style sheet of a match and its table.
pub const STYLE: &str = concat!(include_str!("viewer.css"), include_str!("board.css"));
/// Like `STYLE`, for a page with its own style: the table's rules apply only within the element `replay`.
pub(crate) const STYLE_WITHIN: &str = concat!(
    include_str!("viewer.css"),
    "#replay{",
    include_str!("board.css"),
    "}\n"
);
/// Functions shared by the scripts of all pages.
pub const ELEMENTS: &str = include_str!("js/dom.js");

/// Returns the script that shows a match of a game step by step. The script does not start by itself.
pub fn script(game: &str) -> String {
    let (players, table) = table::find(game)
        .map(|game| (game.players, game.table_js.unwrap_or_default()))
        .unwrap_or_default();
    // Give the table's declarations a scope of their own.
    let players = serde_json::json!(players);
    let own = format!("const PLAYERS = {players};\n{{\n{table}}}\n");
    [ELEMENTS, TREE, &own, REPLAY].concat()
}

const TREE: &str = include_str!("js/tree.js");
const REPLAY: &str = include_str!("js/replay.js");
/// Script that shows the match of the page.
const BEGIN: &str = include_str!("js/page.js");

/// Renders a match as one HTML file, with links to other pages. The file loads nothing, and its policy allows only its own script. With
/// `judging`, the page polls this address of its server for the judged match.
pub fn html(replay: &Replay, ways: &Markup, judging: Option<&str>) -> serde_json::Result<String> {
    let data = data(replay)?;
    let script = script(replay.game) + BEGIN;
    let style = [html::BASE, STYLE].concat();
    let asks = judging.map_or("", |_| " connect-src 'self';");
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}';{asks} img-src data:; base-uri 'none'; form-action 'none'",
        hash(&script),
        hash(&style)
    );
    let body = html! {
        (ways)
        header {
            h1 { @for (place, bot) in replay.bots.iter().enumerate() { @if place > 0 { span.soft { " · " } } bdi { (bot) } } }
            p.soft { (replay.title) ", match " bdi { (replay.r#match) } " of " bdi { (replay.tournament) } }
        }
        main #replay {}
        @if let Some(source) = judging {
            p.soft #judging role="status" data-source=(source) { "The judge is looking at this match: chances to win and mistakes will appear." }
        }
        noscript { p { "This page needs JavaScript to show the match, and this browser does not run it." } }
        footer { p.soft { "Made by Coda Arena " (env!("CARGO_PKG_VERSION")) ". Keys: ← → a step, Shift ← → a blunder or mistake, Home and End, space plays." } }
        script #data type="application/json" { (PreEscaped(data)) }
        script type="module" { (PreEscaped(script)) }
    };
    let title = format!("{} · {}", replay.r#match, replay.title);
    let head = html! { style { (PreEscaped(style)) } };
    Ok(html::page(&title, Some(&policy), &head, &body))
}

/// Returns a match as JSON for a script element, escaped so that it cannot end the element. Steps leave out what the script knows from
/// other steps (`packed`).
pub(crate) fn data(replay: &Replay) -> serde_json::Result<String> {
    Ok(json::line(&packed(replay)?)?.replace('<', "\\u003c"))
}

/// Returns the SHA-256 of a text, as in a content security policy.
pub(crate) fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text))
}
