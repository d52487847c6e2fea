//! Replaces secrets in everything that a program writes: the values of environment variables that the program was passed are replaced by
//! their names.

use arena_sandbox::{Copied, passed};
use arena_tournament::entrant::Program;

/// Minimum length of a value that is replaced. Shorter values are not secrets, and would match harmless text.
const MIN_SECRET_BYTES: usize = 8;
/// Maximum length of the beginning of a value that may be shown before the rest is known.
const MAX_SHOWN_BYTES: usize = 3;

/// Secrets with their replacements, longest first.
#[derive(Clone, Debug, Default)]
pub struct Redactor(Vec<(Vec<u8>, String)>);

impl Redactor {
    /// Creates a redactor for this program. It replaces each value, both verbatim and as escaped in JSON.
    pub fn new(program: &Program) -> Self {
        let values = passed(program).filter_map(|(name, value)| Some((name, value?)));
        let values = values.filter(|(_, value)| value.len() >= MIN_SECRET_BYTES);
        let mut all: Vec<_> = values
            .flat_map(|(name, value)| forms(&value).map(|form| (form, format!("[{name}]"))))
            .collect();
        all.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        all.dedup();
        Self(all)
    }

    /// Adds the path of the program's private copy, if any, which is replaced by that of the program's own folder.
    pub fn with_place(mut self, copied: Option<&Copied>) -> Self {
        let texts = copied.and_then(|copied| Some((copied.home.to_str()?, copied.base.to_str()?)));
        self.0
            .extend(texts.map(|(home, base)| (home.into(), base.trim_end_matches('/').to_owned())));
        self
    }

    /// Redacts a complete text.
    pub fn text(&self, text: &str) -> String {
        if self.0.is_empty() {
            return text.to_owned();
        }
        let mut rest = Vec::new();
        let mut shown = self.stream(&mut rest, text.as_bytes());
        shown.extend(self.end(&mut rest));
        String::from_utf8_lossy(&shown).into_owned()
    }

    /// Redacts the next part of a stream. A possible beginning of a value is held back.
    pub fn stream(&self, held: &mut Vec<u8>, bytes: &[u8]) -> Vec<u8> {
        if self.0.is_empty() {
            return bytes.to_vec();
        }
        held.extend(bytes);
        let (mut shown, mut at) = (Vec::new(), 0);
        while at < held.len() {
            let rest = &held[at..];
            // A complete value may be the beginning of another, longer value.
            if self
                .0
                .iter()
                .any(|(value, _)| value.len() > rest.len() && value.starts_with(rest))
            {
                break;
            } else if let Some((value, name)) =
                self.0.iter().find(|(value, _)| rest.starts_with(value))
            {
                shown.extend(name.bytes());
                at += value.len();
            } else {
                shown.push(rest[0]);
                at += 1;
            }
        }
        held.drain(..at);
        shown
    }

    /// Returns the held-back text at the end of a stream, unless it is a large part of a value.
    pub fn end(&self, held: &mut Vec<u8>) -> Vec<u8> {
        let held = std::mem::take(held);
        let is_secret =
            |(value, name): &(Vec<u8>, String)| name.starts_with('[') && value.starts_with(&held);
        if held.len() <= MAX_SHOWN_BYTES || !self.0.iter().any(is_secret) {
            held
        } else {
            "…".into()
        }
    }
}

fn forms(value: &str) -> [Vec<u8>; 2] {
    let json = serde_json::Value::from(value).to_string();
    [value.into(), json[1..json.len() - 1].into()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_replaced_however_the_bytes_arrive() {
        let secret = |value: &str| forms(value).map(|form| (form, "[KEY]".to_owned()));
        let redactor = Redactor([secret("sk-sk-1234\"5"), secret("sk-sk-12")].concat());
        let text = "a sk-sk-1234\"5, sk-sk-sk-1234\\\"5 and sk-sk-12, sk-sk-1";
        for step in 1..text.len() {
            let mut held = Vec::new();
            let mut shown: Vec<u8> = text
                .as_bytes()
                .chunks(step)
                .flat_map(|part| redactor.stream(&mut held, part))
                .collect();
            shown.extend(redactor.end(&mut held));
            assert_eq!(
                String::from_utf8(shown).unwrap(),
                "a [KEY], sk-[KEY] and [KEY], …",
                "in steps of {step}"
            );
        }
        assert_eq!(Redactor::default().text(text), text);
    }
}
