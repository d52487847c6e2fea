//! The page that shows a match: one file that needs nothing else.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, PreEscaped, html};
use sha2::{Digest, Sha256};

use super::Replay;
use crate::json;
use crate::printable::sealed;

const STYLE: &str = include_str!("viewer.css");
const SCRIPT: &str = concat!(
    include_str!("js/dom.js"),
    include_str!("js/coda.js"),
    include_str!("js/code_777.js"),
    include_str!("js/crack_the_code.js"),
    include_str!("js/digit_code.js"),
    include_str!("js/replay.js"),
);

/// The match as one HTML file: it loads nothing from anywhere, and no script may run but its own.
pub fn html(replay: &Replay) -> serde_json::Result<String> {
    // Nothing in it ends the element that holds it.
    let data = json::line(replay)?.replace('<', "\\u003c");
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; img-src data:; base-uri 'none'; form-action 'none'",
        hash(SCRIPT),
        hash(STYLE)
    );
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (replay.r#match) " · " (replay.title) }
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { @for (place, bot) in replay.bots.iter().enumerate() { @if place > 0 { span.soft { " · " } } bdi { (bot) } } }
                    p.soft { (replay.title) ", match " bdi { (replay.r#match) } " of " bdi { (replay.tournament) } }
                }
                main #replay {}
                noscript { p { "This page shows the match by a script of its own, which this browser does not run." } }
                footer { p.soft { "Made by Coda Arena " (env!("CARGO_PKG_VERSION")) ". Keys: ← → a step, Home and End, space plays." } }
                script #data type="application/json" { (PreEscaped(data)) }
                script type="module" { (PreEscaped(SCRIPT)) }
            }
        }
    };
    Ok(sealed(&page.into_string()))
}

/// The SHA-256 of a text, as a policy names it.
fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text))
}
