//! Who meets whom: the keys and flags of the formats.

use toml::de::DeTable;

use super::keys::{Given, Keys, MOST, flag, quoted};
use super::nearest::instead;
use super::problem::{At, Problem};
use super::{BadSetup, Setup};
use crate::cli::{Asked, Plan as Flags};
use crate::format::{self, Format, Seatings};

/// How many rounds a ladder has, if nothing else is said.
pub const LADDER_ROUNDS: u32 = 20;
/// The most rounds, tables or pairs.
const MANY: u64 = u32::MAX as u64;

/// What is said of the format.
pub struct Plan {
    format: Given<String>,
    challengers: Given<Vec<(String, At)>>,
    rounds: Given<u64>,
    tables: Given<u64>,
    pairs: Given<u64>,
    /// In how many orders a table is seated.
    pub seatings: Given<Seatings>,
    /// Where the keys stand, as the file has them.
    keys: Vec<(&'static str, At)>,
}

/// Which key is for which formats.
const FOR: &[(&str, &[&str])] = &[
    ("challengers", &["gauntlet"]),
    ("rounds", &["swiss", "ladder"]),
    ("tables", &["balanced"]),
    ("pairs", &["ladder"]),
];

impl Plan {
    /// Reads the keys of a file; flags go before them.
    pub fn read(keys: &mut Keys<'_>, flags: &Flags) -> Self {
        let format = keys.text("format", flag("format", flags.format.clone()));
        let mut places = Vec::new();
        for (key, _) in FOR {
            let given = match *key {
                "challengers" => flags.challengers.first().map(|name| format!("--challenger {name}")),
                "rounds" => flags.rounds.map(|rounds| format!("--rounds {rounds}")),
                "tables" => flags.tables.map(|tables| format!("--tables {tables}")),
                _ => flags.pairs.map(|pairs| format!("--pairs {pairs}")),
            };
            places.push((*key, given.map_or_else(|| keys.place(key), At::Flag)));
        }
        let named = |name: &String| (name.clone(), At::Flag(format!("--challenger {name}")));
        let challengers = match flags.challengers.as_slice() {
            [] => keys.texts("challengers"),
            [first, ..] => Given::Told(flags.challengers.iter().map(named).collect(), named(first).1),
        };
        Self {
            format,
            challengers,
            rounds: keys.number("rounds", flag("rounds", flags.rounds.map(u64::from)), 1..=MANY),
            tables: keys.number("tables", flag("tables", flags.tables.map(u64::from)), 1..=MANY),
            pairs: keys.number("pairs", flag("pairs", flags.pairs.map(u64::from)), 1..=MANY),
            seatings: keys.word("seatings", flag("seatings", flags.seatings.clone())),
            keys: places,
        }
    }

    /// What flags alone say.
    pub fn of_flags(flags: &Flags) -> (Self, Vec<Problem>) {
        let empty = DeTable::new();
        let mut keys = Keys::new(&empty);
        (Self::read(&mut keys, flags), keys.finish())
    }

    /// That the format is not known, if it is not.
    pub fn unknown(&self) -> Option<Problem> {
        let Given::Told(name, at) = &self.format else { return None };
        let what = format!("there is no format {}", quoted(name));
        let problem = Problem::new(at, what, instead(name, format::NAMES, quoted));
        Some(problem).filter(|_| self.name().is_none())
    }

    /// The name of the format, if it is known.
    pub fn name(&self) -> Option<&str> {
        match &self.format {
            Given::Absent => Some(format::NAMES[0]),
            Given::Wrong => None,
            Given::Told(name, _) => Some(name.as_str()).filter(|name| format::NAMES.contains(name)),
        }
    }

    /// Whether a key is passed over, since a flag has chosen another format than the file's.
    pub fn passes_over(&self, key: &At) -> bool {
        matches!((self.format.at(), key), (At::Flag(_), At::File(_)))
    }

    /// The format for these bots, whose names are known in part.
    pub fn choose(&self, bots: &[Option<&str>], seats: Option<usize>, wrong: &mut Vec<Problem>) -> Option<Format> {
        wrong.extend(self.unknown());
        let name = self.name()?;
        let found = wrong.len();
        self.check_keys(name, wrong);
        if let Some(seats) = seats.filter(|seats| *seats != 2 && ["swiss", "knockout", "ladder"].contains(&name)) {
            let what = format!("{name} is for 2 seats, not {seats}");
            wrong.push(Problem::new(&self.format.at(), what, "write seats = 2, or take gauntlet or balanced"));
        }
        let format = self.numbers(name, bots, seats, wrong);
        format.filter(|_| wrong.len() == found)
    }

    fn numbers(
        &self,
        name: &str,
        bots: &[Option<&str>],
        seats: Option<usize>,
        wrong: &mut Vec<Problem>,
    ) -> Option<Format> {
        let count = bots.len();
        let or = |given: &Given<u64>, default: u32| {
            given.clone().or(default.into()).and_then(|number| u32::try_from(number).ok())
        };
        let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Some(match name {
            "gauntlet" => Format::Gauntlet { challengers: self.challengers(bots, seats, wrong)? },
            "balanced" => Format::Balanced { tables: or(&self.tables, small(count.div_ceil(seats?)).max(1))? },
            "swiss" => Format::Swiss { rounds: or(&self.rounds, swiss_rounds(count))? },
            "knockout" => Format::Knockout,
            "ladder" => {
                let pairs = or(&self.pairs, small(count / 2).max(1))?;
                let most = count * count.saturating_sub(1) / 2;
                if pairs as usize > most && count >= 2 {
                    let what = format!("{count} bots make {most} pairs, not {pairs}");
                    wrong.push(Problem::new(&self.pairs.at(), what, format!("write at most {most}")));
                }
                Format::Ladder { rounds: or(&self.rounds, LADDER_ROUNDS)?, pairs }
            }
            _ => Format::RoundRobin,
        })
    }

    /// Says which keys are not for this format.
    fn check_keys(&self, name: &str, wrong: &mut Vec<Problem>) {
        for ((key, formats), (_, at)) in FOR.iter().zip(&self.keys) {
            if *at != At::Nowhere && !formats.contains(&name) && !self.passes_over(at) {
                wrong.push(not_for(key, formats, name, at));
            }
        }
    }

    fn challengers(&self, bots: &[Option<&str>], seats: Option<usize>, wrong: &mut Vec<Problem>) -> Option<Vec<usize>> {
        let names = match &self.challengers {
            Given::Absent => return Some(vec![0]),
            Given::Wrong => return None,
            Given::Told(names, _) => names,
        };
        let mut chosen = Vec::new();
        for (name, at) in names {
            match bots.iter().position(|bot| *bot == Some(name)) {
                Some(bot) if chosen.contains(&bot) => {
                    let what = format!("{} is named twice among the challengers", quoted(name));
                    wrong.push(Problem::new(at, what, "name it once"));
                }
                Some(bot) => chosen.push(bot),
                // One of the bots whose name cannot be read may be meant.
                None if bots.contains(&None) => return None,
                None => {
                    let mut known: Vec<&str> = bots.iter().flatten().copied().collect();
                    known.sort_unstable();
                    known.dedup();
                    let what = format!("no bot is named {}", quoted(name));
                    wrong.push(Problem::new(at, what, instead(name, &known, quoted)));
                }
            }
        }
        let at = self.challengers.at();
        if names.is_empty() {
            wrong.push(Problem::new(&at, "a gauntlet has at least one challenger", "name a bot, or leave the key out"));
        }
        let (others, needed) = (bots.len() - chosen.len(), seats? - 1);
        if others < needed && bots.len() >= seats? {
            let what = format!("a challenger meets {needed} others at a table, and {others} bots are no challengers");
            wrong.push(Problem::new(&at, what, "name fewer challengers, or add bots"));
        }
        Some(chosen)
    }
}

/// That a key is not for a format.
pub fn not_for(key: &str, formats: &[&str], name: &str, at: &At) -> Problem {
    let all = formats.join(" and ");
    let cure = format!("remove it, or choose the format {}", formats.join(" or "));
    Problem::new(at, format!("`{key}` is for {all}, not for {name}"), cure)
}

/// How many rounds single out the best of so many bots, and one more.
fn swiss_rounds(bots: usize) -> u32 {
    bots.max(2).next_power_of_two().trailing_zeros() + 1
}

/// The first and last round in which a bot is drawn.
pub fn stay(keys: &mut Keys<'_>, plan: &Plan) -> (u32, Option<u32>) {
    let rounds = plan.rounds.clone().or(LADDER_ROUNDS.into()).filter(|_| plan.name() == Some("ladder"));
    let (from, to) = (keys.number("joined", None, 1..=MANY), keys.number("left", None, 1..=MANY));
    if let Some(name) = plan.name().filter(|name| *name != "ladder") {
        for key in ["joined", "left"] {
            let at = keys.place(key);
            if at != At::Nowhere && !plan.passes_over(&at) {
                keys.blame(not_for(key, &["ladder"], name, &at));
            }
        }
        return (1, None);
    }
    let first = from.told().copied().unwrap_or(1);
    if let Some(rounds) = rounds.filter(|rounds| first > *rounds) {
        let what = format!("this bot is never drawn: the ladder has {rounds} rounds");
        keys.blame(Problem::new(&from.at(), what, format!("write at most {rounds}")));
    }
    if let Some(last) = to.told().filter(|last| **last < first) {
        let what = format!("this bot leaves after round {last}, before it joins in round {first}");
        keys.blame(Problem::new(&to.at(), what, format!("write at least {first}")).also(&from.at(), "it joins here"));
    }
    let small = |number: u64| u32::try_from(number.min(MOST)).unwrap_or(u32::MAX);
    (small(first), to.told().map(|last| small(*last)))
}

impl Setup {
    /// Applies to bots that the arena has chosen itself what the command says of the number of deals and of the format.
    pub fn fit(&mut self, asked: &Asked) -> Result<(), BadSetup> {
        self.check_field()?;
        self.deals = asked.deals.unwrap_or(self.deals);
        let (plan, mut wrong) = Plan::of_flags(&asked.plan);
        let names: Vec<Option<&str>> = self.bots.iter().map(|bot| Some(bot.name.as_str())).collect();
        match plan.choose(&names, Some(self.seats), &mut wrong) {
            Some(format) if wrong.is_empty() => {
                self.format = format;
                Ok(())
            }
            _ => Err(BadSetup::all(None, wrong)),
        }
    }
}
