//! `arena check --game ./my-game`: plays random matches of a game that is a program, and checks that the game keeps its promises.

mod positions;

use std::thread;

use arena_engine::chance::{Chance, Seed};
use arena_engine::fault::Fault;
use arena_engine::record::{Replied, Reply};
use arena_engine::seat::Seat;
use arena_engine::set::Set;
use arena_engine::table::{self, Entry, Json, RawRecord, Table};
use serde_json::Value;

use self::positions::{
    broken, difference, drawn, hidden_difference, new_events, others, position, transcript,
};
use super::report::{CheckedBot, Finding, Mark, Steps};
use crate::cli::Check;

/// Number of random matches over all numbers of seats.
const MATCHES: u64 = 200;
/// Number of positions, per step, in which an unusual event is tried.
const POSITIONS: u32 = 100;
/// Number of replies after which a match counts as endless.
const MAX_REPLIES: usize = 20_000;
/// Number of attempts to draw a legal action that differs from the one that was played.
const DRAWS: u32 = 8;
/// Advice for a game whose matches do not depend on the seed and the replies alone.
const DETERMINISM: &str = "draw everything at random from the seed of `deal`, keep the state of each match apart, and use no clock and no order \
of hash tables";

/// The fact found by a step, and its finding, if any.
type StepResult = anyhow::Result<(String, Option<Finding>)>;

/// A game under check.
struct GameCheck<'a> {
    game: &'static Entry,
    report: Steps,
    seats: Option<usize>,
    rules: &'a Value,
}

/// A finished random match.
struct Finished {
    record: RawRecord,
    text: Json,
    transcript: Vec<String>,
}

/// Checks a game, and returns the results.
pub fn check(args: &Check, name: &str, rules: &Value) -> anyhow::Result<CheckedBot> {
    let game = table::get(name).map_err(anyhow::Error::msg)?;
    let check = GameCheck {
        game,
        report: Steps::new(args),
        seats: args.seats,
        rules,
    };
    let mut chance = Seed::try_from(1)
        .map_err(anyhow::Error::msg)?
        .stream("check", 0);
    let finished = check.random_matches(&mut chance)?;
    // The other steps need matches that can be repeated.
    let is_repeatable =
        !finished.is_empty() && check.step("the same replies again", || check.again(&finished))?;
    if is_repeatable {
        check.step("several matches at once", || check.together(&finished))?;
        check.step("other values than the prompts offer", || {
            check.illegal(&finished, &mut chance)
        })?;
        check.step("seats that are late or leave", || {
            check.absent(&finished, &mut chance)
        })?;
        check.step("choices that others must not see", || {
            check.secrets(&finished, &mut chance)
        })?;
    }
    let untried = (!is_repeatable).then(|| "other steps wait until that is fixed".to_owned());
    check
        .report
        .close(table::plain_name(name), "game", Vec::new(), untried)
}

impl GameCheck<'_> {
    /// Runs a step, which returns a fact and a finding. Returns `true` unless the step has failed.
    fn step(&self, title: &str, run: impl FnOnce() -> StepResult) -> anyhow::Result<bool> {
        self.report.begin(title);
        let (fact, found) = run()?;
        Ok(self.report.end(fact, found)? < Mark::Failed)
    }

    /// Plays random matches with each number of seats. Returns no matches if any match has failed.
    fn random_matches(&self, chance: &mut Chance) -> anyhow::Result<Vec<Finished>> {
        let sizes = self.game.seats.clone();
        let sizes: Vec<usize> = sizes
            .filter(|seats| self.seats.is_none_or(|wanted| wanted == *seats))
            .collect();
        let mut all = Vec::new();
        for seats in &sizes {
            let count = MATCHES / sizes.len() as u64;
            self.report
                .begin(format!("{count} random matches, {seats} seats"));
            let mut turns = 0;
            let mut finding = None;
            for number in 1..=count {
                match self.random_match(*seats, number, chance) {
                    Ok(finished) => {
                        turns += finished.record.replies.len();
                        all.push(finished);
                    }
                    Err(found) => {
                        finding = Some(found);
                        break;
                    }
                }
            }
            let has_failed = finding.is_some();
            self.report.end(format!("{turns} turns"), finding)?;
            if has_failed {
                return Ok(Vec::new());
            }
        }
        Ok(all)
    }

    fn random_match(
        &self,
        seats: usize,
        number: u64,
        chance: &mut Chance,
    ) -> Result<Finished, Finding> {
        let seed = Seed::try_from(number).expect("matches are few");
        let dealt = self
            .game
            .rulebook
            .dealer(self.rules, seats)
            .and_then(|dealer| dealer.deal(seed));
        let mut table = dealt.map_err(|why| {
            Finding::failed(
                format!("no match can be dealt: {why}"),
                "fix the cause that is named above",
            )
        })?;
        while table.verdict().is_none() {
            let Some(seat) = table.to_act().into_iter().next() else {
                return Err(broken(&*table));
            };
            let prompt = table.prompt(seat);
            let action = drawn(&prompt, chance);
            let _ = table.reply(seat, Reply::Act(&action.to_string()));
            if table.broken().is_some() {
                return Err(broken(&*table));
            }
            if let Some(fault) = table.fault(seat) {
                let found = Finding::failed(
                    format!("an action that the prompt of seat {seat} offers is refused: {fault}"),
                    "let prompts list legal values only: every choice of an option and of one value for each field",
                );
                return Err(found
                    .show("its prompt", prompt.as_str())
                    .show("the action", &action.to_string()));
            }
            if table.replies() > MAX_REPLIES {
                let found = Finding::failed(
                    format!("a match has not ended after {MAX_REPLIES} random replies"),
                    "limit the number of turns, so that every match ends",
                );
                return Err(found.show("the last prompt", prompt.as_str()));
            }
        }
        Ok(Finished {
            record: table.record(),
            text: table.record_text(),
            transcript: transcript(&mut *table),
        })
    }

    /// Opens the table of a match as it was at one of its turns.
    fn at(&self, record: &RawRecord, turn: usize) -> anyhow::Result<Box<dyn Table>> {
        let mut table = self.game.rulebook.open(record)?;
        for Replied(seat, reply) in &record.replies[..turn] {
            table.reply(*seat, reply.as_ref().map(Json::as_str))?;
        }
        Ok(table)
    }

    /// Tries actions that no prompt offers, and checks that the game refuses them.
    fn illegal(&self, finished: &[Finished], chance: &mut Chance) -> StepResult {
        let mut tried = 0;
        for _ in 0..POSITIONS {
            let (record, turn) = position(finished, chance);
            let Replied(seat, _) = record.replies[turn];
            let prompt = self.at(record, turn)?.prompt(seat);
            for action in others(&prompt, chance) {
                let mut table = self.at(record, turn)?;
                let _ = table.reply(seat, Reply::Act(&action.to_string()));
                for Replied(seat, reply) in &record.replies[turn + 1..] {
                    // The action is revealed when all replies to the turn have arrived.
                    if table.replies() > turn || table.broken().is_some() {
                        break;
                    }
                    let _ = table.reply(*seat, reply.as_ref().map(Json::as_str));
                }
                tried += 1;
                let shown = |found: Finding| {
                    found
                        .show("its prompt", prompt.as_str())
                        .show("the action", &action.to_string())
                };
                if table.broken().is_some() {
                    return Ok((String::new(), Some(shown(broken(&*table)))));
                }
                if table.fault(seat).is_none() {
                    let found = Finding::failed(
                        format!("seat {seat} plays an action that its prompt does not offer"),
                        "answer `illegal` to everything that the prompt does not offer: bots and people believe the prompt",
                    );
                    return Ok((String::new(), Some(shown(found))));
                }
            }
        }
        Ok((format!("{tried} actions refused"), None))
    }

    /// Lets seats be late or forfeit, and then plays on at random.
    fn absent(&self, finished: &[Finished], chance: &mut Chance) -> StepResult {
        let (mut penalties, mut forfeits) = (0, 0);
        for number in 0..POSITIONS {
            let (record, turn) = position(finished, chance);
            let Replied(seat, _) = record.replies[turn];
            let mut table = self.at(record, turn)?;
            let is_late = number % 2 == 0;
            let reply = if is_late {
                Reply::Late
            } else {
                Reply::Failed(Fault::left())
            };
            let _ = table.reply(seat, reply);
            while table.verdict().is_none() && table.replies() < MAX_REPLIES {
                let Some(seat) = table.to_act().into_iter().next() else {
                    break;
                };
                let action = drawn(&table.prompt(seat), chance);
                let _ = table.reply(seat, Reply::Act(&action.to_string()));
            }
            if table.verdict().is_none() {
                let found = if table.broken().is_some() {
                    broken(&*table)
                } else {
                    Finding::failed(
                        "the match does not end any longer",
                        "let matches end when seats have left",
                    )
                };
                let what = if is_late { "late" } else { "gone" };
                return Ok((
                    String::new(),
                    Some(found.show("before", &format!("seat {seat} was {what} at turn {turn}"))),
                ));
            }
            match table.fault(seat) {
                None => penalties += 1,
                Some(_) => forfeits += 1,
            }
        }
        Ok((format!("{penalties} played on, {forfeits} forfeited"), None))
    }

    /// Replays all matches in this process of the game, and in another one.
    fn again(&self, finished: &[Finished]) -> StepResult {
        let differs = |process: &str| {
            finished.iter().find_map(|first| {
                let again = self.game.rulebook.replay(first.text.as_str());
                let found = match again {
                    Ok(mut table) => difference(&first.transcript, &transcript(&mut *table)),
                    Err(why) => Some([String::new(), why.to_string()]),
                };
                let [then, now] = found?;
                let what =
                    format!("the seed and replies of a match give another match in {process}");
                Some(
                    Finding::failed(what, DETERMINISM)
                        .show("first", &then)
                        .show("then", &now),
                )
            })
        };
        let here = differs("the same process");
        let found = here.or_else(|| {
            // Each thread has a separate process.
            thread::scope(|scope| {
                scope
                    .spawn(|| differs("another process"))
                    .join()
                    .ok()
                    .flatten()
            })
        });
        Ok((
            format!("{} matches, in two processes", finished.len()),
            found,
        ))
    }

    /// Plays pairs of matches alternately in one process.
    fn together(&self, finished: &[Finished]) -> StepResult {
        let pairs = finished.chunks_exact(2);
        let count = pairs.len();
        for pair in pairs {
            let mut tables = [self.at(&pair[0].record, 0)?, self.at(&pair[1].record, 0)?];
            let longest = pair.iter().map(|one| one.record.replies.len()).max();
            for turn in 0..longest.unwrap_or_default() {
                for (table, one) in tables.iter_mut().zip(pair) {
                    if let Some(Replied(seat, reply)) = one.record.replies.get(turn) {
                        let _ = table.reply(*seat, reply.as_ref().map(Json::as_str));
                    }
                }
            }
            for (table, one) in tables.iter_mut().zip(pair) {
                if let Some([alone, beside]) =
                    difference(&one.transcript, &transcript(&mut **table))
                {
                    let what =
                        "a match is another one if a second match is played alternately with it";
                    let found = Finding::failed(what, DETERMINISM);
                    return Ok((
                        String::new(),
                        Some(found.show("alone", &alone).show("with another", &beside)),
                    ));
                }
            }
        }
        Ok((format!("{count} pairs"), None))
    }

    /// Replaces one action of a match by another legal one. Other seats must not notice, unless they see an event that differs.
    fn secrets(&self, finished: &[Finished], chance: &mut Chance) -> StepResult {
        let mut tried = 0;
        for _ in 0..POSITIONS {
            let (record, turn) = position(finished, chance);
            let Replied(actor, Reply::Act(played)) = &record.replies[turn] else {
                continue;
            };
            let mut tables = [self.at(record, turn)?, self.at(record, turn)?];
            let prompt = tables[0].prompt(*actor);
            let other = (0..DRAWS)
                .map(|_| drawn(&prompt, chance))
                .find(|action| *action != played.value());
            let Some(other) = other else { continue };
            let other = other.to_string();
            let mut seats = Seat::all(record.seats);
            seats.remove(*actor);
            // The events up to this point are the same.
            seats
                .into_iter()
                .for_each(|seat| drop(new_events(&mut tables, seat)));
            let played_too = tables[0].reply(*actor, Reply::Act(played.as_str())).is_ok()
                && tables[1].reply(*actor, Reply::Act(&other)).is_ok();
            if !played_too {
                continue;
            }
            tried += 1;
            if let Some(found) = self.told_apart(record, turn + 1, &mut tables, seats) {
                let found = found
                    .show("the action", played.as_str())
                    .show("exchanged for", &other);
                return Ok((String::new(), Some(found)));
            }
        }
        Ok((format!("{tried} actions exchanged"), None))
    }

    /// Continues two matches that differ in one action. Returns a finding if a seat can tell them apart by anything but an event that it
    /// sees in full.
    fn told_apart(
        &self,
        record: &RawRecord,
        from: usize,
        tables: &mut [Box<dyn Table>; 2],
        mut seats: Set<Seat>,
    ) -> Option<Finding> {
        for turn in from..=record.replies.len() {
            let [left, right] = tables.each_ref().map(|table| table.to_act());
            if tables.iter().any(|table| table.broken().is_some()) {
                return None;
            }
            for seat in seats {
                let [one, two] = new_events(tables, seat);
                if one != two {
                    seats.remove(seat);
                    if let Some((a, b)) = hidden_difference(tables, &one, &two) {
                        let what = format!(
                            "seat {seat} sees only a part of an event, and that part shows what another seat has chosen"
                        );
                        let help = "if the choice is secret, leave it out of what `seen` gives to other seats; if it is not, ignore this";
                        return Some(
                            Finding::warning(what, help)
                                .show("it sees", &a)
                                .show("instead of", &b),
                        );
                    }
                    continue;
                }
                let [a, b] = tables.each_mut().map(|table| table.view(seat));
                if a != b {
                    let what = format!(
                        "the view of seat {seat} shows what another seat has chosen, although it has seen no event of it"
                    );
                    let found =
                        Finding::failed(what, "build views only from what the seat has seen");
                    return Some(
                        found
                            .show("its view", a.as_str())
                            .show("instead of", b.as_str()),
                    );
                }
                if left.contains(seat) && right.contains(seat) {
                    let [a, b] = tables.each_ref().map(|table| table.prompt(seat));
                    if a != b {
                        let what = format!(
                            "the prompt of seat {seat} shows what another seat has chosen, although it has seen no event of it"
                        );
                        let help = "build prompts only from what the seat has seen";
                        let found = Finding::failed(what, help);
                        return Some(
                            found
                                .show("its prompt", a.as_str())
                                .show("instead of", b.as_str()),
                        );
                    }
                }
            }
            let Replied(next, reply) = record.replies.get(turn)?;
            if seats.is_empty() || left != right || !left.contains(*next) {
                return None;
            }
            for table in tables.iter_mut() {
                table.reply(*next, reply.as_ref().map(Json::as_str)).ok()?;
            }
        }
        None
    }
}
