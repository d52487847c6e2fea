use arena_engine::chance::Seed;
use arena_engine::games::coda::panel::Panel;
use arena_engine::games::coda::types::{Event, Rules};
use arena_engine::machine::Match;
use arena_engine::record::Reply;
use arena_engine::set::Member;

use super::*;

fn number(panel: Panel) -> u32 {
    panel.index().into()
}

/// Applies a round's events to the true codes, and translates them to steps at a table.
#[derive(Default)]
struct Follower {
    table: Table,
    codes: [Vec<Panel>; SEATS],
    steps: usize,
}

impl Follower {
    fn see(&mut self, event: &Event, chance: &mut Chance) {
        let step = match event {
            Event::RoundStarted { first, .. } => {
                let Table { seats, deck, .. } = self.table;
                self.table = Table {
                    seats,
                    deck,
                    pool: deck,
                    turn: first.index(),
                    ..Table::default()
                };
                None
            }
            Event::SetUp { seat, code } => {
                let code: Vec<Panel> = code.iter().filter_map(|shown| shown.panel()).collect();
                self.table.codes[seat.index()] = code.iter().map(|panel| bit(number(*panel))).sum();
                self.table.pool &= !self.table.codes[seat.index()];
                self.codes[seat.index()] = code;
                None
            }
            Event::Drew { seat, panel } => {
                assert_eq!(self.table.turn, seat.index());
                Some(Step::Draw(bit(number(panel.panel().expect("all is seen")))))
            }
            Event::Attacked {
                seat,
                target,
                position,
                panel,
                ..
            } => {
                assert_eq!(self.table.turn, seat.index());
                let place = number(self.codes[target.index()][usize::from(*position)]);
                Some(Step::Attack {
                    target: target.index(),
                    place,
                    named: number(*panel),
                })
            }
            Event::Inserted {
                seat,
                position,
                panel,
                ..
            } => {
                self.codes[seat.index()]
                    .insert((*position).into(), panel.panel().expect("all is seen"));
                None
            }
            Event::Stopped { .. } => Some(Step::Stop),
            Event::Exposed { panel, .. } => Some(Step::Expose(number(*panel))),
            _ => None,
        };
        if let Some(step) = step {
            self.steps += 1;
            self.table.take(step, chance);
        }
    }
}

#[test]
fn a_playout_goes_by_the_rules() {
    let mut empty_pools = 0;
    for number in 0..300 {
        let (seats, seed) = (2 + number as usize % 3, Seed::try_from(number).unwrap());
        let (numbers, panels) = if number % 4 == 0 { (6, 2) } else { (12, 4) };
        let rules = Rules {
            rounds: 1,
            numbers,
            panels,
            ..Rules::default()
        };
        let deck = Panel::all(rules.deck()).mask() as u32;
        let mut game = Match::<Coda>::new(&rules, seats, seed).unwrap();
        let (mut chance, mut seen) = (seed.stream("moves", 0), 0);
        let mut follower = Follower {
            table: Table {
                seats,
                deck,
                ..Table::default()
            },
            ..Follower::default()
        };
        while !game.is_over() {
            for seat in game.to_act() {
                let action = game.game().sample(seat, &mut chance);
                game.reply(seat, Reply::Act(action)).unwrap();
            }
            for event in &game.events()[seen..] {
                follower.see(event, &mut chance);
            }
            seen = game.events().len();
        }
        empty_pools += usize::from(follower.table.pool == 0);
        let points = game
            .verdict()
            .unwrap()
            .outcome
            .seats
            .map(|score| score.points);
        assert!(
            points.iter().eq(&follower.table.points[..seats]),
            "{points:?} {:?}",
            follower.table
        );
    }
    assert!(empty_pools > 20, "{empty_pools} rounds with an empty pool");
}

#[test]
fn every_playout_ends() {
    let mut chance = Seed::try_from(1).unwrap().stream("ends", 0);
    for round in 0..2_000 {
        let seats = 2 + round % 3;
        let mut shuffled: Vec<u32> = (0..PANELS as u32).collect();
        chance.shuffle(&mut shuffled);
        let deck = (1 << PANELS) - 1;
        let mut table = Table {
            seats,
            deck,
            pool: deck,
            ..Table::default()
        };
        for (nth, panel) in shuffled.iter().take(4 * seats).enumerate() {
            table.codes[nth % seats] |= bit(*panel);
            table.pool &= !bit(*panel);
        }
        let first = Step::Draw(table.pool);
        let points = table.finish(first, std::iter::empty(), &mut chance);
        let all: i32 = points.iter().sum();
        assert!(
            all >= 5 + 3,
            "somebody was exposed, and somebody won: {points:?}"
        );
    }
}
