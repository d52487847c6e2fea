//! A setup as the formats and the ledger see it.

use arena_results::compare;
use arena_results::tournament::{Entry, Tournament};
use serde_json::{Map, Value};

use super::{Bot, Setup, files, millis};
use crate::format::field::{Entrant, Field};
use crate::format::plan;

impl Setup {
    /// What decides which matches there are.
    pub fn field(&self) -> Field {
        let entrant = |bot: &Bot| Entrant { name: bot.name.clone(), joined: bot.joined, left: bot.left };
        Field {
            format: self.format.clone(),
            seatings: self.seatings,
            seats: self.seats,
            deals: self.deals,
            seed: self.seed,
            entrants: self.bots.iter().map(entrant).collect(),
        }
    }

    /// What the ledger is to say of itself.
    pub fn tournament(&self, rules_version: u32) -> Tournament {
        let field = self.field();
        let entry = |bot: &Bot| Entry {
            name: bot.name.clone(),
            plays: bot.plays.to_string(),
            files: files::of(&bot.plays),
            joined: bot.joined,
            left: bot.left,
        };
        let (matches, rounds) = (plan::count(&field), plan::rounds(&field));
        let deals = u64::from(self.deals) * u64::from(rounds);
        // In a knockout there are fewer from round to round.
        let even =
            !matches!(self.format, crate::format::Format::Knockout) && deals > 0 && matches.is_multiple_of(deals);
        Tournament {
            name: self.name.clone(),
            game: self.game.clone(),
            rules_version,
            rules: self.rules.clone(),
            format: plan::name(&self.format).to_owned(),
            options: options(self),
            seats: self.seats,
            seatings: field.orders() as u64,
            deals: self.deals,
            rounds,
            seed: self.seed,
            move_ms: self.clock.per_move.map(millis),
            bank_ms: self.clock.bank.map(|bank| millis(bank.total)),
            increment_ms: self.clock.bank.map(|bank| millis(bank.increment)),
            start_ms: millis(self.clock.start),
            matches,
            matches_per_deal: even.then(|| matches / deals),
            bots: self.bots.iter().map(entry).collect(),
        }
    }
}

/// What else the format was told, beside the number of rounds, and what is tested.
fn options(setup: &Setup) -> Value {
    let written = serde_json::to_value(&setup.format).unwrap_or_default();
    let mut options = match written.get(plan::name(&setup.format)) {
        Some(Value::Object(options)) => options.clone(),
        _ => Map::new(),
    };
    options.remove("rounds");
    if let Some(test) = &setup.test {
        options.insert(compare::OPTION.to_owned(), serde_json::to_value(test).unwrap_or_default());
    }
    if options.is_empty() { Value::Null } else { Value::Object(options) }
}
