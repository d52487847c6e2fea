//! The numbers in the notes of bots, summed: tokens, money, or what else a bot counts.

use std::collections::BTreeMap;
use std::fmt;

use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;
use arena_tournament::entrant::Program;
use arena_tournament::played::{Note, Played};
use arena_tournament::printable::clean;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// The most numbers of a bot, and the longest name of one in characters; others are not summed.
const MOST: usize = 8;
const LONGEST: usize = 20;

/// The numbers in the notes of a bot, where these are JSON objects.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Noted {
    /// The bot's name.
    pub bot: String,
    /// How many of its notes hold numbers.
    pub notes: u64,
    /// The sum of each number, by its name.
    pub sums: BTreeMap<String, f64>,
}

/// The sums of each bot that has the network, in order of the bots. The notes of others are not read: they play too many matches.
pub fn of(ledger: &Ledger) -> Result<Vec<Noted>, LedgerError> {
    let networked = |program: &Program| program.network;
    let bots = ledger.spec().bots.iter().filter(|bot| bot.program().is_some_and(networked));
    let mut all: Vec<Noted> = bots.map(|bot| Noted { bot: bot.name.clone(), ..Noted::default() }).collect();
    if !all.is_empty() {
        ledger.each(|played| {
            all.iter_mut().for_each(|noted| noted.add(&played));
            Ok::<_, LedgerError>(())
        })?;
    }
    all.retain(|noted| noted.notes > 0);
    Ok(all)
}

impl Noted {
    fn add(&mut self, played: &Played) {
        let is_own = |note: &&Note| played.bots.get(note.seat.index()) == Some(&self.bot);
        for note in played.notes.iter().filter(is_own) {
            let Ok(fields) = serde_json::from_str::<Map<String, Value>>(&note.text) else { continue };
            let numbers: Vec<(String, f64)> =
                fields.into_iter().filter_map(|(name, value)| Some((name, value.as_f64()?))).collect();
            self.notes += u64::from(!numbers.is_empty());
            for (name, number) in numbers.into_iter().filter(|(name, _)| name.chars().count() <= LONGEST) {
                if self.sums.len() < MOST || self.sums.contains_key(&name) {
                    *self.sums.entry(name).or_default() += number;
                }
            }
        }
    }
}

impl fmt::Display for Noted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |(name, sum): (&String, &f64)| format!("{} {}", clean(name), (sum * 1e6).round() / 1e6);
        let sums: Vec<String> = self.sums.iter().map(shown).collect();
        write!(f, "noted by {}, summed over {} moves: {}", clean(&self.bot), self.notes, sums.join(", "))
    }
}
