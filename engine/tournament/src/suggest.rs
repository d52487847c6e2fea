//! Suggests known words for a misspelt one.

/// Help text for a path written with backslashes.
pub const BACKSLASH: &str = "paths here are written with /, as in ./bot.py";

/// Returns the most similar known word; `None` if no word is similar enough to have been meant.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let plain = |word: &str| word.to_lowercase().replace(['-', '_', ' '], "");
    let word = plain(word);
    let far = |known: &str| strsim::osa_distance(&word, &plain(known));
    let best = known.iter().copied().min_by_key(|known| far(known))?;
    // Up to a third of the letters may be wrong, and at least one in a short word.
    let enough = (word.chars().count().max(best.chars().count()) / 3).max(1);
    (far(best) <= enough).then_some(best)
}

/// Returns help for an unknown key: the nearest known key, or all known keys.
pub fn key(word: &str, known: &[&str]) -> String {
    let tick = |word: &str| format!("`{word}`");
    nearest(word, known).map_or_else(
        || instead(word, known, tick),
        |best| format!("did you mean {}?", tick(best)),
    )
}

/// Returns help for an unknown value: the nearest known value, and the others.
pub fn value(word: &str, known: &[&str]) -> String {
    instead(word, known, quoted)
}

fn instead(word: &str, known: &[&str], quoted: impl Fn(&str) -> String) -> String {
    let list = |words: &[&str]| {
        words
            .iter()
            .map(|word| quoted(word))
            .collect::<Vec<_>>()
            .join(", ")
    };
    match nearest(word, known) {
        Some(best) => {
            let others: Vec<&str> = known
                .iter()
                .copied()
                .filter(|other| *other != best)
                .collect();
            let also = if others.is_empty() {
                String::new()
            } else {
                format!(" there is also: {}", list(&others))
            };
            format!("did you mean {}?{also}", quoted(best))
        }
        None if known.is_empty() => "there is none here: remove it".into(),
        None => format!("there is: {}", list(known)),
    }
}

/// Quotes a word, shortened and without characters that could control a terminal.
pub fn quoted(word: &str) -> String {
    const MAX_QUOTED_CHARS: usize = 40;
    if word.chars().count() <= MAX_QUOTED_CHARS {
        return format!("{word:?}");
    }
    let start: String = word.chars().take(MAX_QUOTED_CHARS).collect();
    format!("{:?}", start + "…")
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn what_is_near_may_have_been_meant() {
        let check = |word, meant| {
            assert_eq!(
                nearest(word, &["exact", "excluding", "random"]),
                meant,
                "{word}"
            );
        };
        check("exakt", Some("exact"));
        check("EXACT", Some("exact"));
        check("exlcuding", Some("excluding"));
        check("randon", Some("random"));
        check("minimax", None);
        check("", None);
    }
}
