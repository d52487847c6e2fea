//! The options of a prompt for people: numbered lines, and typed words that become an action.

use std::fmt::Write;

use arena_engine::seat::BySeat;
use serde_json::{Map, Value};

use super::view::{scalar, with_name};

/// The field whose values may be texts that are only samples: legal codes can be too many to list.
const SAMPLED: &str = "code";
/// So many whole numbers in a row are shown by their ends.
const RANGE: usize = 5;

/// The options that a person can choose from.
pub struct Options<'a> {
    choices: Vec<Choice>,
    names: &'a BySeat<String>,
}

/// One option.
struct Choice {
    kind: String,
    fields: Vec<(String, Legal)>,
}

/// The legal values of a field.
enum Legal {
    /// One of these.
    One(Vec<Value>),
    /// One of each of these.
    Each(Vec<Vec<Value>>),
}

/// What follows from the words that were typed so far.
#[derive(Debug, PartialEq)]
pub enum Step {
    /// Something is left to choose; this asks for it.
    Ask(String),
    /// The action is complete.
    Action(Value),
    /// They make no action, for this reason.
    Wrong(String),
}

impl<'a> Options<'a> {
    /// The options of a prompt: a list of actions with a list of legal values in place of each value.
    pub fn new(prompt: &Value, names: &'a BySeat<String>) -> Self {
        let options = prompt.as_array().into_iter().flatten().filter_map(Value::as_object).flatten();
        Self { choices: options.map(|(kind, fields)| Choice::new(kind, fields)).collect(), names }
    }

    /// A line for each option.
    pub fn lines(&self) -> Vec<String> {
        let lines = self.choices.iter().enumerate();
        lines.map(|(at, choice)| format!("  {}) {}", at + 1, choice.describe(self.names))).collect()
    }

    /// Puts the words together. What has only one possibility is not asked for.
    pub fn step(&self, words: &[String]) -> Step {
        let mut words = words.iter().map(String::as_str).peekable();
        let choice = match self.choices.as_slice() {
            [only] => {
                words.next_if(|word| *word == only.kind);
                only
            }
            several => match words.next() {
                None => return Step::Ask(format!("option ({})?", joined(1..=several.len()))),
                Some(word) => match self.find(word) {
                    Some(choice) => choice,
                    None => return Step::Wrong(format!("{word} is no option: choose {}", joined(1..=several.len()))),
                },
            },
        };
        let mut fields = Map::new();
        for (name, legal) in &choice.fields {
            match legal.take(name, &mut words, self.names) {
                Ok(value) => drop(fields.insert(name.clone(), value)),
                Err(question) => return Step::Ask(question),
            }
        }
        match words.next() {
            Some(word) => Step::Wrong(format!("{word} is too much: {} is complete without it", choice.kind)),
            None => Step::Action(Value::Object(Map::from_iter([(choice.kind.clone(), Value::Object(fields))]))),
        }
    }

    /// The option of this number, or the only one of this kind.
    fn find(&self, word: &str) -> Option<&Choice> {
        if let Ok(number) = word.parse::<usize>() {
            return self.choices.get(number.checked_sub(1)?);
        }
        let mut of_kind = self.choices.iter().filter(|choice| choice.kind == word);
        of_kind.next().filter(|_| of_kind.next().is_none())
    }
}

impl Choice {
    fn new(kind: &str, fields: &Value) -> Self {
        let legal = |(name, values): (&String, &Value)| Some((name.clone(), Legal::new(values)?));
        let mut fields: Vec<(String, Legal)> = fields.as_object().into_iter().flatten().filter_map(legal).collect();
        // What leaves least to choose comes first, such as an opponent before the position and the face of an attack.
        fields.sort_by_key(|(_, legal)| legal.count());
        Self { kind: kind.to_owned(), fields }
    }

    fn describe(&self, names: &BySeat<String>) -> String {
        let fields = self.fields.iter().map(|(name, legal)| format!("{name} {}", legal.describe(name, names)));
        let fields: Vec<String> = fields.collect();
        let kind = self.kind.replace('_', " ");
        if fields.is_empty() { kind } else { format!("{kind}: {}", fields.join(", ")) }
    }
}

impl Legal {
    fn new(values: &Value) -> Option<Self> {
        let values = values.as_array()?;
        let lists: Option<Vec<Vec<Value>>> = values.iter().map(|value| value.as_array().cloned()).collect();
        Some(match lists {
            Some(lists) if !lists.is_empty() => Self::Each(lists),
            _ => Self::One(values.clone()),
        })
    }

    fn count(&self) -> usize {
        match self {
            Self::One(values) => values.len(),
            Self::Each(lists) => lists.iter().map(Vec::len).sum(),
        }
    }

    fn describe(&self, field: &str, names: &BySeat<String>) -> String {
        match self {
            Self::One(values) if self.is_sampled(field) => format!("such as {}", shown(field, values, names)),
            Self::One(values) => shown(field, values, names),
            Self::Each(lists) => {
                let first = lists.first().map_or(&[][..], Vec::as_slice);
                format!("{} of {}", lists.len(), shown(field, first, names))
            }
        }
    }

    /// True if other values are legal, too.
    fn is_sampled(&self, field: &str) -> bool {
        matches!(self, Self::One(values) if field == SAMPLED && values.iter().all(Value::is_string))
    }

    /// Takes as many words as it needs; the error asks for what is missing. Values that are not legal are taken as they are: whoever asked
    /// says what is wrong with them.
    fn take<'w>(
        &self,
        field: &str,
        words: &mut impl Iterator<Item = &'w str>,
        names: &BySeat<String>,
    ) -> Result<Value, String> {
        match self {
            Self::One(values) => match (values.as_slice(), self.is_sampled(field)) {
                ([only], false) => Ok(only.clone()),
                _ => {
                    let word = words.next();
                    word.map(|word| meant(word, values))
                        .ok_or_else(|| format!("{field} ({})?", self.describe(field, names)))
                }
            },
            Self::Each(lists) => {
                let mut taken: Vec<Value> = Vec::new();
                while let Some(values) = lists.get(taken.len()) {
                    let Some(word) = words.next() else {
                        let at = taken.len() + 1;
                        return Err(format!("{field} {at} of {} ({})?", lists.len(), shown(field, values, names)));
                    };
                    let run_together = taken.is_empty() && word.chars().count() == lists.len() && is_short(lists);
                    if run_together && lists.len() > 1 {
                        let letters = word.chars().zip(lists);
                        taken = letters.map(|(letter, values)| meant(&letter.to_string(), values)).collect();
                    } else {
                        taken.push(meant(word, values));
                    }
                }
                Ok(taken.into())
            }
        }
    }
}

/// True if all values are of one letter, so that they can be written without blanks.
fn is_short(lists: &[Vec<Value>]) -> bool {
    lists.iter().flatten().all(|value| scalar(value).chars().count() == 1)
}

/// The value of a word: the one among the legal ones that is written like it, or else whatever it says.
fn meant(word: &str, values: &[Value]) -> Value {
    let like_it = values.iter().find(|value| scalar(value).eq_ignore_ascii_case(word)).cloned();
    let number = || word.parse::<u64>().ok().filter(|_| values.iter().any(Value::is_number)).map(Value::from);
    like_it.or_else(number).unwrap_or_else(|| word.into())
}

/// Values for people, long rows of numbers by their ends.
fn shown(field: &str, values: &[Value], names: &BySeat<String>) -> String {
    let numbers: Vec<Option<i64>> = values.iter().map(|value| scalar(value).parse().ok()).collect();
    let mut text = String::new();
    let mut at = 0;
    while at < values.len() {
        let follows = |next: usize| {
            let (Some(Some(before)), Some(Some(after))) = (numbers.get(next - 1), numbers.get(next)) else {
                return false;
            };
            before + 1 == *after
        };
        let mut end = at + 1;
        while follows(end) {
            end += 1;
        }
        let blank = if text.is_empty() { "" } else { " " };
        if field != "seat" && end - at >= RANGE {
            // Writing to a text never fails.
            let _ = write!(text, "{blank}{} … {}", scalar(&values[at]), scalar(&values[end - 1]));
            at = end;
        } else {
            let value = with_name(field, &values[at], names);
            let _ = write!(text, "{blank}{value}");
            at += 1;
        }
    }
    text
}

fn joined(numbers: impl Iterator<Item = usize>) -> String {
    numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn names() -> BySeat<String> {
        BySeat::new(2, |seat| ["me", "rival"][seat.index()].to_owned())
    }

    fn check(prompt: &Value, typed: &str, expected: &Step) {
        let names = names();
        let words: Vec<String> = typed.split_whitespace().map(str::to_owned).collect();
        assert_eq!(Options::new(prompt, &names).step(&words), *expected, "{typed}");
    }

    fn ask(question: &str) -> Step {
        Step::Ask(question.into())
    }

    #[test]
    fn words_become_actions_and_what_is_missing_is_asked_for() {
        let attack = json!({"seat": [1], "position": [0, 1, 3], "face": ["0", "1", "2", "3", "4", "-"]});
        let prompt = json!([{"attack": attack}, {"stop": {}}]);
        let names = names();
        let lines = ["  1) attack: seat 1 (rival), position 0 1 3, face 0 … 4 -", "  2) stop"];
        assert_eq!(Options::new(&prompt, &names).lines(), lines);
        check(&prompt, "", &ask("option (1 2)?"));
        check(&prompt, "7", &Step::Wrong("7 is no option: choose 1 2".into()));
        check(&prompt, "stop", &Step::Action(json!({"stop": {}})));
        check(&prompt, "2 3", &Step::Wrong("3 is too much: stop is complete without it".into()));
        check(&prompt, "1", &ask("position (0 1 3)?"));
        check(&prompt, "attack 1", &ask("face (0 … 4 -)?"));
        check(&prompt, "1 3 4", &Step::Action(json!({"attack": {"seat": 1, "position": 3, "face": "4"}})));
        check(&prompt, "1 9 x", &Step::Action(json!({"attack": {"seat": 1, "position": 9, "face": "x"}})));
    }

    #[test]
    fn codes_are_lists_or_samples() {
        let hide = json!([{"hide": {"code": [[1, 2, 3], [1, 2, 3]]}}]);
        let hidden = || Step::Action(json!({"hide": {"code": [3, 1]}}));
        check(&hide, "", &ask("code 1 of 2 (1 2 3)?"));
        check(&hide, "3", &ask("code 2 of 2 (1 2 3)?"));
        check(&hide, "3 1", &hidden());
        check(&hide, "31", &hidden());
        let declare = json!([{"declare": {"code": ["914492", "618747"]}}]);
        check(&declare, "", &ask("code (such as 914492 618747)?"));
        check(&declare, "123456", &Step::Action(json!({"declare": {"code": "123456"}})));
        check(&hide, "hide 3 1", &hidden());
        check(&json!([{"pass": {}}]), "", &Step::Action(json!({"pass": {}})));
    }
}
