//! How often a tournament of each format says of two bots what is not so, in fields where opponents differ most.

use std::collections::BTreeSet;

use arena_engine::chance::Seed;
use arena_statistics::pairwise::Pairwise;
use arena_statistics::rating::Collector;
use arena_statistics::standings::Tally;
use arena_statistics::standings::ranking::{AheadBy, Ranked};
use arena_tournament::deals::{Block, Deal, Scored, Seated};
use arena_tournament::formats::{self, Choice, Options};
use arena_tournament::spec::Spec;
use rayon::prelude::*;
use serde::Serialize;
use serde_json::Value;

use super::claims;
use super::play::Setting;

/// The fields whose bots are really played.
const PLAYED: [(&str, Setting); 4] = [
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
        },
    ),
    (
        "eight, 50 to 110 Elo apart",
        Setting {
            game: "crack-the-code",
            seats: 2,
            bots: &[
                ("minimax", 100),
                ("minimax", 88),
                ("minimax", 76),
                ("minimax", 64),
                ("minimax", 52),
                ("minimax", 40),
                ("minimax", 28),
                ("minimax", 16),
            ],
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
        },
    ),
];
/// The field whose results are made up: each beats the next one, the last one the first, and all are equally strong.
const CIRCLE: &str = "six in a circle";
/// The share that a bot of the circle scores against the next.
const BEATS: f64 = 0.75;
/// A format with its options, and the deals of each round.
type Plan = (&'static str, &'static [(&'static str, u32)], u32);
const PLANS: [Plan; 8] = [
    ("round-robin", &[], 10),
    ("round-robin", &[], 30),
    ("balanced", &[("tables", 2)], 60),
    ("gauntlet", &[], 30),
    ("swiss", &[("rounds", 5)], 30),
    ("knockout", &[], 30),
    ("ladder", &[("rounds", 20)], 10),
    ("ladder", &[("rounds", 60)], 2),
];

/// How often tournaments of a format said something false of bots of a field.
#[derive(Clone, Debug, Serialize)]
pub struct Claimed {
    /// The field.
    pub field: &'static str,
    /// The format, with its rounds.
    pub format: String,
    /// The deals of each round.
    pub deals: u32,
    /// The share of tournaments with at least one false claim: that one bot is ahead of another or beats it, or of a rank.
    pub false_claims: f64,
    /// The share of all two bots that truly differ of which tournaments said so: that one is ahead, or where only own matches tell,
    /// beats the other.
    pub found: f64,
}

/// A field, with matches between all of its bots on many deals, and what is true of them.
struct Field {
    name: &'static str,
    setting: Setting,
    pool: Vec<Vec<Scored>>,
    /// Equal bots have the same.
    class: Vec<usize>,
    points: Vec<f64>,
    strength: Vec<f64>,
    /// The score of each bot against each other.
    scores: Vec<Vec<f64>>,
}

/// All fields in all formats that seat as many.
pub fn measure(seed: Seed, deals: u32, tournaments: u32) -> Vec<Claimed> {
    let played = PLAYED.iter().map(|(name, setting)| {
        let pool = setting.play(seed.child(name, 0), deals);
        let class = setting
            .bots
            .iter()
            .map(|bot| setting.bots.iter().position(|one| one == bot));
        Field::new(
            name,
            *setting,
            pool,
            class
                .map(|first| first.expect("it is one of them"))
                .collect(),
        )
    });
    let fields: Vec<Field> = played
        .chain([Field::circle(seed.child(CIRCLE, 0), deals)])
        .collect();
    fields
        .iter()
        .flat_map(|field| field.claims(seed, tournaments))
        .collect()
}

impl Field {
    fn new(
        name: &'static str,
        setting: Setting,
        pool: Vec<Vec<Scored>>,
        class: Vec<usize>,
    ) -> Self {
        let analysed = claims::analyse(
            &setting,
            &pool,
            Seed::try_from(0_u64).expect("0 is a seed"),
            pool.len() as u32,
        );
        let names = setting.names();
        let row = |bot: &String| {
            analysed
                .standings
                .standings
                .iter()
                .find(|row| row.bot == *bot)
        };
        let points: Vec<f64> = names
            .iter()
            .map(|bot| row(bot).and_then(|row| row.points_per_match).unwrap_or(0.0))
            .collect();
        let mut scores = vec![vec![0.5; names.len()]; names.len()];
        for pair in &analysed.pairs {
            let score = pair.estimate.map_or(0.5, |estimate| estimate.score);
            scores[pair.first][pair.second] = score;
            scores[pair.second][pair.first] = 1.0 - score;
        }
        let strength = names
            .iter()
            .map(|bot| claims::strength(&analysed.ratings, bot))
            .collect();
        let mut field = Self {
            name,
            setting,
            pool,
            points,
            strength,
            scores,
            class,
        };
        field.points = field.by_class(&field.points);
        field.strength = field.by_class(&field.strength);
        field
    }

    /// The mean over all bots that are equal to each.
    fn by_class(&self, of: &[f64]) -> Vec<f64> {
        let mean = |class: &usize| {
            let equal = || {
                of.iter()
                    .zip(&self.class)
                    .filter(|(_, other)| *other == class)
                    .map(|(of, _)| of)
            };
            equal().sum::<f64>() / equal().count() as f64
        };
        self.class.iter().map(mean).collect()
    }

    /// Each bot beats the next one.
    fn circle(seed: Seed, deals: u32) -> Self {
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
        };
        let bots = setting.bots.len();
        let mut chance = seed.stream("circle", 0);
        let mut one = |deal: u32, seats: [usize; 2]| {
            let [first, second] = seats;
            let share = match (first + bots - second) % bots {
                1 => 1.0 - BEATS,
                5 => BEATS,
                _ => 0.5,
            };
            let wins = f64::from(chance.below(1_000)) < 1_000.0 * share;
            let seated = |wins: bool| Seated {
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
            let pairs = (0..bots).flat_map(|first| {
                (0..bots)
                    .filter(move |other| *other != first)
                    .map(move |other| [first, other])
            });
            pairs.map(|seats| one(deal, seats)).collect()
        };
        let pool: Vec<Vec<Scored>> = (1..=deals).map(&mut deal).collect();
        Self::new(CIRCLE, setting, pool, vec![0; bots])
    }

    /// All formats.
    fn claims(&self, seed: Seed, tournaments: u32) -> Vec<Claimed> {
        let seated = |(format, ..): &&(&str, &[(&str, u32)], u32)| match *format {
            "round-robin" | "gauntlet" => true,
            "balanced" => self.setting.seats > 2,
            _ => self.setting.seats == 2,
        };
        PLANS
            .iter()
            .filter(seated)
            .map(|(format, options, deals)| {
                self.of_format(format, options, *deals, seed, tournaments)
            })
            .collect()
    }

    fn of_format(
        &self,
        format: &str,
        options: &[(&str, u32)],
        deals: u32,
        seed: Seed,
        tournaments: u32,
    ) -> Claimed {
        let spec = self.spec(format, options, deals, seed);
        let seed = seed
            .child(self.name, deals.into())
            .child(format, spec.rounds().into());
        let one = |index: u32| self.check(&spec, seed.child("tournament", index.into()));
        let all: Vec<[u32; 3]> = (0..tournaments).into_par_iter().map(one).collect();
        let [wrong, found, true_ones] = all.iter().fold([0; 3], |sum: [u32; 3], one| {
            [
                sum[0] + u32::from(one[0] > 0),
                sum[1] + one[1],
                sum[2] + one[2],
            ]
        });
        Claimed {
            field: self.name,
            format: if spec.rounds() > 1 {
                format!("{format}, {} rounds", spec.rounds())
            } else {
                format.into()
            },
            deals,
            false_claims: f64::from(wrong) / f64::from(tournaments),
            found: f64::from(found) / f64::from(true_ones.max(1)),
        }
    }

    fn spec(&self, format: &str, options: &[(&str, u32)], deals: u32, seed: Seed) -> Spec {
        let mut spec = self.setting.tournament(seed, deals);
        let mut all: Options = options
            .iter()
            .map(|(key, value)| ((*key).to_owned(), Value::from(*value)))
            .collect();
        let listed = formats::find(format).expect("the plans name formats that there are");
        (listed.fill)(&mut all, spec.field());
        spec.plan.format =
            Choice::read(format, all).expect("the plans have options that there are");
        spec
    }

    /// Plays a tournament; returns how many of its claims are false, how many true differences it found, and how many there are.
    fn check(&self, spec: &Spec, seed: Seed) -> [u32; 3] {
        let mut tally = Tally::new(spec);
        let mut pairwise = Pairwise::new(spec);
        let mut collector = Collector::new(spec);
        let mut blocks: Vec<Block> = Vec::new();
        for round in 1..=spec.rounds() {
            for deal in self.round(spec, round, &blocks, seed) {
                tally.add(&deal);
                pairwise.add(&deal);
                collector.add(&deal);
                blocks.extend(deal.finished_blocks().cloned());
            }
        }
        let placings = spec.placings(&blocks);
        let Ranked {
            standings, ratings, ..
        } = tally.ranked(
            &pairwise,
            &collector,
            placings.as_ref(),
            Some(claims::ANCHOR),
        );
        let names = spec.names();
        let index = |name: &String| {
            names
                .iter()
                .position(|one| one == name)
                .expect("it is in the field")
        };
        let truth = if standings.ahead_by == AheadBy::Points {
            &self.points
        } else {
            &self.strength
        };
        let mut found = BTreeSet::new();
        let mut wrong = 0;
        for row in &standings.standings {
            let bot = index(&row.bot);
            for other in row.ahead_of.iter().map(index) {
                wrong += u32::from(truth[bot] <= truth[other]);
                found.insert([bot, other]);
            }
            let least = 1 + truth.iter().filter(|other| **other > truth[bot]).count();
            let most = names.len() - truth.iter().filter(|other| **other < truth[bot]).count();
            wrong += u32::from(row.ranks[0] > least || row.ranks[1] < most)
                * u32::from(standings.ahead_by != AheadBy::Nothing);
        }
        for [bot, other] in &ratings.claims.beats {
            let [bot, other] = [index(bot), index(other)];
            let is_equal = self.name != CIRCLE && self.class[bot] == self.class[other];
            wrong += u32::from(is_equal || self.scores[bot][other] <= 0.5);
            found.insert([bot, other]);
        }
        let true_ones =
            (0..names.len()).flat_map(|bot| (0..names.len()).map(move |other| [bot, other]));
        let true_ones: BTreeSet<[usize; 2]> = true_ones
            .filter(|[bot, other]| truth[*bot] > truth[*other])
            .collect();
        [
            wrong,
            found.intersection(&true_ones).count() as u32,
            true_ones.len() as u32,
        ]
    }

    /// The deals of a round, drawn from those that all bots played.
    fn round(&self, spec: &Spec, round: u32, before: &[Block], seed: Seed) -> Vec<Deal> {
        let meetings = spec.meetings(round, before);
        let mut gathered = spec.gather();
        let mut done = Vec::new();
        for number in arena_tournament::field::deals(&meetings) {
            let drawn = seed.stream("deal", number.into()).pick(&self.pool);
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
}
