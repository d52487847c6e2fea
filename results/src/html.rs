//! Common parts of all pages: head, base style, and removal of invisible characters.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use arena_tournament::printable::clean_lines;

/// Base style: colours, body and fonts, in light and dark mode.
pub const BASE: &str = include_str!("base.css");

/// Element that marks a page as written by the arena.
pub(crate) const GENERATOR: &str = r#"<meta name="generator" content="Coda Arena">"#;

/// Renders a page. `policy` lists what may run and be loaded. `None` means that the server sends the policy. `head` holds styles and
/// scripts.
pub fn page(title: &str, policy: Option<&str>, head: &Markup, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                (PreEscaped(GENERATOR))
                @if let Some(policy) = policy { meta http-equiv="Content-Security-Policy" content=(policy); }
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (title) }
                // An empty icon keeps browsers from requesting one.
                link rel="icon" href="data:,";
                (head)
            }
            body { (body) }
        }
    };
    sealed(&page.into_string())
}

/// Removes invisible characters, and characters that change the text direction, from the whole page, because texts of bots may contain
/// them. Markup in these texts was escaped when they were inserted.
pub fn sealed(page: &str) -> String {
    clean_lines(page)
}
