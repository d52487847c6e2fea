//! Measures how often a greedy attacker who knows a built-in bot of Coda beats it: a local best response (Lisý and Bowling 2017).
//!
//! The attacker asks the bot what it would have done with each possible hand, and weighs the hands by whether the answers match the bot's
//! actions. It attacks the likeliest panel, and plays like `inferring` in all other decisions. So the attacker's score is a lower bound of
//! the best possible score against the bot.
//!
//! `cargo run --release -p arena-bots --example local_best_response -- BOT DEALS [NUMBERS PANELS]` plays the standard match, or one round
//! of a small game, for which the example `exploit` computes the exact figure.
#![expect(clippy::unwrap_used, reason = "an example")]

use std::collections::BTreeMap;
use std::env;

use arena_bots::coda::exact::MIN_CHANCE_TO_GO_ON;
use arena_bots::roster;
use arena_engine::chance::{Chance, Seed};
use arena_engine::game::Game;
use arena_engine::games::coda::Coda;
use arena_engine::games::coda::count::Count;
use arena_engine::games::coda::known::{Known, Place};
use arena_engine::games::coda::panel::{Face, Panel, Shown};
use arena_engine::games::coda::prompt::{Choice, Prompt};
use arena_engine::games::coda::types::{Action, Event, Rules};
use arena_engine::machine::Match;
use arena_engine::player::{Player, Start, play};
use arena_engine::seat::Seat;
use arena_engine::set::Set;

/// Maximum number of hands that are weighed. If there are more, they are sampled.
const MAX_HANDS: usize = 300;
/// Factor of a hand's weight if the bot would have acted differently with it. The hand stays possible, because the difference may be due to
/// the bot's randomness.
const MISMATCH_FACTOR: f64 = 0.05;
/// Number of seeds with which the bot is asked.
const SEEDS_ASKED: u64 = 2;

/// The attacking player.
struct Attacker {
    bot: String,
    rules: Rules,
    seat: Seat,
    known: Known,
    seen: Vec<Event>,
    plain: Box<dyn Player<Coda>>,
    chance: Chance,
}

impl Attacker {
    fn new(bot: &str, rules: &Rules) -> Self {
        let (seat, seed) = (Seat(0), Seed::try_from(0).unwrap());
        let plain = roster::make::<Coda>("inferring").unwrap();
        let (known, chance) = (Known::new(rules, 2, seat), seed.stream("attacker", 0));
        Self {
            bot: bot.into(),
            rules: rules.clone(),
            seat,
            known,
            seen: Vec::new(),
            plain,
            chance,
        }
    }

    fn victim(&self) -> Seat {
        Seat(1 - self.seat.0)
    }

    /// Returns hands that fit the events: all of them, or a sample.
    fn hands(&mut self) -> Vec<Vec<(Place, Panel)>> {
        let count = Count::new(&self.known, &[], |_, _| 1.0);
        let mut hands = Vec::new();
        if count.total() <= MAX_HANDS as f64 {
            count.list(|hand| hands.push(hand.to_vec()));
        } else {
            for _ in 0..MAX_HANDS {
                let mut hand = Vec::new();
                count.draw(&mut self.chance, |place, panel| hand.push((place, panel)));
                hands.push(hand);
            }
        }
        hands
    }

    /// Returns all events of this round as the bot saw them, assuming that it holds this hand.
    fn events(&self, hand: &[(Place, Panel)]) -> Vec<Event> {
        let victim = self.victim();
        let row = &self.known.view.codes[victim].panels;
        let panel = |at: usize| {
            let held = hand
                .iter()
                .find(|((_, position), _)| usize::from(*position) == at);
            Shown::from(row[at].panel().or(held.map(|(_, panel)| *panel)).unwrap())
        };
        // Go backwards from the end of the round, beginning with the present places of the panels in the code.
        let mut places: Vec<usize> = (0..row.len()).collect();
        let mut drawn = None;
        let mut events: Vec<Event> = Vec::new();
        for event in self.seen.iter().rev() {
            let mut event = event.clone();
            match &mut event {
                Event::Inserted {
                    seat,
                    position,
                    panel: shown,
                    ..
                } if *seat == victim => {
                    *shown = panel(places.remove((*position).into()));
                    drawn = Some(*shown);
                }
                Event::Drew { seat, panel: shown } if *seat == victim => {
                    *shown = drawn.unwrap_or(*shown);
                }
                Event::SetUp { seat, code } if *seat == victim => {
                    code.iter_mut()
                        .zip(&places)
                        .for_each(|(shown, at)| *shown = panel(*at));
                }
                _ => {}
            }
            events.push(Coda::seen_by(&event, victim));
        }
        events.reverse();
        events
    }

    /// Returns the likelihood of the bot's attacks and stops, given this hand.
    fn likelihood(&self, hand: &[(Place, Panel)]) -> f64 {
        let (victim, events) = (self.victim(), self.events(hand));
        let asked = (0..SEEDS_ASKED).map(|seed| {
            let seed = Seed::try_from(seed).unwrap();
            let mut bot = roster::make::<Coda>(&self.bot).unwrap();
            bot.start(&Start {
                rules: &self.rules,
                seat: victim,
                seats: 2,
                seed,
                move_ms: None,
            });
            let mut known = Known::new(&self.rules, 2, victim);
            let mut new = Vec::new();
            let mut may_stop = false;
            let mut fits = 1.0;
            for event in &events {
                let did = match *event {
                    Event::Attacked {
                        seat,
                        target,
                        position,
                        panel,
                        ..
                    } if seat == victim => Some(Action::Attack {
                        seat: target,
                        position,
                        face: panel.face(),
                    }),
                    Event::Stopped { seat } if seat == victim => Some(Action::Stop {}),
                    _ => None,
                };
                if let Some(did) = did {
                    let prompt = self.prompt(&known, may_stop);
                    let does = bot.act(&mut std::mem::take(&mut new).into_iter(), &prompt);
                    fits *= if does == did { 1.0 } else { MISMATCH_FACTOR };
                }
                may_stop = matches!(event, Event::Attacked { hit: true, .. });
                known.see(event);
                new.push(event.clone());
            }
            fits
        });
        asked.sum()
    }

    /// Returns the bot's prompt when it attacks.
    fn prompt(&self, known: &Known, may_stop: bool) -> Prompt {
        let (seat, position) = (Set::one(self.seat), known.view.codes[self.seat].standing);
        let attack = Choice::Attack {
            seat,
            position,
            face: Face::all(self.rules.deck()),
        };
        Prompt(
            std::iter::once(attack)
                .chain(may_stop.then_some(Choice::Stop {}))
                .collect(),
        )
    }
}

impl Player<Coda> for Attacker {
    fn start(&mut self, start: &Start<'_, Rules>) {
        let fresh = Self::new(&self.bot, start.rules);
        *self = Self {
            seat: start.seat,
            known: Known::new(start.rules, 2, start.seat),
            ..fresh
        };
        self.chance = start.seed.stream("attacker", 0);
        self.plain.start(start);
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        let events: Vec<Event> = events.collect();
        for event in &events {
            if let Event::RoundStarted { .. } = event {
                self.seen.clear();
            }
            self.known.see(event);
            self.seen.push(event.clone());
        }
        let plain = self.plain.act(&mut events.into_iter(), prompt);
        let Some(Choice::Attack { .. }) = prompt.0.first() else {
            return plain;
        };
        let mut shares: BTreeMap<(Place, Panel), f64> = BTreeMap::new();
        let mut all = 0.0;
        for hand in self.hands() {
            let weight = self.likelihood(&hand);
            all += weight;
            hand.into_iter()
                .for_each(|(place, panel)| *shares.entry((place, panel)).or_default() += weight);
        }
        let best = shares
            .into_iter()
            .max_by(|one, other| one.1.total_cmp(&other.1))
            .unwrap();
        let (((seat, position), panel), share) = best;
        if prompt.may_stop() && share / all < MIN_CHANCE_TO_GO_ON {
            return Action::Stop {};
        }
        Action::Attack {
            seat,
            position,
            face: panel.face(),
        }
    }
}

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    let (bot, deals) = (words[0].as_str(), words[1].parse::<u64>().unwrap());
    let number = |at: usize, usual: u8| words.get(at).map_or(usual, |word| word.parse().unwrap());
    let rounds = if words.len() > 2 { 1 } else { 3 };
    let rules = Rules {
        rounds,
        numbers: number(2, 12),
        panels: number(3, 4),
        ..Rules::default()
    };
    let (mut sum, mut squares) = (0.0, 0.0);
    for deal in 0..deals {
        let mut score = 0.0;
        for first in [0, 1] {
            let seed = Seed::try_from(77_000_000 + deal).unwrap();
            let mut table = Match::<Coda>::new(&rules, 2, seed).unwrap();
            let mut bots: [Box<dyn Player<Coda>>; 2] = [
                Box::new(Attacker::new(bot, &rules)),
                roster::make::<Coda>(bot).unwrap(),
            ];
            bots.rotate_left(first);
            play(&mut table, &mut bots, |_| None);
            let points = table
                .verdict()
                .unwrap()
                .outcome
                .seats
                .map(|score| score.points);
            let order = points[Seat(first as u8)].cmp(&points[Seat(1 - first as u8)]);
            score += 0.25 * f64::from(order as i8 + 1);
        }
        sum += score;
        squares += score * score;
    }
    let (n, mean) = (deals as f64, sum / deals as f64);
    let error = 1.96 * ((squares / n - mean * mean) / (n - 1.0)).sqrt();
    println!(
        "against {bot}, {deals} deals: {:.1} ± {:.1} % of the matches",
        100.0 * mean,
        100.0 * error
    );
}
