//! Rate of false claims that a bot is ahead, for each format, in fields in which errors are most likely.

use arena_engine::chance::{Chance, Seed};
use arena_statistics::ahead::Collector;
use arena_tournament::deals::{Block, Deal, Scored, SeatResult};
use arena_tournament::formats::gauntlet::Gauntlet;
use arena_tournament::formats::{self, Choice, Options};
use arena_tournament::spec::Spec;
use rayon::prelude::*;
use serde::Serialize;
use serde_json::Value;

use super::VERSIONS;
use super::play::Setting;

/// Fields whose matches are actually played.
const PLAYED: [(&str, Setting); 6] = [
    (
        "three each of four bots",
        Setting {
            game: "coda",
            seats: 2,
            bots: &[
                ("exact", 90),
                ("exact", 90),
                ("exact", 90),
                ("excluding", 90),
                ("excluding", 90),
                ("excluding", 90),
                ("excluding", 50),
                ("excluding", 50),
                ("excluding", 50),
                ("random", 0),
                ("random", 0),
                ("random", 0),
            ],
            deviates: 100,
        },
    ),
    (
        "five equal bots, an outsider",
        Setting {
            game: "code-777",
            seats: 2,
            bots: &[
                ("consistent", 90),
                ("consistent", 90),
                ("consistent", 90),
                ("consistent", 90),
                ("consistent", 90),
                ("random", 0),
            ],
            deviates: 100,
        },
    ),
    (
        "eight, 36 to 115 Elo apart",
        Setting {
            game: "crack-the-code",
            seats: 2,
            bots: &[
                ("consistent", 100),
                ("consistent", 88),
                ("consistent", 76),
                ("consistent", 64),
                ("consistent", 52),
                ("consistent", 40),
                ("consistent", 28),
                ("consistent", 16),
            ],
            deviates: 100,
        },
    ),
    ("versions of one bot", VERSIONS),
    (
        "four exact copies",
        Setting {
            game: "coda",
            seats: 2,
            bots: &[
                ("excluding", 100),
                ("excluding", 100),
                ("excluding", 100),
                ("excluding", 100),
            ],
            deviates: 100,
        },
    ),
    (
        "two each of three, three seats",
        Setting {
            game: "coda",
            seats: 3,
            bots: &[
                ("exact", 90),
                ("exact", 90),
                ("excluding", 70),
                ("excluding", 70),
                ("random", 0),
                ("random", 0),
            ],
            deviates: 100,
        },
    ),
];
/// Fields with synthetic results in a cycle of kinds, each of which beats the next: the kind of each bot, and the number of kinds.
const CIRCLES: [(&str, &[usize], usize); 2] = [
    ("six in a circle", &[0, 1, 2, 3, 4, 5], 6),
    ("rocks, papers, scissors", &[0, 0, 1, 2, 1, 2], 3),
];
/// Score of a bot against the next kind of a cycle.
const BEATS: f64 = 0.75;

/// A format with its options, and the number of deals per round.
struct Plan {
    name: &'static str,
    format: &'static str,
    options: &'static [(&'static str, u32)],
    deals: u32,
    seats: &'static [usize],
    /// Numbers of deals to which the tournament is extended, and at which it is examined again.
    extended: &'static [u32],
}

const fn plan(
    name: &'static str,
    format: &'static str,
    options: &'static [(&'static str, u32)],
    deals: u32,
    seats: &'static [usize],
) -> Plan {
    Plan {
        name,
        format,
        options,
        deals,
        seats,
        extended: &[],
    }
}

const PLANS: [Plan; 14] = [
    plan("round-robin", "round-robin", &[], 10, &[2, 3]),
    plan("round-robin", "round-robin", &[], 30, &[2, 3]),
    plan("round-robin", "round-robin", &[], 100, &[2]),
    plan("round-robin", "round-robin", &[], 200, &[2]),
    Plan {
        extended: &[20, 40, 60, 80, 100],
        ..plan(
            "round-robin, extended to 100",
            "round-robin",
            &[],
            20,
            &[2, 3],
        )
    },
    plan("balanced", "balanced", &[("tables", 2)], 60, &[3]),
    plan(
        "gauntlet, 1 challenger",
        "gauntlet",
        &[("challengers", 1)],
        30,
        &[2, 3],
    ),
    plan(
        "gauntlet, 2 challengers",
        "gauntlet",
        &[("challengers", 2)],
        30,
        &[2, 3],
    ),
    plan(
        "gauntlet, 3 challengers",
        "gauntlet",
        &[("challengers", 3)],
        30,
        &[2],
    ),
    plan("swiss, 5 rounds", "swiss", &[("rounds", 5)], 10, &[2]),
    plan("swiss, 5 rounds", "swiss", &[("rounds", 5)], 30, &[2]),
    plan("knockout", "knockout", &[], 30, &[2]),
    plan("ladder, 20 rounds", "ladder", &[("rounds", 20)], 10, &[2]),
    plan("ladder, 60 rounds", "ladder", &[("rounds", 60)], 2, &[2]),
];

/// Rates of false and true claims for a format and a field.
#[derive(Clone, Debug, Serialize)]
pub struct Claimed {
    /// Name of the field.
    pub field: &'static str,
    /// Name of the format.
    pub format: &'static str,
    /// Number of deals per round.
    pub deals: u32,
    /// Fraction of tournaments with at least one false claim that a bot is ahead of another.
    pub false_claims: f64,
    /// Fraction of true differences between bots that tournaments claim (power).
    pub found: f64,
}

/// A field with matches between all its bots on many deals, and the true strengths.
struct Field {
    name: &'static str,
    setting: Setting,
    pool: Vec<Vec<Scored>>,
    /// Kind of each bot; bots of the same kind are equal.
    kinds: Vec<usize>,
    /// Mean points of each bot in matches with each other bot; equal for bots of the same kind.
    points: Vec<Vec<f64>>,
}

/// Measures all fields in all formats with their number of seats.
pub fn measure(seed: Seed, deals: u32, tournaments: u32) -> Vec<Claimed> {
    let played = PLAYED.iter().map(|(name, setting)| {
        let pool = setting.play(seed.child(name, 0), deals);
        let first = |bot| setting.bots.iter().position(|one| one == bot);
        let kinds = setting.bots.iter().filter_map(first).collect();
        Field::new(name, *setting, pool, kinds)
    });
    let circles = CIRCLES
        .iter()
        .map(|(name, kinds, all)| Field::circle(name, kinds, *all, seed.child(name, 0), deals));
    let fields: Vec<Field> = played.chain(circles).collect();
    let tables = |field: &&Field, plan: &&Plan| plan.seats.contains(&field.setting.seats);
    let mut claimed = Vec::new();
    for field in &fields {
        let plans = PLANS.iter().filter(|plan| tables(&field, plan));
        claimed.extend(plans.map(|plan| field.claims(plan, seed, tournaments)));
    }
    claimed
}

impl Field {
    /// Creates a field from played deals. Bots of the same kind are equal.
    fn new(
        name: &'static str,
        setting: Setting,
        pool: Vec<Vec<Scored>>,
        kinds: Vec<usize>,
    ) -> Self {
        let bots = kinds.len();
        let mut sums = vec![vec![(0.0, 0.0); bots]; bots];
        for scored in pool.iter().flatten() {
            for (seat, bot) in scored.bots.iter().enumerate() {
                for other in scored.bots.iter().filter(|other| *other != bot) {
                    let (points, matches) = &mut sums[kinds[*bot]][kinds[*other]];
                    *points += f64::from(scored.seats[seat].points);
                    *matches += 1.0;
                }
            }
        }
        let mean = |one: usize, other: usize| {
            let (points, matches) = sums[kinds[one]][kinds[other]];
            points / f64::max(matches, 1.0)
        };
        let points = |one| (0..bots).map(|other| mean(one, other)).collect();
        Self {
            name,
            setting,
            pool,
            points: (0..bots).map(points).collect(),
            kinds,
        }
    }

    /// Creates a field with synthetic results in which each kind beats the next.
    fn circle(name: &'static str, kinds: &[usize], all: usize, seed: Seed, deals: u32) -> Self {
        let setting = Setting {
            game: "coda",
            seats: 2,
            bots: &[
                ("a", 100),
                ("b", 100),
                ("c", 100),
                ("d", 100),
                ("e", 100),
                ("f", 100),
            ],
            deviates: 100,
        };
        let mut chance = seed.stream("circle", 0);
        let mut one = |deal: u32, seats: [usize; 2]| {
            let [first, second] = seats.map(|bot| kinds[bot]);
            let share = match (second + all - first) % all {
                1 => BEATS,
                apart if apart == all - 1 => 1.0 - BEATS,
                _ => 0.5,
            };
            let wins = f64::from(chance.below(1_000)) < 1_000.0 * share;
            let seated = |wins: bool| SeatResult {
                place: if wins { 1 } else { 2 },
                points: i32::from(wins),
                fault: None,
                counts: vec![],
            };
            Scored {
                deal,
                bots: seats.to_vec(),
                seats: vec![seated(wins), seated(!wins)],
                transcript: 0,
            }
        };
        let mut deal = |deal: u32| {
            let bots = 0..kinds.len();
            let pairs = bots.clone().flat_map(|first| {
                let others = bots.clone().filter(move |other| *other != first);
                others.map(move |other| [first, other])
            });
            pairs.map(|seats| one(deal, seats)).collect()
        };
        let pool: Vec<Vec<Scored>> = (1..=deals).map(&mut deal).collect();
        Self::new(name, setting, pool, kinds.to_vec())
    }

    fn claims(&self, plan: &Plan, seed: Seed, tournaments: u32) -> Claimed {
        let spec = self.spec(plan, seed);
        let seed = seed.child(self.name, plan.deals.into()).child(plan.name, 0);
        let one = |index: u32| self.check(&spec, plan, seed.child("tournament", index.into()));
        let all: Vec<[u32; 3]> = (0..tournaments).into_par_iter().map(one).collect();
        let wrong = all.iter().filter(|one| one[0] > 0).count();
        let [found, true_ones] = [1, 2].map(|part| all.iter().map(|one| one[part]).sum::<u32>());
        Claimed {
            field: self.name,
            format: plan.name,
            deals: plan.deals,
            false_claims: wrong as f64 / f64::from(tournaments),
            found: f64::from(found) / f64::from(true_ones.max(1)),
        }
    }

    fn spec(&self, plan: &Plan, seed: Seed) -> Spec {
        let mut spec = self.setting.tournament(seed, plan.deals);
        if let [("challengers", count)] = plan.options {
            let challengers = spec.names().into_iter().take(*count as usize).collect();
            spec.plan.format = Choice::Gauntlet(Gauntlet { challengers });
            return spec;
        }
        let options = plan.options.iter();
        let mut all: Options = options
            .map(|(key, value)| ((*key).to_owned(), Value::from(*value)))
            .collect();
        let listed = formats::find(plan.format).expect("the plans name formats that there are");
        (listed.fill)(&mut all, spec.field());
        spec.plan.format =
            Choice::read(plan.format, all).expect("the plans have options that there are");
        spec
    }

    /// Plays a tournament. Returns the number of its false claims, of true differences that it found, and of all true differences.
    fn check(&self, spec: &Spec, plan: &Plan, seed: Seed) -> [u32; 3] {
        let mut blocks: Vec<Block> = Vec::new();
        let mut deals = Vec::new();
        let last = plan.extended.last().copied().unwrap_or(plan.deals);
        let mut whole = spec.clone();
        whole.plan.deals = last;
        for round in 1..=spec.rounds() {
            for deal in self.round(&whole, round, &blocks, seed) {
                blocks.extend(deal.finished_blocks().cloned());
                deals.push(deal);
            }
        }
        // Pairs that were decided at an earlier look stay decided at the last one.
        let mut seen = spec.clone();
        for look in plan.extended {
            seen.earlier_sizes.push(seen.size());
            seen.plan.deals = *look;
        }
        let mut collector = Collector::new(&seen);
        deals.iter().for_each(|deal| collector.add(deal));
        let ahead = collector.ahead();
        let bots = 0..spec.bots.len();
        let mut counts = [0; 3];
        for bot in bots.clone() {
            for other in bots.clone().filter(|other| *other != bot) {
                let is_said = ahead.is(bot, other);
                let is_true = self.lead(spec, bot, other) > 1e-9;
                counts[0] += u32::from(is_said && !is_true);
                counts[1] += u32::from(is_said && is_true);
                counts[2] += u32::from(is_true);
            }
        }
        counts
    }

    /// Returns the true difference of two bots' points per match in such a tournament, against the same opponents and without matches
    /// against each other.
    fn lead(&self, spec: &Spec, bot: usize, other: usize) -> f64 {
        let bots = 0..self.points.len();
        let own = || self.points[bot][other] - self.points[other][bot];
        let over = |opponents: Vec<usize>| -> f64 {
            let apart = |third: &usize| self.points[bot][*third] - self.points[other][*third];
            opponents.iter().map(apart).sum()
        };
        let others = || {
            bots.clone()
                .filter(|third| *third != bot && *third != other)
        };
        match &spec.plan.format {
            Choice::RoundRobin(_) | Choice::Balanced(_) => own() + over(others().collect()),
            Choice::Gauntlet(Gauntlet { challengers }) => {
                let challenges = |bot: usize| bot < challengers.len();
                if challenges(bot) == challenges(other) {
                    over(
                        others()
                            .filter(|third| challenges(*third) != challenges(bot))
                            .collect(),
                    )
                } else {
                    own()
                }
            }
            _ => own(),
        }
    }

    /// Draws the deals of a round from those that all bots played.
    fn round(&self, spec: &Spec, round: u32, before: &[Block], seed: Seed) -> Vec<Deal> {
        let meetings = spec.meetings(round, before);
        let mut gathered = spec.gather();
        let mut done = Vec::new();
        for number in arena_tournament::field::deals(&meetings) {
            let mut chance = seed.stream("deal", number.into());
            let drawn: &Vec<Scored> = chance.pick(&self.pool);
            let drawn = self.renamed(drawn, &mut chance);
            let meets = |scored: &&Scored| {
                let mut bots = scored.bots.clone();
                bots.sort_unstable();
                meetings
                    .iter()
                    .any(|meeting| meeting.bots == bots && meeting.deals.contains(&number))
            };
            for scored in drawn.iter().filter(meets) {
                done.extend(gathered.add(Scored {
                    deal: number,
                    ..scored.clone()
                }));
            }
        }
        done.extend(gathered.end());
        done
    }

    /// Returns a deal with names shuffled among bots of the same kind, so that these bots are exactly equal.
    fn renamed(&self, deal: &[Scored], chance: &mut Chance) -> Vec<Scored> {
        let mut names: Vec<usize> = (0..self.kinds.len()).collect();
        for kind in 0..self.kinds.len() {
            let of_kind = |bot: &usize| self.kinds[*bot] == kind;
            let places: Vec<usize> = (0..names.len()).filter(of_kind).collect();
            let mut shuffled = places.clone();
            chance.shuffle(&mut shuffled);
            places
                .iter()
                .zip(shuffled)
                .for_each(|(place, bot)| names[*place] = bot);
        }
        let renamed = |scored: &Scored| Scored {
            bots: scored.bots.iter().map(|bot| names[*bot]).collect(),
            ..scored.clone()
        };
        deal.iter().map(renamed).collect()
    }
}
