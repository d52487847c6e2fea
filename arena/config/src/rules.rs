//! The rules of the game: from the file and the flags, checked one by one, then together.

use arena_engine::game::{Game, Rules as _};
use serde::Deserialize;
use serde_json::{Map, Value as Json};
use toml::de::{DeTable, ValueDeserializer};
use toml::{Table, Value};

use arena_tournament::suggest::{self, quoted};

use super::diagnostic::{At, Diagnostic, UsageError};

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
pub fn read(file: Option<&DeTable<'_>>, flags: &[&str], wrong: &mut Vec<Diagnostic>) -> Vec<Rule> {
    let mut rules = Vec::new();
    for (name, value) in file.into_iter().flatten() {
        let (key, at) = (At::File(name.span()), At::File(value.span()));
        let name = name.get_ref().clone().into_owned();
        match Value::deserialize(ValueDeserializer::from(value.clone())) {
            Ok(value) => rules.push(Rule { name, value, key, at }),
            Err(why) => wrong.push(Diagnostic::new(&at, format!("`{name}` cannot be read"), why.message())),
        }
    }
    for flag in flags {
        match of_flag(flag) {
            Ok(table) => {
                rules.retain(|rule: &Rule| !table.contains_key(&rule.name));
                let at = At::Flag(format!("--rule {flag}"));
                rules.extend(table.into_iter().map(|(name, value)| Rule {
                    name,
                    value,
                    key: at.clone(),
                    at: at.clone(),
                }));
            }
            Err(diagnostic) => wrong.push(diagnostic),
        }
    }
    rules
}

/// The rules that flags give, unchecked.
pub fn table(flags: &[String]) -> Result<Table, UsageError> {
    let mut wrong = Vec::new();
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let rules = read(None, &flags, &mut wrong);
    if wrong.is_empty() { Ok(together(&rules)) } else { Err(UsageError::all(None, wrong)) }
}

fn of_flag(flag: &str) -> Result<Table, Diagnostic> {
    // A value that is no TOML by itself is a word: `master=seats` needs no quotes.
    let quoted = || flag.split_once('=').map(|(name, word)| format!("{name} = '{}'", word.trim()));
    let read = |text: &str| toml::from_str::<Table>(text).ok();
    let table = read(flag).or_else(|| read(&quoted()?)).filter(|table| !table.is_empty());
    let at = At::Flag(format!("--rule {flag}"));
    table.ok_or_else(|| Diagnostic::new(&at, "this is no rule", "write it as NAME=VALUE, such as rounds=1"))
}

fn together<'a>(rules: impl IntoIterator<Item = &'a Rule>) -> Table {
    rules.into_iter().map(|rule| (rule.name.clone(), rule.value.clone())).collect()
}

/// Fills in the rules of a game and checks them for a table of that many seats, if the number is known and the game has it.
pub fn check<G: Game>(rules: &[Rule], seats: Option<usize>) -> Result<(Json, u32), Vec<Diagnostic>> {
    let standard = standard::<G>();
    let given = rules;
    let wrong: Vec<Diagnostic> = given.iter().filter_map(|rule| rule.check::<G>(&standard).err()).collect();
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let lost = |why: String| vec![Diagnostic::new(&At::Nowhere, format!("rules of {}: {why}", G::NAME), "")];
    let of = |rules: Table| rules.try_into::<G::Rules>().map_err(|e| lost(e.message().to_owned()));
    let rules = of(together(given))?;
    let fits = |rules: &G::Rules| seats.map_or(Ok(()), |seats| rules.check(seats));
    let Err(why) = fits(&rules) else {
        let rules = serde_json::to_value(rules).map_err(|e| lost(e.to_string()))?;
        return Ok((rules, G::RULES_VERSION));
    };
    let alone = |rule: &&Rule| of(together([*rule])).map(|rules| fits(&rules));
    let wrong: Vec<(&Rule, String)> = given.iter().filter_map(|rule| Some((rule, alone(&rule).ok()?.err()?))).collect();
    if !wrong.is_empty() {
        // The one that is wrong is so in the company of the others.
        let why = |alone: String| if wrong.len() == 1 { why.clone() } else { alone };
        let wrong = wrong
            .iter()
            .map(|(rule, alone)| Diagnostic::new(&rule.at, why(alone.clone()), "change this rule, or leave it out"));
        return Err(wrong.collect());
    }
    // Only together they are wrong: those are to blame without which the others would do.
    let without = |name: &str| together(given.iter().filter(|rule| rule.name != name));
    let blamed = |rule: &&Rule| of(without(&rule.name)).is_ok_and(|rules| fits(&rules).is_ok());
    let mut blamed = given.iter().filter(blamed);
    let diagnostic =
        Diagnostic::new(&blamed.next().map_or(At::Nowhere, |rule| rule.at.clone()), why, "change this rule");
    Err(vec![match blamed.next() {
        Some(other) => diagnostic.also(&other.at, "or this one"),
        None => diagnostic,
    }])
}

impl Rule {
    /// What is wrong with this rule, whatever the others are.
    fn check<G: Game>(&self, standard: &Map<String, Json>) -> Result<(), Diagnostic> {
        let Rule { name, value, .. } = self;
        let Some(like) = standard.get(name) else {
            let known: Vec<&str> = standard.keys().map(String::as_str).collect();
            let help = suggest::key(name, &known);
            return Err(Diagnostic::new(&self.key, format!("{} has no rule {}", G::NAME, quoted(name)), help));
        };
        let wrong = |what: String, help: &str| Err(Diagnostic::new(&self.at, what, help));
        match (like, value) {
            (Json::Number(_), Value::Integer(_)) | (Json::Bool(_), Value::Boolean(_)) => {
                let read = together([self]).try_into::<G::Rules>();
                read.map(drop).or_else(|_| wrong(format!("`{name}` cannot be {value}"), &range::<G>(name)))
            }
            (Json::String(_), Value::String(text)) => together([self]).try_into::<G::Rules>().map(drop).or_else(|_| {
                let known = words::<G>(name);
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                wrong(format!("`{name}` cannot be {}", quoted(text)), &suggest::value(text, &known))
            }),
            (Json::Number(_), Value::String(text)) if text.parse::<i64>().is_ok() => {
                wrong(format!("`{name}` is a whole number, not a text"), &format!("without quotes: {text}"))
            }
            (Json::Number(_), _) => wrong(format!("`{name}` is a whole number"), "write a whole number here"),
            (Json::Bool(_), _) => wrong(format!("`{name}` is true or false"), "write true or false, without quotes"),
            _ => wrong(format!("`{name}` is a text"), "write a text in quotes"),
        }
    }
}

/// The rules of a game by name, each with its standard value: those, too, that are not written where they are standard.
pub fn standard<G: Game>() -> Map<String, Json> {
    let schema = schemars::schema_for!(G::Rules).to_value();
    let rules = schema["properties"].as_object().into_iter().flatten();
    rules.map(|(name, about)| (name.clone(), about["default"].clone())).collect()
}

/// The words that a rule can be.
fn words<G: Game>(name: &str) -> Vec<String> {
    fn collect(schema: &Json, root: &Json, found: &mut Vec<String>) {
        match schema {
            Json::String(word) => found.push(word.clone()),
            Json::Array(all) => all.iter().for_each(|one| collect(one, root, found)),
            Json::Object(fields) => {
                if let Some(place) = fields.get("$ref").and_then(Json::as_str) {
                    collect(root.pointer(place.trim_start_matches('#')).unwrap_or(&Json::Null), root, found);
                }
                ["enum", "const", "oneOf"]
                    .iter()
                    .filter_map(|key| fields.get(*key))
                    .for_each(|one| collect(one, root, found));
            }
            _ => {}
        }
    }
    let (root, mut found) = (schemars::schema_for!(G::Rules).to_value(), Vec::new());
    collect(&root["properties"][name], &root, &mut found);
    found
}

/// What a whole number may be, in the words of the game: what it says of the largest that its type holds.
fn range<G: Game>(name: &str) -> String {
    let largest = [u64::from(u8::MAX), u64::from(u16::MAX), u64::from(u32::MAX)].into_iter().rev();
    let mut refusals = largest.filter_map(|number| {
        let number = Value::Integer(i64::try_from(number).ok()?);
        let rules: G::Rules = Table::from_iter([(name.to_owned(), number)]).try_into().ok()?;
        rules.check(*G::SEATS.start()).err()
    });
    let refusal = refusals.next();
    let bound = refusal.as_deref().and_then(|why| why.split(", not").next()).filter(|why| why.starts_with(name));
    bound.map_or_else(|| "that is out of range; `arena games` lists the rules".into(), str::to_owned)
}
