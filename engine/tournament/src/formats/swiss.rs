//! Swiss: rounds in which bots with about equal scores meet. The rules:
//!
//! 1. In each round every bot meets one opponent, on the deals of the round, in both seatings. With an odd number of bots, one has a bye.
//! 2. A match won is worth 2 half-points, and a draw 1. A match that both forfeited is worth nothing. The *score* of a bot is the sum of
//!    its half-points. A bye is worth half of the half-points of a pairing, 2 for each deal: the expected score against an equal bot. (With
//!    a full score, as in chess, the bot with the bye would overtake bots that won their pairings narrowly. The price is that even a bot
//!    that wins everything else may have to make up for a bye in the first round.)
//! 3. The *standings* are ordered by score, then by Buchholz, then by the difference of points in the game. Buchholz is the sum of the
//!    scores of all opponents met so far; a bye counts as an opponent with half of the maximum score. Bots that are equal in all three
//!    share a place. For pairing, such bots are ordered by lot, drawn from the seed and the name.
//! 4. The bye goes to a bot with the fewest byes. Among these, it goes to the lowest in the standings that does not cause more repeats
//!    (rule 5).
//! 5. Bots do not meet twice if a complete pairing without repeats exists. If none exists, the number of repeats is minimised; a pair that
//!    has met `m` times counts `m`.
//! 6. As many as possible of the bots that share the lead meet each other, so that a single leader emerges.
//! 7. The sum of squared score differences within the pairings is minimised.
//! 8. Within a group of equal scores, the upper half meets the lower half, in order, as far as possible. In the first round, all bots are
//!    equal and are ordered by lot.
//! 9. A bot that joins in a later round has neither score nor opponents from earlier rounds. A withdrawn bot is not paired and gets no
//!    byes, but its matches count.
//!
//! With up to 12 bots, the pairing is optimal by these rules, in this order. With more bots, the bye follows rule 4, each bot from the top
//! down meets the opponent that fits best, and pairs then swap partners as long as that helps. No two bots meet twice while there are fewer
//! rounds than half the bots. Earlier rounds are reconstructed from the results; a round without complete results is drawn again.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::complaint::Complaint;
use crate::deals::Block;
use crate::field::{Field, Meeting};
use crate::format::{
    Format, Options, check_positive, check_rounds, check_stays, count_present, finished_rounds,
    is_present, not_fewer, same, spans,
};
use crate::key::{Key, Kind, MAX_COUNT};
use crate::placings::{Column, Placings, Remark, Row, score};

/// The Swiss format, for two seats.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Swiss {
    /// Number of rounds.
    pub rounds: u32,
}

impl Format for Swiss {
    const NAME: &'static str = "swiss";
    const ABOUT: &'static str = "in each round bots of about equal score meet";
    const KEYS: &'static [Key] = &[Key::new(
        "rounds",
        Kind::Whole(1..=MAX_COUNT),
        "⌈log₂ bots⌉ + 1",
        "number of rounds",
    )
    .flag("rounds", "N")];
    const MORE: Option<&'static str> = Some("rounds");
    const NEWCOMERS: bool = true;

    /// Fills in the number of rounds that single out the best bot, plus one.
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

    /// Returns the pairings of a round, from the top of the standings down.
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

    /// Counts the tables of each round: half the number of bots present.
    fn in_rounds(&self, field: Field<'_>) -> Vec<(u32, u64)> {
        spans(field, self.rounds, |bots| bots as u64 / 2)
    }

    fn extends(&self, was: &Self, old: Field<'_>, new: Field<'_>) -> Result<(), Complaint> {
        same("deals", "the number of deals a round", old.deals, new.deals)?;
        not_fewer("rounds", was.rounds, self.rounds)
    }

    fn placings(&self, field: Field<'_>, done: &[Block]) -> Option<Placings> {
        let pairs = |round| count_present(field, round) / 2;
        let finished = finished_rounds(field, self.rounds, done, pairs);
        let standings = standings(field, finished + 1, done);
        let bye = if finished < self.rounds {
            bye(field, finished + 1, done)
        } else {
            None
        };
        let place = |one: &Standing| {
            1 + standings
                .iter()
                .filter(|other| other.key() > one.key())
                .count()
        };
        let row = |one: &Standing| Row {
            place: place(one),
            bot: one.bot,
            cells: vec![
                score(one.score),
                score(one.buchholz),
                one.points as f64,
                one.byes.into(),
            ],
        };
        let after = format!(" has a bye in round {}", finished + 1);
        let rows: Vec<Row> = standings.iter().map(row).collect();
        let is_alone = rows.iter().filter(|row| row.place == 1).count() == 1;
        Some(Placings {
            format: Self::NAME.to_owned(),
            finished,
            of: self.rounds,
            leader: (finished > 0 && is_alone).then(|| rows[0].bot),
            columns: vec![
                Column::score("score"),
                Column::score("Buchholz"),
                Column::signed("points"),
                Column::whole("byes"),
            ],
            rows,
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

/// Half-points that two bots share on a deal: 2 in each of 2 matches.
const HALVES_PER_DEAL: u64 = 4;

/// A bot with everything that determines its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Standing {
    /// The bot, as an index into the entrants.
    pub(crate) bot: usize,
    /// The bot's score in half-points.
    pub(crate) score: u64,
    /// The sum of the scores of the bot's opponents.
    pub(crate) buchholz: u64,
    /// The bot's points in the game minus those of its opponents.
    pub(crate) points: i64,
    /// The number of byes that the bot has had.
    pub(crate) byes: u32,
}

impl Standing {
    /// Returns the sort key of rule 3; the worst bot has the smallest key. Bots with equal keys share a place.
    fn key(&self) -> (u64, u64, i64) {
        (self.score, self.buchholz, self.points)
    }
}

/// The pairings of a round.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Draw {
    /// The pairs, from the top of the standings down; the bots of each pair are in ascending order.
    pairs: Vec<[usize; 2]>,
    bye: Option<usize>,
}

/// Returns the bot that has the bye in a round, if the number of bots is odd.
pub(crate) fn bye(field: Field<'_>, round: u32, before: &[Block]) -> Option<usize> {
    if count_present(field, round).is_multiple_of(2) {
        None
    } else {
        History::until(field, round, before).draw().bye
    }
}

/// Returns the standings before a round, best bot first; equal bots are ordered by lot. The final standings are those before the round
/// after the last.
pub(crate) fn standings(field: Field<'_>, round: u32, before: &[Block]) -> Vec<Standing> {
    History::until(field, round, before).standings()
}

/// Results of the rounds so far.
struct History<'a> {
    field: Field<'a>,
    rounds: u32,
    /// The bots in the order of entry. Their Buchholz scores are not computed yet.
    bots: Vec<Standing>,
    /// Number of times that each pair of bots has met.
    met: Vec<Vec<u32>>,
    /// All bots, ordered by lot.
    drawn: Vec<usize>,
}

impl<'a> History<'a> {
    /// Reconstructs all rounds before this one.
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
            let results = scores.range((played, [0; 2])..(played + 1, [0; 2]));
            let pairs = results.map(|((_, pair), _)| *pair).collect();
            let draw = history.seen(pairs).unwrap_or_else(|| history.draw());
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
        HALVES_PER_DEAL / 2 * u64::from(self.field.deals)
    }

    fn standings(&self) -> Vec<Standing> {
        let standing = |bot: &usize| Standing {
            buchholz: self.buchholz(*bot),
            ..self.bots[*bot]
        };
        let mut all: Vec<Standing> = self.drawn.iter().map(standing).collect();
        all.sort_by_key(|one| Reverse(one.key()));
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

    /// Reconstructs the next round from the pairs that have results; `None` if a result is missing.
    fn seen(&self, pairs: Vec<[usize; 2]>) -> Option<Draw> {
        if pairs.len() != count_present(self.field, self.rounds + 1) / 2 {
            return None;
        }
        let mut paired = pairs.concat();
        paired.sort_unstable();
        let is_left = |bot: &usize| {
            is_present(&self.field.bots[*bot], self.rounds + 1)
                && paired.binary_search(bot).is_err()
        };
        let bye = (0..self.field.bots.len()).find(is_left);
        Some(Draw { pairs, bye })
    }

    /// Draws the next round.
    fn draw(&self) -> Draw {
        let mut standings = self.standings();
        standings.retain(|one| is_present(&self.field.bots[one.bot], self.rounds + 1));
        let bots = standings.len();
        let mut draw = Draw::default();
        for [upper, lower] in Pairing::new(self, &standings).pairs() {
            let bot = standings[upper].bot;
            if lower == bots {
                draw.bye = Some(bot);
            } else {
                let other = standings[lower].bot;
                draw.pairs.push([bot.min(other), bot.max(other)]);
            }
        }
        draw
    }
}

/// Cost of a pair by rules 4 to 8, most important rule first. Costs are added rule by rule.
type Cost = [u128; 6];

fn sum(one: Cost, other: Cost) -> Cost {
    std::array::from_fn(|rule| one[rule] + other[rule])
}

/// Maximum number of places for which all pairings are compared.
const MAX_EXACT: usize = 12;

/// Maximum number of improvement passes over a larger field.
const MAX_PASSES: usize = 8;

/// Maximum distance, in pairs, of swaps that only improve scores and order.
const MAX_SWAP_DISTANCE: usize = 16;

/// The places of the standings to be paired. If the number of bots is odd, one more place stands for the bye.
struct Pairing<'a> {
    history: &'a History<'a>,
    standings: &'a [Standing],
    /// For each place in the standings, the number of bots that share its score.
    group: Vec<usize>,
}

impl<'a> Pairing<'a> {
    fn new(history: &'a History<'a>, standings: &'a [Standing]) -> Self {
        let groups = standings.chunk_by(|one, other| one.score == other.score);
        Self {
            history,
            standings,
            group: groups
                .flat_map(|group| vec![group.len(); group.len()])
                .collect(),
        }
    }

    /// Returns the pairs of places, from the top of the standings down.
    fn pairs(&self) -> Vec<[usize; 2]> {
        let places = self.standings.len().next_multiple_of(2);
        let mut pairs = if places <= MAX_EXACT {
            self.cheapest(places)
        } else {
            let mut pairs = self.greedy(places);
            // Try other bots for the bye only if repeats remain.
            let byes = places - self.standings.len();
            let is_repeat = |pair: &[usize; 2]| self.cost(pair[0], pair[1])[1] > 0;
            let _ = (0..MAX_PASSES).find(|_| !self.improve(&mut pairs[byes..]));
            if pairs.iter().any(is_repeat) {
                let _ = (0..MAX_PASSES).find(|_| !self.improve(&mut pairs));
            }
            pairs
        };
        pairs.sort_unstable();
        pairs
    }

    /// Returns the cheapest pairing, by dynamic programming over sets of places.
    fn cheapest(&self, places: usize) -> Vec<[usize; 2]> {
        // For each set of places: the minimum cost of pairing them, and the partner of the first place.
        let mut best = vec![(Cost::default(), 0); 1 << places];
        for set in 1_usize..1 << places {
            let first = set.trailing_zeros() as usize;
            let others = (first + 1..places).filter(|other| set & (1 << other) != 0);
            let costs = others.map(|other| {
                let rest = set & !(1 << first) & !(1 << other);
                (sum(self.cost(first, other), best[rest].0), other)
            });
            // Odd sets cannot be paired.
            best[set] = costs
                .filter(|_| set.count_ones().is_multiple_of(2))
                .min()
                .unwrap_or_default();
        }
        let mut set = (1_usize << places) - 1;
        let mut pairs = Vec::new();
        while set != 0 {
            let pair = [set.trailing_zeros() as usize, best[set].1];
            pairs.push(pair);
            pair.iter().for_each(|place| set &= !(1 << place));
        }
        pairs
    }

    /// Pairs greedily: the bye is given first, then each place from the top down meets its cheapest opponent.
    fn greedy(&self, places: usize) -> Vec<[usize; 2]> {
        let mut free: Vec<usize> = (0..self.standings.len()).collect();
        let mut pairs = Vec::with_capacity(places / 2);
        if places > free.len() {
            let bye = (0..free.len())
                .min_by_key(|place| self.cost(*place, free.len()))
                .expect("an odd number is not 0");
            pairs.push([bye, free.len()]);
            free.remove(bye);
        }
        while !free.is_empty() {
            let upper = free.remove(0);
            let next = (0..free.len())
                .min_by_key(|at| self.cost(upper, free[*at]))
                .expect("the number of free places was even");
            pairs.push([upper, free.remove(next)]);
        }
        pairs
    }

    /// Lets each pair, from the bottom up, make the swap of partners that lowers the cost most. Returns `true` if any swap was made.
    ///
    /// No repeat remains if each bot has met fewer than half of the others, minus one: some other pair then holds no bot that has met one
    /// of the two, and a swap with this pair yields two new pairings.
    fn improve(&self, pairs: &mut [[usize; 2]]) -> bool {
        pairs.sort_unstable();
        let mut improved = false;
        for at in (0..pairs.len()).rev() {
            let [a, b] = pairs[at];
            let own = self.cost(a, b);
            let near =
                at.saturating_sub(MAX_SWAP_DISTANCE)..pairs.len().min(at + MAX_SWAP_DISTANCE);
            let all = 0..pairs.len();
            let breaks_a_rule = own[..4].iter().any(|cost| *cost > 0);
            let range = if breaks_a_rule { all } else { near };
            let swaps = range.filter(|with| *with != at).flat_map(|with| {
                let [c, d] = pairs[with];
                let now = sum(own, self.cost(c, d));
                [[a, c, b, d], [a, d, b, c]].map(|[a, c, b, d]| {
                    let after = sum(self.cost(a, c), self.cost(b, d));
                    (gain(now, after), with, [[a, c], [b, d]])
                })
            });
            let Some((gain, with, [one, other])) = swaps.max_by_key(|swap| swap.0) else {
                continue;
            };
            if gain > Gain::default() {
                pairs[at] = [one[0].min(one[1]), one[0].max(one[1])];
                pairs[with] = [other[0].min(other[1]), other[0].max(other[1])];
                improved = true;
            }
        }
        improved
    }

    fn cost(&self, one: usize, other: usize) -> Cost {
        let (upper, lower) = (one.min(other), one.max(other));
        let leads = u128::from(self.leads(upper));
        let above = &self.standings[upper];
        let Some(below) = self.standings.get(lower) else {
            let above_the_last = (self.standings.len() - 1 - upper) as u128;
            return [above.byes.into(), 0, above_the_last, leads, 0, 0];
        };
        let met = self.history.met[above.bot][below.bot];
        let led_down = if self.leads(lower) { 0 } else { leads };
        let gap = u128::from(above.score - below.score);
        let fold = (self.group[upper] / 2).abs_diff(lower - upper) as u128;
        [0, met.into(), 0, led_down, gap * gap, fold * fold]
    }

    fn leads(&self, place: usize) -> bool {
        self.standings[place].score == self.standings[0].score
    }
}

/// The reduction of the cost by a swap, rule by rule.
type Gain = [i128; 6];

fn gain(now: Cost, after: Cost) -> Gain {
    std::array::from_fn(|rule| now[rule] as i128 - after[rule] as i128)
}
