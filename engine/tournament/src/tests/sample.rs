//! Sample tournaments and matches for tests.
#![allow(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a test fails by panicking"
)]

use crate::clock::TimeControl;
use crate::deals::{Deal, Deals, Scored};
use crate::entrant::{Bot, Entrant};
use crate::field::Seatings;
use crate::formats::Choice;
use crate::spec::{Conditions, Local, Plan, Spec};
use arena_engine::chance::Seed;
use arena_engine::fault::{Cause, Fault};
use arena_engine::game::Game;
use arena_engine::games::coda::Coda;
use arena_engine::machine::Match;
use arena_engine::outcome::{Ended, Outcome, Score, Verdict};
use arena_engine::record::Reply;
use arena_engine::seat::{BySeat, Seat};
use arena_engine::table::Json;
use serde_json::json;

use crate::played::{Evidence, MoveTime, Note, Played, Times};

/// Returns a round robin of these bots: all orders at tables of two seats, and all rotations at larger tables.
pub fn tournament(bots: &[&str], seats: usize, deals: u32) -> Spec {
    Spec {
        name: "sample cup".into(),
        anchor: None,
        plan: Plan {
            game: "coda".into(),
            rules_version: 1,
            rules: json!({"rounds": 3, "late_moves": 2}),
            format: Choice::default(),
            test: None,
            seats,
            seatings: Seatings::Rotations,
            deals,
            seed: Seed::try_from(7).unwrap(),
        },
        conditions: Conditions {
            clock: TimeControl {
                move_ms: Some(1000),
                ..TimeControl::default()
            },
            ..Conditions::default()
        },
        local: Local::default(),
        tune: Vec::new(),
        bots: bots
            .iter()
            .map(|name| Entrant::new(*name, Bot::Builtin("random".into())))
            .collect(),
        left_out: Vec::new(),
        pseudonyms: false,
        earlier_sizes: Vec::new(),
        earlier_seeds: Vec::new(),
        closed: false,
    }
}

/// Returns a verdict with these places and points, in which these seats crashed.
pub fn verdict(scores: &[(u8, i32)], faults: &[u8]) -> Verdict {
    let score = |seat: Seat| {
        let (place, points) = scores[seat.index()];
        // Written as text, because the order matters.
        let breakdown =
            format!("{{\"hits\":{points},\"exposures\":0,\"round_wins\":0,\"bonus\":0}}");
        Score {
            place,
            points,
            breakdown: serde_json::from_str(&breakdown).unwrap(),
        }
    };
    let fault = |seat: Seat| faults.contains(&seat.0).then_some(exited());
    Verdict {
        outcome: Outcome {
            seats: BySeat::new(scores.len(), score),
        },
        ended: if faults.is_empty() {
            Ended::Played
        } else {
            Ended::Forfeit
        },
        faults: BySeat::new(scores.len(), fault),
    }
}

/// Returns a match with this verdict and an empty record.
pub fn decided(deal: u32, bots: &[&str], verdict: Verdict) -> Played {
    Played {
        deal,
        bots: bots.iter().map(|bot| (*bot).into()).collect(),
        record: Json::new(&()),
        verdict,
        notes: Vec::new(),
        evidence: Vec::new(),
        voids: Vec::new(),
        times: Times::default(),
    }
}

/// Returns the fault of a program that exited with code 1.
fn exited() -> Fault {
    Fault {
        known: Some(Json::new(&serde_json::json!({"exited": {"code": 1}}))),
        ..Fault::new(Cause::Crash, "exited with code 1")
    }
}

/// Plays a real match between random bots. `failing` is a seat, and its number of replies before it fails.
pub fn really(number: u64, deal: u32, bots: &[&str], failing: Option<(u8, u32)>) -> Played {
    let seed = Seed::try_from(7).unwrap().child("deal", deal.into());
    let mut chance = seed.stream("players", number);
    let mut table = Match::<Coda>::new(&Default::default(), bots.len(), seed).unwrap();
    let mut turn = 0;
    while !table.is_over() {
        for seat in table.to_act() {
            let act = Reply::Act(table.game().sample(seat, &mut chance));
            let fails = failing.is_some_and(|(bot, after)| bot == seat.0 && turn >= after);
            let fault = exited();
            table
                .reply(seat, if fails { Reply::Failed(fault) } else { act })
                .unwrap();
            turn += 1;
        }
    }
    let finished = table.finish().unwrap();
    Played {
        record: Json::new(&finished.record),
        notes: vec![Note {
            turn: 0,
            seat: Seat(0),
            text: "a guess".into(),
        }],
        evidence: failing
            .map(|(seat, turn)| evidence(seat, turn))
            .into_iter()
            .collect(),
        voids: Vec::new(),
        times: Times {
            wall_us: 1234,
            moves: vec![MoveTime {
                turn: 3,
                seat: Seat(0),
                wall_us: 30,
                cpu_us: Some(20),
            }],
        },
        ..decided(deal, bots, finished.verdict)
    }
}

fn evidence(seat: u8, turn: u32) -> Evidence {
    Evidence {
        seat: Seat(seat),
        turn,
        sent: vec!["{\"turn\":{}}".into()],
        received: vec!["oops".into()],
        stderr: "Traceback".into(),
        exit: Some("status 1".into()),
        is_unplayed: false,
    }
}

/// Returns a tournament of two bots with four real matches on two deals, one of which was forfeited.
pub fn small() -> (Spec, Vec<Played>) {
    let matches = vec![
        really(0, 0, &["ann", "bob"], None),
        really(1, 0, &["bob", "ann"], None),
        really(2, 1, &["ann", "bob"], Some((1, 20))),
        really(3, 1, &["bob", "ann"], None),
    ];
    (tournament(&["ann", "bob"], 2, 2), matches)
}

/// Returns the deals of these matches, in order.
pub fn gathered(mut gathering: Deals, matches: impl IntoIterator<Item = Scored>) -> Vec<Deal> {
    let mut deals: Vec<Deal> = matches
        .into_iter()
        .filter_map(|scored| gathering.add_in_any_order(scored))
        .collect();
    deals.extend(std::iter::from_fn(|| gathering.end()));
    deals.sort_by_key(|deal| deal.number);
    deals
}

/// Returns a complete tournament of these bots, in which earlier bots tend to be stronger.
pub fn cup(bots: &[&str], deals: u32) -> (Spec, Vec<Played>) {
    let tournament = tournament(bots, 2, deals);
    let mut all = Vec::new();
    let mut chance = tournament.plan.seed.stream("sample", bots.len() as u64);
    for deal in 1..=deals {
        for (i, row) in bots.iter().enumerate() {
            for (j, column) in bots.iter().enumerate().filter(|(j, _)| *j != i) {
                let mut points = |bot: usize| {
                    4 + (chance.below(24) + chance.below(14) * (bots.len() - bot) as u32 / 3) as i32
                };
                let (mine, theirs) = (points(i), points(j));
                let place = |mine: i32, theirs: i32| if mine < theirs { 2 } else { 1 };
                let scores = [(place(mine, theirs), mine), (place(theirs, mine), theirs)];
                let faults: &[u8] = if all.len() % 97 == 96 { &[1] } else { &[] };
                let scores = if faults.is_empty() {
                    scores
                } else {
                    [(1, mine), (2, theirs)]
                };
                all.push(decided(deal, &[row, column], verdict(&scores, faults)));
            }
        }
    }
    (tournament, all)
}

/// Names that cause harm if they are interpreted as anything but names.
pub const HOSTILE: [&str; 8] = [
    "<script>alert(1)</script>",
    "=HYPERLINK(\"http://x.y\")",
    "a\x1b[2J\x1b]0;owned\x07b\r\n| c |",
    "\u{202e}drawkcab\u{200b}\u{2066}",
    "\"><img src=x onerror=alert(1)> &amp;",
    "[link](javascript:alert(1)) `code` **b** @all",
    "\u{65e5}\u{672c}\u{8a9e}\u{1f980}\u{1f980} a name that is as long as a name can be, and more",
    "</style></title></details>--><svg onload=x>",
];
