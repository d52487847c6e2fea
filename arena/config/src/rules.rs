//! The rules of the game: from the file and the flags, checked one by one, then together.

use arena_engine::game::{Game, Rules as _};
use serde::Deserialize;
use serde_json::{Map, Value as Json};
use toml::de::{DeTable, ValueDeserializer};
use toml::{Table, Value};

use arena_tournament::suggest::{self, quoted};

use super::diagnostic::{At, Diagnostic};
use super::section::{Reader, TEXT, TRUTH, WHOLE};

/// One rule that is given.
#[derive(Clone, Debug)]
pub struct Rule {
    name: String,
    value: Value,
    /// Where its name stands.
    key: At,
    /// Where its value stands.
    at: At,
}

/// The rules of a file, with those of flags in the place of their namesakes.
pub fn read(reader: &mut Reader, file: Option<&DeTable<'_>>, flags: &[&str]) -> Vec<Rule> {
    let mut rules = Vec::new();
    for (name, value) in file.into_iter().flatten() {
        let (key, at) = (At::File(name.span()), At::File(value.span()));
        let name = name.get_ref().clone().into_owned();
        match Value::deserialize(ValueDeserializer::from(value.clone())) {
            Ok(value) => rules.push(Rule {
                name,
                value,
                key,
                at,
            }),
            Err(why) => reader.add(Diagnostic::new(
                &at,
                format!("`{name}` cannot be read"),
                why.message(),
            )),
        }
    }
    for flag in flags {
        match of_flag(flag) {
            Ok(table) => {
                rules.retain(|rule: &Rule| !table.contains_key(&rule.name));
                let at = || At::Flag(format!("--rule {flag}"));
                rules.extend(table.into_iter().map(|(name, value)| Rule {
                    name,
                    value,
                    key: at(),
                    at: at(),
                }));
            }
            Err(diagnostic) => reader.add(diagnostic),
        }
    }
    rules
}

fn of_flag(flag: &str) -> Result<Table, Diagnostic> {
    // A value that is no TOML is a word: `master=seats` needs no quotes.
    let quoted = || {
        flag.split_once('=')
            .map(|(name, word)| format!("{name} = '{}'", word.trim()))
    };
    let read = |text: &str| toml::from_str::<Table>(text).ok();
    let table = read(flag)
        .or_else(|| read(&quoted()?))
        .filter(|table| !table.is_empty());
    let at = At::Flag(format!("--rule {flag}"));
    table.ok_or_else(|| {
        Diagnostic::new(
            &at,
            "this is not a rule",
            "write it as NAME=VALUE, such as rounds=1",
        )
    })
}

fn together<'a>(rules: impl IntoIterator<Item = &'a Rule>) -> Table {
    rules
        .into_iter()
        .map(|rule| (rule.name.clone(), rule.value.clone()))
        .collect()
}

/// Fills in the rules of a game and checks them for a table of that many seats, if the number is known and the game has it.
pub fn check<G: Game>(
    given: &[Rule],
    seats: Option<usize>,
) -> Result<(Json, u32), Vec<Diagnostic>> {
    let standard = standard::<G>();
    let mut wrong: Vec<Diagnostic> = given
        .iter()
        .filter_map(|rule| rule.check::<G>(&standard).err())
        .collect();
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let fits = |rules: &[&Rule]| {
        let rules = together(rules.iter().copied())
            .try_into::<G::Rules>()
            .map_err(|e| e.message().to_owned())?;
        seats
            .map_or(Ok(()), |seats| rules.check(seats))
            .map(|()| rules)
    };
    let mut left: Vec<&Rule> = given.iter().collect();
    let rules = loop {
        let why = match fits(&left) {
            Ok(rules) => break rules,
            Err(why) => why,
        };
        // Those are to blame without which there is nothing wrong, or something else.
        let without = |one: &Rule| {
            left.iter()
                .copied()
                .filter(|rule| rule.name != one.name)
                .collect::<Vec<_>>()
        };
        let is_blamed = |rule: &&Rule| fits(&without(rule)).err().as_ref() != Some(&why);
        let (blamed, others): (Vec<&Rule>, Vec<&Rule>) = left.iter().copied().partition(is_blamed);
        let Some(first) = blamed.first() else {
            wrong.push(Diagnostic::new(
                &At::Nowhere,
                format!("rules of {}: {why}", G::NAME),
                "",
            ));
            return Err(wrong);
        };
        let diagnostic = Diagnostic::new(&first.at, why, "change this rule, or leave it out");
        wrong.push(match blamed.get(1) {
            Some(other) => diagnostic.also(&other.at, "or this one"),
            None => diagnostic,
        });
        left = others;
    };
    let rules = serde_json::to_value(rules).expect("rules can be written as JSON");
    if wrong.is_empty() {
        Ok((rules, G::RULES_VERSION))
    } else {
        Err(wrong)
    }
}

impl Rule {
    /// What is wrong with this rule, whatever the others are.
    fn check<G: Game>(&self, standard: &Map<String, Json>) -> Result<(), Diagnostic> {
        let Rule { name, value, .. } = self;
        let Some(like) = standard.get(name) else {
            let known: Vec<&str> = standard.keys().map(String::as_str).collect();
            let help = suggest::key(name, &known);
            return Err(Diagnostic::new(
                &self.key,
                format!("{} has no rule {}", G::NAME, quoted(name)),
                help,
            ));
        };
        let wrong = |what: String, help: &str| Err(Diagnostic::new(&self.at, what, help));
        let mistyped = |(wanted, help)| {
            wrong(
                format!("`{name}` must be {wanted}, found {}", value.type_str()),
                help,
            )
        };
        match (like, value) {
            (Json::Number(_), Value::Integer(_)) | (Json::Bool(_), Value::Boolean(_)) => {
                let read = together([self]).try_into::<G::Rules>();
                read.map(drop)
                    .or_else(|_| wrong(format!("`{name}` cannot be {value}"), &range::<G>(name)))
            }
            (Json::String(_), Value::String(text)) => {
                let read = together([self]).try_into::<G::Rules>();
                read.map(drop).or_else(|error| {
                    // Serde lists the words: unknown variant `x`, expected `a` or `b`.
                    let expected = error
                        .message()
                        .rsplit("expected ")
                        .next()
                        .unwrap_or_default();
                    let known: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
                    wrong(
                        format!("`{name}` cannot be {}", quoted(text)),
                        &suggest::value(text, &known),
                    )
                })
            }
            (Json::Number(_), _) => mistyped(WHOLE),
            (Json::Bool(_), _) => mistyped(TRUTH),
            _ => mistyped(TEXT),
        }
    }
}

/// The rules of a game by name, each with its standard value: those, too, that are not written where they are standard.
pub fn standard<G: Game>() -> Map<String, Json> {
    let schema = schemars::schema_for!(G::Rules).to_value();
    let rules = schema["properties"].as_object().into_iter().flatten();
    rules
        .map(|(name, about)| (name.clone(), about["default"].clone()))
        .collect()
}

/// The values that a number may have, in the words of the game: its refusal of the largest that the type holds.
fn range<G: Game>(name: &str) -> String {
    let refusal = |number: u32| {
        let rules = Table::from_iter([(name.to_owned(), Value::Integer(number.into()))])
            .try_into::<G::Rules>()
            .ok()?;
        rules.check(*G::SEATS.start()).err()
    };
    let why = [u32::MAX, u16::MAX.into(), u8::MAX.into()]
        .into_iter()
        .find_map(refusal);
    let bound = why
        .as_deref()
        .and_then(|why| why.split(", not").next())
        .filter(|why| why.starts_with(name));
    bound.map_or_else(
        || "that is out of range; `arena games` lists the rules".into(),
        str::to_owned,
    )
}
