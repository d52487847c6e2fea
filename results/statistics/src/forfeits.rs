//! Forfeits of each bot by cause, with the interval of each share.

use std::collections::BTreeMap;

use arena_engine::fault::Cause;
use schemars::JsonSchema;
use serde::Serialize;

use crate::standings::Standing;
use crate::wilson;

/// The forfeits of one bot.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Share {
    /// In how many matches.
    pub count: u64,
    /// Over all matches, in 0 … 1; null without matches.
    pub share: Option<f64>,
    /// The ends of the 95 % Wilson interval of the share, as if matches failed independently; null without matches.
    pub interval: Option<[f64; 2]>,
}

impl BotForfeits {
    /// The forfeits of the bot with this index and this row in the standings.
    pub fn new(bot: usize, row: &Standing) -> Self {
        let Standing {
            matches, forfeits, ..
        } = row;
        let share = |count: u64| Share {
            count,
            share: (*matches > 0).then(|| count as f64 / *matches as f64),
            interval: wilson::interval(count, *matches),
        };
        let by_cause = forfeits
            .by_cause
            .iter()
            .map(|(cause, count)| (*cause, share(*count)))
            .collect();
        Self {
            bot,
            matches: *matches,
            all: share(forfeits.total),
            by_cause,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::standings::Forfeits;

    #[test]
    fn forfeits_have_shares_with_intervals() {
        let row = |matches, forfeits| Standing {
            matches,
            forfeits,
            ..Standing::default()
        };
        let none = BotForfeits::new(0, &row(20, Forfeits::default()));
        let [low, high] = none.all.interval.unwrap();
        assert!(low == 0.0 && (high - 0.161_125).abs() < 1e-6);
        let unplayed = BotForfeits::new(1, &row(0, Forfeits::default()));
        assert_eq!((unplayed.all.share, unplayed.all.interval), (None, None));
        let by_cause = [(Cause::Time, 2), (Cause::Crash, 1)].into_iter().collect();
        let some = BotForfeits::new(2, &row(20, Forfeits { total: 3, by_cause }));
        assert_eq!((some.all.count, some.all.share), (3, Some(0.15)));
        let counts: Vec<_> = some
            .by_cause
            .iter()
            .map(|(cause, share)| (*cause, share.count))
            .collect();
        assert_eq!(counts, [(Cause::Time, 2), (Cause::Crash, 1)]);
        assert_eq!(
            some.by_cause[&Cause::Time].interval,
            wilson::interval(2, 20)
        );
    }
}
