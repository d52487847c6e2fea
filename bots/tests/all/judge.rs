//! The judge of Coda: alike each time, lenient with its own play, and it finds what was thrown away.

use std::sync::{Arc, Mutex};

use arena_bots::bot::Renewed;
use arena_bots::coda::judge::Judging;
use arena_bots::decision::{Decision, Judged};
use arena_bots::judge;
use arena_bots::roster;
use arena_engine::chance::{Chance, Seed};
use arena_engine::game::Prompt as _;
use arena_engine::games::coda::Coda;
use arena_engine::games::coda::prompt::Prompt;
use arena_engine::games::coda::types::{Action, Event, Rules};
use arena_engine::machine::Match;
use arena_engine::player::{Player, Start, play};
use arena_engine::seat::Seat;

type Bot = Box<dyn Player<Coda>>;

fn builtin(name: &str) -> Bot {
    roster::make::<Coda>(name).unwrap()
}

fn judging() -> Bot {
    Box::new(Renewed::<Judging>::default())
}

fn played(rules: &Rules, seed: u64, bots: &mut [Bot]) -> Match<Coda> {
    let mut table = Match::<Coda>::new(rules, bots.len(), Seed::try_from(seed).unwrap()).unwrap();
    play(&mut table, bots, |_| None);
    assert!(Seat::all(bots.len()).into_iter().all(|seat| table.fault(seat).is_none()));
    table
}

fn judged(table: &Match<Coda>) -> Judged {
    judge::of("coda").unwrap().judge(&serde_json::to_string(table.record()).unwrap()).unwrap()
}

fn one_round() -> Rules {
    Rules { rounds: 1, ..Rules::default() }
}

/// Plays as `rollouts` does, but throws one decision in twenty away, and notes the turn, counted over its own.
struct Careless {
    bot: Bot,
    chance: Option<Chance>,
    asked: usize,
    thrown: Arc<Mutex<Vec<usize>>>,
}

impl Player<Coda> for Careless {
    fn start(&mut self, start: &Start<'_, Rules>) {
        self.bot.start(start);
        self.chance = Some(start.seed.stream("careless", 0));
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        let action = self.bot.act(events, prompt);
        self.asked += 1;
        let chance = self.chance.as_mut().unwrap();
        let random = prompt.pick(chance);
        if !matches!(random, Action::Attack { .. }) || random == action || chance.below(20) > 0 {
            return action;
        }
        self.thrown.lock().unwrap().push(self.asked - 1);
        random
    }
}

#[test]
fn the_same_match_is_judged_alike() {
    let rules = Rules { dashes: true, ..one_round() };
    let table = played(&rules, 3, &mut ["rollouts", "exact", "random", "bayesian"].map(builtin));
    let judged_once = judged(&table);
    assert_eq!(judged_once, judged(&table));
    assert_eq!(judged_once, serde_json::from_str(&serde_json::to_string(&judged_once).unwrap()).unwrap());
    assert!(judged_once.decisions.iter().any(|decision| decision.listed), "{judged_once:#?}");
    assert!(judge::of("code-777").is_none());
}

#[test]
fn its_own_play_loses_next_to_nothing() {
    let all: Vec<Decision> =
        (0..40).flat_map(|deal| judged(&played(&one_round(), deal, &mut [judging(), judging()])).decisions).collect();
    let lost = all.iter().map(|decision| decision.lost).sum::<f64>() / all.len() as f64;
    let listed = all.iter().filter(|decision| decision.listed).count();
    assert!(lost < 0.003, "{lost} of {} decisions", all.len());
    assert!(listed * 50 <= all.len(), "{listed} of {}", all.len());
}

#[test]
fn it_finds_what_was_thrown_away() {
    let (mut listed, mut thrown) = (Vec::new(), 0);
    for deal in 0..60 {
        let turns = Arc::new(Mutex::new(Vec::new()));
        let careless = Careless { bot: judging(), chance: None, asked: 0, thrown: turns.clone() };
        let table = played(&one_round(), deal, &mut [Box::new(careless), builtin("rollouts")]);
        let own: Vec<usize> = table
            .record()
            .replies
            .iter()
            .enumerate()
            .filter(|(_, reply)| reply.0.0 == 0)
            .map(|(turn, _)| turn)
            .collect();
        let turns: Vec<usize> = turns.lock().unwrap().iter().map(|asked| own[*asked]).collect();
        thrown += turns.len();
        let mine = judged(&table).decisions.into_iter().filter(|decision| decision.listed && decision.seat.0 == 0);
        listed.extend(mine.map(|decision| (decision.lost, turns.contains(&decision.turn))));
    }
    listed.sort_by(|one, other| other.0.total_cmp(&one.0));
    listed.truncate(thrown);
    let found = listed.iter().filter(|(_, was_thrown)| *was_thrown).count();
    assert!(thrown >= 15 && found * 10 >= thrown * 7, "{found} of {thrown}");
}
