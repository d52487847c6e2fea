//! The common parts of all pages: their head, the base of their style, and the removal of invisible characters.

use maud::{DOCTYPE, Markup, html};

use arena_tournament::printable::clean_lines;

/// Colours, the body and its letters, by day and by night.
pub const BASE: &str = include_str!("base.css");

/// A page. The policy lists what may run and be loaded, unless the server sends that; the head holds styles and scripts.
pub fn page(title: &str, policy: Option<&str>, head: &Markup, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
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

/// Removes invisible characters and those that turn the direction of writing from all texts of bots. Markup is escaped where a
/// text is put into the page.
pub fn sealed(page: &str) -> String {
    clean_lines(page)
}
