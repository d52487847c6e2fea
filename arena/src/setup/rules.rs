//! The rules of the game: from the file and the flags, checked one by one, then together.

use arena_engine::game::{Game, Rules as _};
use arena_engine::games::Visitor;
use serde::Deserialize;
use serde_json::Value as Json;
use toml::de::{DeTable, ValueDeserializer};
use toml::{Table, Value};

use super::BadSetup;
use super::keys::quoted;
use super::misfit::{self, Misfit};
use super::nearest::{self, instead};
use super::problem::{At, Problem};

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
pub fn read(file: Option<&DeTable<'_>>, flags: &[String], wrong: &mut Vec<Problem>) -> Vec<Rule> {
    let mut rules = Vec::new();
    for (name, value) in file.into_iter().flatten() {
        let (key, at) = (At::File(name.span()), At::File(value.span()));
        let name = name.get_ref().clone().into_owned();
        match Value::deserialize(ValueDeserializer::from(value.clone())) {
            Ok(value) => rules.push(Rule { name, value, key, at }),
            Err(why) => wrong.push(Problem::new(&at, format!("`{name}` cannot be read"), why.message())),
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
            Err(problem) => wrong.push(problem),
        }
    }
    rules
}

/// The rules that flags give, unchecked.
pub fn table(flags: &[String]) -> Result<Table, BadSetup> {
    let mut wrong = Vec::new();
    let rules = read(None, flags, &mut wrong);
    if wrong.is_empty() { Ok(together(&rules)) } else { Err(BadSetup::all(None, wrong)) }
}

fn of_flag(flag: &str) -> Result<Table, Problem> {
    // A value that is no TOML by itself is a word: `master=seats` needs no quotes.
    let quoted = || flag.split_once('=').map(|(name, word)| format!("{name} = '{}'", word.trim()));
    let read = |text: &str| toml::from_str::<Table>(text).ok();
    let table = read(flag).or_else(|| read(&quoted()?)).filter(|table| !table.is_empty());
    let at = At::Flag(format!("--rule {flag}"));
    table.ok_or_else(|| Problem::new(&at, "this is no rule", "write it as NAME=VALUE, such as rounds=1"))
}

fn together<'a>(rules: impl IntoIterator<Item = &'a Rule>) -> Table {
    rules.into_iter().map(|rule| (rule.name.clone(), rule.value.clone())).collect()
}

/// Fills in the rules of a game and checks them for a table of that many seats.
pub struct CheckRules<'a> {
    /// What is given.
    pub rules: &'a [Rule],
    /// How many seats, if that is known and the game has them.
    pub seats: Option<usize>,
}

impl Visitor for CheckRules<'_> {
    type Out = Result<Json, Vec<Problem>>;

    fn visit<G: Game>(self) -> Self::Out {
        let wrong: Vec<Problem> = self.rules.iter().filter_map(|rule| rule.check::<G>(self.seats).err()).collect();
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let lost = |why: String| vec![Problem::new(&At::Nowhere, format!("rules of {}: {why}", G::NAME), "")];
        let of = |rules: Table| rules.try_into::<G::Rules>().map_err(|e| lost(e.message().to_owned()));
        let rules = of(together(self.rules))?;
        let fits = |rules: &G::Rules| self.seats.map_or(Ok(()), |seats| rules.check(seats));
        let Err(why) = fits(&rules) else {
            return serde_json::to_value(rules).map_err(|e| lost(e.to_string()));
        };
        // Only together they are wrong: those are to blame without which the others would do.
        let without = |name: &str| together(self.rules.iter().filter(|rule| rule.name != name));
        let blamed = |rule: &&Rule| of(without(&rule.name)).is_ok_and(|rules| fits(&rules).is_ok());
        let mut blamed = self.rules.iter().filter(blamed);
        let problem = Problem::new(&blamed.next().map_or(At::Nowhere, |rule| rule.at.clone()), why, "change this rule");
        Err(vec![match blamed.next() {
            Some(other) => problem.also(&other.at, "or this one"),
            None => problem,
        }])
    }
}

impl Rule {
    /// What is wrong with this rule alone.
    fn check<G: Game>(&self, seats: Option<usize>) -> Result<(), Problem> {
        let Rule { name, value, .. } = self;
        let standard = serde_json::to_value(G::Rules::default()).unwrap_or_default();
        let Some(like) = standard.get(name) else {
            let known: Vec<&str> =
                standard.as_object().into_iter().flat_map(|all| all.keys()).map(String::as_str).collect();
            let cure = nearest::key(name, &known);
            return Err(Problem::new(&self.key, format!("{} has no rule {}", G::NAME, quoted(name)), cure));
        };
        let wrong = |what: String, cure: &str| Err(Problem::new(&self.at, what, cure));
        let rules: G::Rules = match (like, value) {
            (Json::Number(_), Value::Integer(_)) | (Json::Bool(_), Value::Boolean(_)) => {
                match together([self]).try_into() {
                    Ok(rules) => rules,
                    Err(_) => return wrong(format!("`{name}` cannot be {value}"), &range::<G>(name)),
                }
            }
            (Json::String(_), Value::String(text)) => match misfit::table_with(name, text) {
                Ok(rules) => rules,
                Err(Misfit::Unknown(known)) => {
                    return wrong(format!("`{name}` cannot be {}", quoted(text)), &instead(text, known, quoted));
                }
                Err(Misfit::Other(why)) => return wrong(format!("`{name}` cannot be {}", quoted(text)), &why),
            },
            (Json::Number(_), Value::String(text)) if text.parse::<i64>().is_ok() => {
                return wrong(format!("`{name}` is a whole number, not a text"), &format!("without quotes: {text}"));
            }
            (Json::Number(_), _) => return wrong(format!("`{name}` is a whole number"), "write a whole number here"),
            (Json::Bool(_), _) => {
                return wrong(format!("`{name}` is true or false"), "write true or false, without quotes");
            }
            _ => return wrong(format!("`{name}` is a text"), "write a text in quotes"),
        };
        let Some(seats) = seats else { return Ok(()) };
        rules.check(seats).or_else(|why| wrong(why, "change this rule, or leave it out"))
    }
}

/// What a whole number may be, in the words of the game: what it says of the largest that its type holds.
fn range<G: Game>(name: &str) -> String {
    let largest = [u64::from(u8::MAX), u64::from(u16::MAX), u64::from(u32::MAX)].into_iter().rev();
    let told = largest.filter_map(|number| {
        let number = Value::Integer(i64::try_from(number).ok()?);
        let rules: G::Rules = Table::from_iter([(name.to_owned(), number)]).try_into().ok()?;
        rules.check(*G::SEATS.start()).err()
    });
    let told = told.into_iter().next();
    let bound = told.as_deref().and_then(|why| why.split(", not").next()).filter(|why| why.starts_with(name));
    bound.map_or_else(|| "that is out of range; `arena games` lists the rules".into(), str::to_owned)
}
