//! Swiss: rounds in which bots of about equal score meet. The rule book:
//!
//! 1. In each round every bot meets one other, on the deals of the round, in both seatings. If their number is odd,
//!    one has a bye.
//! 2. A match won is worth 2 half-points, a draw 1, and one that both forfeited nothing. The *score* of a bot is the sum of its half-points. A bye is
//!    worth half of what a pairing shares: 2 for each deal, what a bot expects against its equal. (A full point, as
//!    in chess, would lift the bot with the bye over bots that won their pairings narrowly, since half-points over
//!    many deals are a finer measure than one game. The
//!    price is that a bot that would win all may have to make up for a bye in the first round.)
//! 3. The *standings* go by score; then by Buchholz, the sum of the scores of all opponents met so far, where a bye
//!    counts as an opponent that has half of what could be had; then by the difference of points in the game; then by
//!    the lot, which the seed gives to each name.
//! 4. The bye goes to one of those that had the fewest, and among these to the lowest in the standings with whom rule 5
//!    can be kept equally well.
//! 5. Bots that have met do not meet again, as long as all can be paired so. If not, as few as can be: two that have
//!    met `m` times count `m`.
//! 6. As many as possible of those that lead with equal scores meet each other, so that one of them prevails.
//! 7. The squares of the differences of score within the pairings add up to as little as can be.
//! 8. Within a group of equal score the upper half meets the lower half, in order, as far as that goes. In the first
//!    round all are equal and stand in the order of their lots.
//!
//! 9. A bot that joins in a later round has no score for those before, and had no opponents there.
//!
//! The rules are kept in this order by pairing at the least cost (`matching.rs`), which takes a time
//! that grows with the third power of the number of bots. Since byes are not seen in results, a round is drawn by
//! going through all rounds before it.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::matching;
use crate::complaint::Complaint;
use crate::deals::Block;
use crate::field::{Field, Meeting};
use crate::format::{
    Format, JOINED, Options, check_positive, check_rounds, check_stays, finished_rounds, is_there,
    not_fewer, same, same_past, there,
};
use crate::key::{Key, Kind, MANY};
use crate::placings::{Column, Placings, Remark, Row, score};

/// Rounds in which bots of about equal score meet; two seats.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Swiss {
    /// The number of rounds.
    pub rounds: u32,
}

impl Format for Swiss {
    const NAME: &'static str = "swiss";
    const ABOUT: &'static str = "in each round bots of about equal score meet";
    const KEYS: &'static [Key] = &[Key::new(
        "rounds",
        Kind::Whole(1..=MANY),
        "⌈log₂ bots⌉ + 1",
        "number of rounds",
    )
    .flag("rounds", "N")
    .comment("2")];
    const BOT_KEYS: &'static [Key] = &[JOINED];
    const MORE: Option<&'static str> = Some("rounds");
    const NEWCOMERS: bool = true;

    /// The number of rounds that single out the best bot, and one more.
    fn fill(options: &mut Options, field: Field<'_>) {
        let enough = field.bots.len().max(2).next_power_of_two().trailing_zeros();
        options
            .entry("rounds")
            .or_insert_with(|| (enough + 1).into());
    }

    fn check(&self, field: Field<'_>) -> Vec<Complaint> {
        let wrong = check_positive("rounds", self.rounds)
            .into_iter()
            .chain(check_rounds(self, field));
        wrong
            .chain(check_stays(Self::NAME, self.rounds, field))
            .collect()
    }

    fn rounds(&self, _field: Field<'_>) -> u32 {
        self.rounds
    }

    /// The pairings of a round, from the top of the standings down.
    fn meetings(&self, field: Field<'_>, round: u32, before: &[Block]) -> Vec<Meeting> {
        let pairs = History::until(field, round, before).draw().pairs;
        pairs
            .into_iter()
            .map(|pair| Meeting {
                bots: pair.to_vec(),
                deals: field.deals_of(round),
            })
            .collect()
    }

    fn choices(&self, field: Field<'_>) -> u64 {
        field.bots.len() as u64 / 2
    }

    /// In each round half of the bots that are there then.
    fn tables(&self, field: Field<'_>) -> Option<u64> {
        let is_always = field.bots.iter().all(|bot| bot.joined <= 1);
        is_always.then(|| self.choices(field))
    }

    fn count(&self, field: Field<'_>) -> u64 {
        // Nobody joins after the last round.
        let last = field
            .bots
            .iter()
            .map(|bot| bot.joined)
            .max()
            .unwrap_or(1)
            .clamp(1, self.rounds.max(1))
            - 1;
        let before: u64 = (1..=last).map(|round| there(field, round) as u64 / 2).sum();
        before.saturating_add(
            self.choices(field)
                .saturating_mul((self.rounds - last).into()),
        )
    }

    fn extends(&self, was: &Self, old: Field<'_>, new: Field<'_>) -> Result<(), Complaint> {
        same("deals", "the number of deals a round", old.deals, new.deals)?;
        not_fewer("rounds", was.rounds, self.rounds)?;
        same_past(was.rounds, old, new)
    }

    fn begun(self, rounds: u32) -> Self {
        Self { rounds }
    }

    fn placings(&self, field: Field<'_>, done: &[Block]) -> Option<Placings> {
        let finished = finished_rounds(self, field, done);
        let standings = standings(field, finished + 1, done);
        let bye = if finished < self.rounds {
            bye(field, finished + 1, done)
        } else {
            None
        };
        let row = |(one, place): (&Standing, usize)| Row {
            place,
            bot: one.bot,
            cells: vec![
                score(one.score),
                score(one.buchholz),
                one.points as f64,
                one.byes.into(),
            ],
        };
        let after = format!(" has a bye in round {}", finished + 1);
        Some(Placings {
            format: Self::NAME.to_owned(),
            finished,
            of: self.rounds,
            leader: standings
                .first()
                .map(|one| one.bot)
                .filter(|_| finished > 0),
            columns: vec![
                Column::score("score"),
                Column::score("Buchholz"),
                Column::signed("points"),
                Column::whole("byes"),
            ],
            rows: standings.iter().zip(1..).map(row).collect(),
            notes: bye
                .map(|bot| Remark {
                    before: String::new(),
                    bot,
                    after,
                })
                .into_iter()
                .collect(),
            ..Placings::default()
        })
    }
}

/// The half-points that two bots share on a deal: 2 matches of 2.
const HALVES: u64 = 4;

/// A bot with what its rank depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Standing {
    /// The bot, as an index into the entrants.
    pub(crate) bot: usize,
    /// Its score, in half-points.
    pub(crate) score: u64,
    /// The sum of the scores of its opponents.
    pub(crate) buchholz: u64,
    /// Its points in the game minus those of its opponents.
    pub(crate) points: i64,
    /// The number of its byes.
    pub(crate) byes: u32,
}

/// The pairings of a round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Draw {
    /// Pairs in ascending order of bots, from the top of the standings down.
    pairs: Vec<[usize; 2]>,
    bye: Option<usize>,
}

/// The bot that does not play in a round, if the number of bots is odd.
pub(crate) fn bye(field: Field<'_>, round: u32, before: &[Block]) -> Option<usize> {
    if there(field, round).is_multiple_of(2) {
        None
    } else {
        History::until(field, round, before).draw().bye
    }
}

/// All bots before a round, best first; the final standings are those before the round after the last.
pub(crate) fn standings(field: Field<'_>, round: u32, before: &[Block]) -> Vec<Standing> {
    History::until(field, round, before).standings()
}

/// The results of the rounds so far.
struct History<'a> {
    field: Field<'a>,
    rounds: u32,
    /// The bots as they were entered, without what opponents' scores add up to.
    bots: Vec<Standing>,
    /// The number of times that any two have met.
    met: Vec<Vec<u32>>,
    /// All bots by lot.
    drawn: Vec<usize>,
}

impl<'a> History<'a> {
    /// All rounds before this one, drawn and played.
    fn until(field: Field<'a>, round: u32, before: &[Block]) -> Self {
        let bots = field.bots.len();
        let mut history = Self {
            field,
            rounds: 0,
            bots: (0..bots)
                .map(|bot| Standing {
                    bot,
                    ..Standing::default()
                })
                .collect(),
            met: vec![vec![0; bots]; bots],
            drawn: field.drawn("swiss"),
        };
        let scores = field.pair_scores(round, before);
        for played in 1..round {
            let draw = history.draw();
            for pair in draw.pairs {
                let score = scores.get(&(played, pair)).copied().unwrap_or_default();
                history.meet(pair, score.halves, score.points[0] - score.points[1]);
            }
            if let Some(bot) = draw.bye {
                history.bots[bot].byes += 1;
                history.bots[bot].score += history.half_of_a_pairing();
            }
            history.rounds += 1;
        }
        history
    }

    fn meet(&mut self, [one, other]: [usize; 2], halves: [u64; 2], difference: i64) {
        self.bots[one].score += halves[0];
        self.bots[other].score += halves[1];
        self.bots[one].points += difference;
        self.bots[other].points -= difference;
        self.met[one][other] += 1;
        self.met[other][one] += 1;
    }

    fn half_of_a_pairing(&self) -> u64 {
        HALVES / 2 * u64::from(self.field.deals)
    }

    fn standings(&self) -> Vec<Standing> {
        let standing = |bot: &usize| Standing {
            buchholz: self.buchholz(*bot),
            ..self.bots[*bot]
        };
        let mut all: Vec<Standing> = self.drawn.iter().map(standing).collect();
        all.sort_by_key(|one| Reverse((one.score, one.buchholz, one.points)));
        all
    }

    fn buchholz(&self, bot: usize) -> u64 {
        let of_opponents: u64 = self.met[bot]
            .iter()
            .zip(&self.bots)
            .map(|(met, one)| u64::from(*met) * one.score)
            .sum();
        let of_bye = self.half_of_a_pairing() * u64::from(self.rounds);
        of_opponents + u64::from(self.bots[bot].byes) * of_bye
    }

    /// The next round.
    fn draw(&self) -> Draw {
        let mut standings = self.standings();
        standings.retain(|one| is_there(&self.field.bots[one.bot], self.rounds + 1));
        let bots = standings.len();
        let costs = Costs::new(self, &standings);
        let paired =
            matching::cheapest(bots.next_multiple_of(2), |one, other| costs.of(one, other));
        let mut draw = Draw::default();
        for (place, with) in paired.into_iter().enumerate().take(bots) {
            let bot = standings[place].bot;
            if with == bots {
                draw.bye = Some(bot);
            } else if place < with {
                let other = standings[with].bot;
                draw.pairs.push([bot.min(other), bot.max(other)]);
            }
        }
        draw
    }
}

/// The costs of pairings: the rules of the book, each outweighing all after it.
struct Costs<'a> {
    history: &'a History<'a>,
    standings: &'a [Standing],
    /// For each place in the standings how many have the same score.
    group: Vec<usize>,
    /// In what units scores are compared: 1, but for scores so great that their squares would not fit.
    unit: u64,
    bye: i128,
    repeat: i128,
    low: i128,
    lead: i128,
    gap: i128,
}

/// The most units that the greatest difference of scores has.
const UNITS: u64 = 1 << 20;

impl<'a> Costs<'a> {
    fn new(history: &'a History<'a>, standings: &'a [Standing]) -> Self {
        let bots = standings.len() as i128;
        let of = |place: usize| standings.get(place).map_or(0, |one| one.score);
        let range = of(0) - of(standings.len().saturating_sub(1));
        let unit = range / UNITS + 1;
        let greatest = i128::from(range / unit);
        let group = standings.iter().map(|one| {
            standings
                .iter()
                .filter(|other| other.score == one.score)
                .count()
        });
        // Each is worth more than all that follow can add up to in a whole round.
        let gap = bots * bots * bots + 1;
        let lead = gap * (bots * greatest * greatest + 1);
        let low = lead * (bots + 1);
        let repeat = low * (bots + 1);
        let bye = repeat * (bots * i128::from(history.rounds) + 1);
        Self {
            history,
            standings,
            group: group.collect(),
            unit,
            bye,
            repeat,
            low,
            lead,
            gap,
        }
    }

    /// The cost of pairing two places of the standings; the place after the last is the bye.
    fn of(&self, one: usize, other: usize) -> i128 {
        let (upper, lower) = (one.min(other), one.max(other));
        if lower == self.standings.len() {
            self.of_bye(upper)
        } else {
            self.of_pair(upper, lower)
        }
    }

    fn of_bye(&self, place: usize) -> i128 {
        let above_the_last = (self.standings.len() - 1 - place) as i128;
        let leads = i128::from(self.leads(place));
        i128::from(self.standings[place].byes) * self.bye
            + above_the_last * self.low
            + leads * self.lead
    }

    fn of_pair(&self, upper: usize, lower: usize) -> i128 {
        let (one, other) = (&self.standings[upper], &self.standings[lower]);
        let met = i128::from(self.history.met[one.bot][other.bot]);
        let led_down = i128::from(self.leads(upper) && !self.leads(lower));
        let gap = i128::from((one.score - other.score) / self.unit);
        let fold = (self.group[upper] / 2).abs_diff(lower - upper) as i128;
        met * self.repeat + led_down * self.lead + gap * gap * self.gap + fold * fold
    }

    fn leads(&self, place: usize) -> bool {
        self.standings[place].score == self.standings[0].score
    }
}
