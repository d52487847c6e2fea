//! Tests of the Coda bots: each beats the bot below it, none is defeated by bluffs, and all replay a match identically.

use arena_bots::bot::Renewed;
use arena_bots::coda::exact::Exact;
use arena_bots::roster;
use arena_engine::chance::{Chance, Seed};
use arena_engine::game::Game;
use arena_engine::games::coda::Coda;
use arena_engine::games::coda::panel::{Panel, Shown};
use arena_engine::games::coda::prompt::Prompt;
use arena_engine::games::coda::types::{Action, Event, Rules};
use arena_engine::machine::Match;
use arena_engine::player::{Player, Start, play};
use arena_engine::seat::Seat;

type Bot = Box<dyn Player<Coda>>;

fn builtin(name: &str) -> Bot {
    roster::make::<Coda>(name).unwrap()
}

fn played(rules: &Rules, seed: u64, bots: &mut [Bot], move_ms: Option<u64>) -> Match<Coda> {
    let mut table = Match::<Coda>::new(rules, bots.len(), Seed::try_from(seed).unwrap()).unwrap();
    play(&mut table, bots, |_| move_ms);
    for seat in Seat::all(bots.len()) {
        assert!(table.fault(seat).is_none(), "{:?}", table.fault(seat));
    }
    table
}

/// Returns one bot's fraction of single rounds won against another. Each deal is played twice, with the seats swapped.
fn share(deals: u64, one: impl Fn() -> Bot, other: impl Fn() -> Bot) -> f64 {
    let rules = Rules {
        rounds: 1,
        ..Rules::default()
    };
    let mut won = 0.0;
    for deal in 0..deals {
        for first in [0, 1] {
            let mut bots = [one(), other()];
            bots.rotate_left(first);
            let table = played(&rules, deal, &mut bots, None);
            let points = table
                .verdict()
                .unwrap()
                .outcome
                .seats
                .map(|score| score.points);
            let (mine, theirs) = (points[Seat(first as u8)], points[Seat(1 - first as u8)]);
            won += if mine > theirs {
                1.0
            } else if mine == theirs {
                0.5
            } else {
                0.0
            };
        }
    }
    won / (2.0 * deals as f64)
}

/// A player that plays like `exact`, but names one of its own panels in every fifth attack that is unlikely to hit.
#[derive(Default)]
struct Bluffing {
    exact: Renewed<Exact>,
    own: Vec<Panel>,
    shown: Vec<(Seat, Vec<Shown>)>,
    chance: Option<Chance>,
}

impl Player<Coda> for Bluffing {
    fn start(&mut self, start: &Start<'_, Rules>) {
        self.exact.start(start);
        self.chance = Some(start.seed.stream("bluffing", 0));
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        let mut kept = Vec::new();
        for event in events {
            match &event {
                Event::RoundStarted { .. } => (self.own, self.shown) = (Vec::new(), Vec::new()),
                Event::SetUp { seat, code } => {
                    self.own
                        .extend(code.iter().filter_map(|shown| shown.panel()));
                    self.shown.push((*seat, code.to_vec()));
                }
                Event::Drew { panel, .. } => self.own.extend(panel.panel()),
                Event::Inserted {
                    seat,
                    position,
                    panel,
                    ..
                } => {
                    let code = self
                        .shown
                        .iter_mut()
                        .find(|(owner, _)| owner == seat)
                        .unwrap();
                    code.1.insert((*position).into(), *panel);
                }
                _ => {}
            }
            kept.push(event);
        }
        let action = self.exact.act(&mut kept.into_iter(), prompt);
        let Action::Attack { seat, position, .. } = action else {
            return action;
        };
        if prompt.may_stop() || self.chance.as_mut().unwrap().below(5) > 0 {
            return action;
        }
        let colour = self
            .shown
            .iter()
            .find(|(owner, _)| *owner == seat)
            .unwrap()
            .1[usize::from(position)]
        .colour;
        let own: Vec<Panel> = self
            .own
            .iter()
            .copied()
            .filter(|panel| panel.colour() == colour)
            .collect();
        match own.as_slice() {
            [] => action,
            own => Action::Attack {
                seat,
                position,
                face: self.chance.as_mut().unwrap().pick(own).face(),
            },
        }
    }
}

#[test]
fn every_rung_beats_the_one_below() {
    for (higher, lower, deals, least) in [
        ("excluding", "random", 30, 0.9),
        ("exact", "excluding", 60, 0.6),
        ("inferring", "exact", 100, 0.6),
        ("bayesian", "inferring", 100, 0.55),
        ("rollouts", "bayesian", 20, 0.55),
        ("concealing", "rollouts", 20, 0.5),
    ] {
        let share = share(deals, || builtin(higher), || builtin(lower));
        assert!(share > least, "{higher} wins {share} against {lower}");
    }
}

#[test]
fn bluffs_do_not_undo_them() {
    let bluffing = || Box::new(Bluffing::default()) as Bot;
    for (bot, deals) in [("inferring", 60), ("bayesian", 60), ("rollouts", 10)] {
        let share = share(deals, || builtin(bot), bluffing);
        assert!(share > 0.65, "{bot} wins {share} against one that bluffs");
    }
}

#[test]
fn a_match_is_played_again_alike_by_the_nominal_limit_alone() {
    let rules = Rules {
        rounds: 1,
        dashes: true,
        ..Rules::default()
    };
    let bots = || -> Vec<Bot> {
        vec![
            builtin("rollouts"),
            builtin("bayesian"),
            builtin("inferring"),
        ]
    };
    let replies =
        |bots: &mut [Bot], move_ms| played(&rules, 5, bots, move_ms).record().replies.clone();
    assert_eq!(replies(&mut bots(), None), replies(&mut bots(), None));

    let limited = |move_ms| replies(&mut [builtin("rollouts"), builtin("exact")], move_ms);
    assert_eq!(limited(Some(2)), limited(Some(2)));
    assert_ne!(
        limited(Some(2)),
        limited(None),
        "2 ms are the limit of the fewest rollouts"
    );
    assert_eq!(limited(Some(100_000)), limited(None), "nothing is left out");
}

/// Checks that attacks hit as often as counting says: for each tenth of probability, the fraction of hits lies in the 99.9 % range. This
/// holds because no bot chooses by information that only the others have.
#[test]
fn chances_by_counting_are_the_shares_that_hit() {
    let mut tenths = [[0.0; 3]; 10];
    for deal in 0..300 {
        let (seats, dashes) = (2 + deal as usize % 3, deal % 2 == 0);
        let rules = Rules {
            rounds: 1,
            dashes,
            ..Rules::default()
        };
        let names = ["exact", "random", "exact", "excluding"];
        let mut bots: Vec<Bot> = names[..seats].iter().map(|name| builtin(name)).collect();
        let table = played(&rules, deal, &mut bots, None);
        for seat in Seat::all(seats) {
            let mut known = Coda::deduction(&rules, seats, seat).unwrap();
            for event in table
                .events()
                .iter()
                .map(|event| Coda::seen_by(event, seat))
            {
                if let Event::Attacked {
                    seat: attacker,
                    target,
                    position,
                    panel,
                    hit,
                } = event
                    && attacker == seat
                {
                    let attack = Action::Attack {
                        seat: target,
                        position,
                        face: panel.face(),
                    };
                    let chance = known.chance(&attack).unwrap();
                    let [sum, variance, hits] = &mut tenths[((chance * 10.0) as usize).min(9)];
                    *sum += chance;
                    *variance += chance * (1.0 - chance);
                    *hits += f64::from(hit);
                }
                known.see(&event);
            }
        }
    }
    for (tenth, [sum, variance, hits]) in tenths.into_iter().enumerate() {
        assert!(
            (hits - sum).abs() <= 3.3 * f64::sqrt(variance) + 1e-9,
            "{tenth}: {hits}, not {sum} of {tenths:?}"
        );
    }
}
