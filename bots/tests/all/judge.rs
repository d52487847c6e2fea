//! Tests of the Coda judge: it is deterministic, lenient with its own play, and finds decisions that were thrown away.

use std::sync::{Arc, Mutex};

use arena_bots::bot::Renewed;
use arena_bots::coda::judge::Judging;
use arena_bots::decision::{Decision, Judged, Valued};
use arena_bots::judge;
use arena_bots::roster;
use arena_engine::chance::{Chance, Seed};
use arena_engine::game::Prompt as _;
use arena_engine::games::coda::Coda;
use arena_engine::games::coda::prompt::Prompt;
use arena_engine::games::coda::types::{Action, Event, Rules};
use arena_engine::insight::insights;
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
    assert!(
        Seat::all(bots.len())
            .into_iter()
            .all(|seat| table.fault(seat).is_none())
    );
    table
}

fn judged(table: &Match<Coda>) -> Judged {
    judge::find("coda")
        .unwrap()
        .judge(&serde_json::to_string(table.record()).unwrap())
        .unwrap()
}

fn one_round() -> Rules {
    Rules {
        rounds: 1,
        ..Rules::default()
    }
}

/// A player that plays like `rollouts`, but makes one decision in twenty at random, and records the index of that decision.
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
    let rules = Rules {
        dashes: true,
        ..one_round()
    };
    let table = played(
        &rules,
        3,
        &mut ["rollouts", "exact", "random", "bayesian"].map(builtin),
    );
    let judged_once = judged(&table);
    assert_eq!(judged_once, judged(&table));
    assert_eq!(
        judged_once,
        serde_json::from_str(&serde_json::to_string(&judged_once).unwrap()).unwrap()
    );
    assert!(
        judged_once.decisions.iter().any(|decision| decision.listed),
        "{judged_once:#?}"
    );
    assert!(judge::find("code-777").is_none());
}

#[test]
fn its_own_play_loses_next_to_nothing() {
    let all: Vec<Decision> = (0..8)
        .flat_map(|deal| judged(&played(&one_round(), deal, &mut [judging(), judging()])).decisions)
        .collect();
    let lost = all.iter().map(|decision| decision.lost).sum::<f64>() / all.len() as f64;
    let listed = all.iter().filter(|decision| decision.listed).count();
    assert!(lost < 0.003, "{lost} of {} decisions", all.len());
    assert!(listed * 50 <= all.len(), "{listed} of {}", all.len());
}

#[test]
fn it_finds_what_was_thrown_away() {
    let (mut listed, mut thrown) = (Vec::new(), 0);
    for deal in 0..12 {
        let turns = Arc::new(Mutex::new(Vec::new()));
        let careless = Careless {
            bot: judging(),
            chance: None,
            asked: 0,
            thrown: turns.clone(),
        };
        let table = played(
            &one_round(),
            deal,
            &mut [Box::new(careless), builtin("rollouts")],
        );
        let own: Vec<usize> = table
            .record()
            .replies
            .iter()
            .enumerate()
            .filter(|(_, reply)| reply.0.0 == 0)
            .map(|(turn, _)| turn)
            .collect();
        let turns: Vec<usize> = turns
            .lock()
            .unwrap()
            .iter()
            .map(|asked| own[*asked])
            .collect();
        thrown += turns.len();
        let mine = judged(&table)
            .decisions
            .into_iter()
            .filter(|decision| decision.listed && decision.seat.0 == 0);
        listed.extend(mine.map(|decision| (decision.lost, turns.contains(&decision.turn))));
    }
    listed.sort_by(|one, other| other.0.total_cmp(&one.0));
    listed.truncate(thrown);
    let found = listed.iter().filter(|(_, was_thrown)| *was_thrown).count();
    assert!(
        thrown >= 4 && found * 10 >= thrown * 7,
        "{found} of {thrown}"
    );
}

#[test]
fn every_certain_hit_is_rated_and_nothing_less_likely_is_preferred_without_reason() {
    let (mut with_certain, mut preferred) = (0, 0);
    for deal in 0..12 {
        let seats = 2 + deal as usize % 3;
        let rules = Rules {
            dashes: deal % 4 == 3,
            ..one_round()
        };
        let names = ["exact", "random", "rollouts", "excluding"];
        let mut bots: Vec<Bot> = (0..seats)
            .map(|seat| builtin(names[(seat + deal as usize) % 4]))
            .collect();
        let table = played(&rules, deal, &mut bots);
        let known = insights::<Coda>(table.record(), usize::MAX).unwrap();
        for decision in judged(&table)
            .decisions
            .iter()
            .filter(|decision| ["attack", "stop"].contains(&&*decision.kind))
        {
            let counted = &known
                .iter()
                .find(|insight| insight.turn == decision.turn)
                .unwrap()
                .likeliest;
            let is_certain = |option: &&Valued| option.chance == Some(1.0);
            let rated: Vec<&Valued> = decision.options.iter().filter(is_certain).collect();
            assert_eq!(
                rated.len(),
                counted
                    .iter()
                    .filter(|(_, chance)| *chance > 1.0 - 1e-9)
                    .count(),
                "{decision:#?}"
            );
            let best = &decision.options[0];
            with_certain += usize::from(!rated.is_empty());
            if !is_certain(&best) {
                preferred += usize::from(!rated.is_empty());
                for certain in rated {
                    assert!(
                        best.wins - certain.wins > best.error + certain.error - 2e-4,
                        "deal {deal}: {decision:#?}"
                    );
                }
            }
            assert!(
                decision.played > 0 || (decision.lost, decision.error) == (0.0, 0.0),
                "{decision:#?}"
            );
        }
    }
    assert!(
        with_certain > 80 && preferred * 10 < with_certain,
        "{preferred} of {with_certain}"
    );
}

#[test]
fn a_mistake_is_put_in_words_with_what_was_likely_and_certain() {
    let option = |action: &str, wins, chance| Valued {
        action: action.into(),
        wins,
        error: 0.008,
        chance,
    };
    let options = vec![
        option("D1 at 0", 0.49, Some(0.27)),
        option("L11 at 3", 0.43, Some(0.31)),
    ];
    let decision = Decision {
        turn: 3,
        seat: Seat(0),
        kind: "attack".into(),
        played: 1,
        lost: 0.06,
        error: 0.009,
        listed: true,
        right: None,
        options,
    };
    let first =
        "played L11 at 3 (31 % likely), wins 43 %; better: D1 at 0 (27 % likely), wins 49 ± 1 %";
    assert_eq!(decision.to_string(), first);
    let certain = option("L0 at 0", 0.46, Some(1.0));
    let with = |options| {
        Decision {
            options,
            ..decision.clone()
        }
        .to_string()
    };
    let [best, played] = [0, 1].map(|index: usize| decision.options[index].clone());
    assert_eq!(
        with(vec![best, played.clone(), certain.clone()]),
        format!("{first}; or L0 at 0 (a certain hit), wins 46 %")
    );
    let words = with(vec![
        certain,
        Valued {
            chance: None,
            action: "stop".into(),
            ..played
        },
    ]);
    assert_eq!(
        words,
        "played stop, wins 43 %; better: L0 at 0 (a certain hit), wins 46 ± 1 %"
    );
}
