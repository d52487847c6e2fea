//! What all pages have in common: their head, the base of their style, and that nothing leaves that acts unseen.

use maud::{DOCTYPE, Markup, html};

use arena_tournament::printable::unsafe_to_show;

/// Colours, the body and its letters, by day and by night.
pub const BASE: &str = include_str!("base.css");

/// A page: its policy says what may run and be loaded, if whoever sends it does not; its head holds what does.
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
                // An icon of its own keeps browsers from asking for one.
                link rel="icon" href="data:,";
                (head)
            }
            body { (body) }
        }
    };
    sealed(&page.into_string())
}

/// The door: whatever strangers wrote, nothing leaves that acts unseen or turns the direction of writing. Markup is
/// escaped where the text is put into the page.
pub fn sealed(page: &str) -> String {
    page.chars().map(|c| if c != '\n' && unsafe_to_show(c) { '\u{fffd}' } else { c }).collect()
}
