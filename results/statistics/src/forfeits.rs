//! Forfeits of each bot by cause, with the interval of each share.

use std::collections::BTreeMap;

use arena_engine::fault::Cause;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::wilson;
use arena_tournament::deals::Scored;

/// The forfeits of all bots so far.
#[derive(Clone, Debug)]
pub struct ForfeitShares {
    bots: Vec<Sums>,
}

#[derive(Clone, Debug, Default)]
struct Sums {
    matches: u64,
    by_cause: BTreeMap<Cause, u64>,
}

/// The forfeits of one bot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BotForfeits {
    /// The bot, as its index among the tournament's bots.
    pub bot: usize,
    /// The number of seats that it took, over all matches.
    pub matches: u64,
    /// Forfeits for any cause.
    pub all: Share,
    /// By cause; causes that did not occur are left out, `all` bounds them.
    pub by_cause: BTreeMap<Cause, Share>,
}

/// The number of times that something happened.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Share {
    /// In how many matches.
    pub count: u64,
    /// Over all matches, in 0 … 1; null without matches.
    pub share: Option<f64>,
    /// The ends of the 95 % Wilson interval of the share, as if matches failed independently; null without matches.
    pub interval: Option<[f64; 2]>,
}

impl ForfeitShares {
    /// No match yet, of this many bots.
    pub fn new(bots: usize) -> Self {
        Self { bots: vec![Sums::default(); bots] }
    }

    /// Takes in a match.
    ///
    /// # Panics
    /// If a bot's index is not below the number of bots.
    pub fn add(&mut self, scored: &Scored) {
        for (seat, bot) in scored.seats.iter().zip(&scored.bots) {
            let sums = &mut self.bots[*bot];
            sums.matches += 1;
            if let Some(cause) = seat.fault {
                *sums.by_cause.entry(cause).or_default() += 1;
            }
        }
    }

    /// All bots, in order of their index.
    pub fn table(&self) -> Vec<BotForfeits> {
        self.bots.iter().enumerate().map(|(bot, sums)| sums.row(bot)).collect()
    }
}

impl Sums {
    fn row(&self, bot: usize) -> BotForfeits {
        let share = |count: u64| Share {
            count,
            share: (self.matches > 0).then(|| count as f64 / self.matches as f64),
            interval: wilson::interval(count, self.matches),
        };
        BotForfeits {
            bot,
            matches: self.matches,
            all: share(self.by_cause.values().sum()),
            by_cause: self.by_cause.iter().map(|(cause, count)| (*cause, share(*count))).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena_tournament::deals::Seated;

    fn scored(faults: [Option<Cause>; 2]) -> Scored {
        let seats = faults.map(|fault| Seated { place: 1, points: 0, fault, counts: Vec::new() });
        Scored { deal: 1, bots: vec![2, 0], seats: seats.into(), transcript: 0 }
    }

    #[test]
    fn forfeits_are_counted_by_bot_and_cause() {
        let mut forfeits = ForfeitShares::new(3);
        for i in 0..20 {
            forfeits.add(&scored([(i < 3).then_some(if i < 2 { Cause::Time } else { Cause::Crash }), None]));
        }
        let table = forfeits.table();
        assert_eq!((table[0].matches, table[0].all.count), (20, 0));
        let [low, high] = table[0].all.interval.unwrap();
        assert!(low == 0.0 && (high - 0.161_125).abs() < 1e-6);
        assert_eq!((table[1].all.share, table[1].all.interval), (None, None));
        assert_eq!((table[2].all.count, table[2].all.share), (3, Some(0.15)));
        let counts: Vec<_> = table[2].by_cause.iter().map(|(cause, share)| (*cause, share.count)).collect();
        assert_eq!(counts, [(Cause::Time, 2), (Cause::Crash, 1)]);
        assert_eq!(table[2].by_cause[&Cause::Time].interval, wilson::interval(2, 20));
    }
}
