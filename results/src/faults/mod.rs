//! Faults of a tournament with their evidence, late moves that cost only a penalty of the game, and void matches.

mod familiar;
pub mod help;
pub mod illegal;
pub mod log;
mod text;

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use arena_engine::fault::{Cause, Fault};
use arena_engine::record::{Record, Replied, Reply};
use arena_engine::seat::Seat;
use arena_engine::table::{Entry, Json, RawRecord};
use serde::Serialize;
use serde_json::Value;

use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;
use arena_ledger::replay::game;
use arena_tournament::deals::{Scored, SeatResult};
use arena_tournament::entrant::Entrant;
use arena_tournament::played::Played;
use arena_tournament::spec::Spec;

use self::help::Clues;

pub use text::{cause, escaped, in_words, paragraph};
pub(crate) use text::{kinds, times};

/// Faults, late moves and void matches of a tournament.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Faults {
    /// Counts of each bot, most faults first.
    pub bots: Vec<Count>,
    /// Forfeits, in order of deals and bots.
    pub faults: Vec<Failure>,
    /// Late moves that cost no match, in order of deals and bots.
    pub late_moves: Vec<LateMove>,
    /// Void matches, one entry per occurrence, in order of deals and bots.
    pub voids: Vec<VoidMatch>,
}

/// Failure counts of a bot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Count {
    /// Name of the bot.
    pub bot: String,
    /// Number of matches that it forfeited.
    pub faults: u64,
    /// Number of matches that it forfeited, by cause; causes that did not occur are omitted.
    pub by_cause: BTreeMap<Cause, u64>,
    /// Number of late moves that cost no match.
    pub late_moves: u64,
    /// Number of matches that were void because this bot did not get its time or could not be started, or because of a problem that
    /// concerns all bots.
    pub voids: u64,
}

/// Forfeit, with all that is known about it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Failure {
    /// Name of the bot.
    pub bot: String,
    /// Id of the match.
    pub r#match: String,
    /// Index of the reply among those of all seats in the match, counted from 0.
    pub turn: u32,
    /// Seat of the bot.
    pub seat: Seat,
    /// Bots in the other seats, in seat order.
    pub opponents: Vec<String>,
    /// Kind of failure.
    pub cause: Cause,
    /// Description of the failure, in a sentence.
    pub detail: String,
    /// Prompt that the bot had to answer; null if the record cannot be replayed.
    pub prompt: Option<Json>,
    /// Last lines sent to the bot, before the one that names its failure.
    pub sent: Vec<String>,
    /// Last lines received from the bot.
    pub received: Vec<String>,
    /// End of the bot's log.
    pub log: String,
    /// Description of how the process ended; null if it was still running.
    pub exit: Option<String>,
    /// Elapsed time of the move, in microseconds; null if it was not timed.
    pub wall_us: Option<u64>,
    /// CPU time of the bot during the move, in microseconds; null if unknown.
    pub cpu_us: Option<u64>,
    /// Advice on fixing the bot, in a sentence; null if no fix is known.
    pub help: Option<String>,
    /// True if the bot was not started for the match, because it had not become ready several times before.
    pub unplayed: bool,
}

/// Late move that the game's own penalty covered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LateMove {
    /// Name of the bot.
    pub bot: String,
    /// Id of the match.
    pub r#match: String,
    /// Index of the reply among those of all seats in the match, counted from 0.
    pub turn: u32,
    /// Time that the arena waited, in microseconds; null if unknown.
    pub wall_us: Option<u64>,
    /// CPU time of the bot while the arena waited, in microseconds; null if unknown.
    pub cpu_us: Option<u64>,
}

/// Void match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct VoidMatch {
    /// Id of the match.
    pub r#match: String,
    /// Bot that did not get its time or could not be started; null if no bot in particular caused it.
    pub bot: Option<String>,
    /// Reason that the match was void.
    pub why: String,
}

impl Faults {
    /// Collects the faults recorded in the ledger, of all bots or of the one with this name.
    pub fn from_ledger(ledger: &Ledger, bot: Option<&str>) -> Result<Self, LedgerError> {
        let mut names = ledger.spec().names();
        if let Some(bot) = bot {
            names.retain(|name| name == bot);
            if names.is_empty() {
                return Err(LedgerError::Stranger(bot.to_owned()));
            }
        }
        gather_all(ledger, game(ledger.spec())?, names)
    }

    /// Returns true if there are no faults, late moves or void matches.
    pub fn is_empty(&self) -> bool {
        self.faults.is_empty() && self.late_moves.is_empty() && self.voids.is_empty()
    }
}

/// Placeholder for words that are not shown.
pub(crate) const NOT_SHOWN: &str = "(not shown)";

/// The bots whose own words a page may show. Their words are notes, logs, and the lines around failures.
#[derive(Clone, Copy, Debug)]
pub enum Words<'a> {
    /// All bots.
    All,
    /// Only this bot.
    Of(&'a str),
    /// No bot.
    None,
}

impl Words<'_> {
    /// Returns the bots whose words may be published. There are none if bots have pseudonyms, because words might reveal their authors.
    pub fn public(spec: &Spec) -> Self {
        if spec.pseudonyms {
            Self::None
        } else {
            Self::All
        }
    }

    /// Returns true if the words of this bot may be shown.
    pub fn include(self, bot: &str) -> bool {
        match self {
            Self::All => true,
            Self::Of(only) => only == bot,
            Self::None => false,
        }
    }

    /// Redacts a failure unless the words of its bot may be shown.
    pub fn within(self, failure: Failure) -> Failure {
        if self.include(&failure.bot) {
            return failure;
        }
        // These are all fields that may hold words of a bot.
        Failure {
            detail: NOT_SHOWN.into(),
            sent: Vec::new(),
            received: Vec::new(),
            log: String::new(),
            prompt: None,
            exit: None,
            help: None,
            ..failure
        }
    }
}

/// Returns the forfeits of the first matches that have any, in order of deals and bots. If a bot's index is given, only its forfeits count.
/// Reads at most `most` matches, so that a large ledger takes no longer.
pub fn first_forfeits(
    ledger: &Ledger,
    most: usize,
    bot: Option<usize>,
) -> Result<Vec<Failure>, LedgerError> {
    let game = game(ledger.spec())?;
    let (left, mut found) = (Cell::new(most), Vec::new());
    let interest = |scored: &Scored| {
        let mut seated = scored.bots.iter().zip(&scored.seats);
        let is_it = |(who, seat): (&usize, &SeatResult)| {
            seat.fault.is_some() && bot.is_none_or(|bot| bot == *who)
        };
        let failed = left.get() > 0 && seated.any(is_it);
        left.set(left.get() - usize::from(failed));
        failed
    };
    ledger.each_with(interest, |played| {
        let is_its =
            |failure: &Failure| bot.is_none_or(|bot| ledger.spec().bots[bot].name == failure.bot);
        let forfeits = forfeits_of(game, ledger.spec(), &played);
        found.extend(forfeits.into_iter().filter(is_its));
        Ok::<(), LedgerError>(())
    })?;
    Ok(found)
}

/// Returns the forfeits of a match.
pub fn forfeits_of(game: &Entry, spec: &Spec, played: &Played) -> Vec<Failure> {
    let record: Option<RawRecord> = played.record.read().ok();
    let seats = played.verdict.faults.seats();
    let failed = seats.filter_map(|(seat, fault)| {
        Some(failure(
            game,
            spec,
            played,
            record.as_ref(),
            seat,
            fault.as_ref()?,
        ))
    });
    failed.collect()
}

fn gather_all(ledger: &Ledger, game: &Entry, bots: Vec<String>) -> Result<Faults, LedgerError> {
    let mut found = Faults::default();
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    for bot in bots {
        counts.entry(bot.clone()).or_default().bot.clone_from(&bot);
    }
    ledger.each(|played| {
        gather(game, ledger.spec(), &played, &mut found, &mut counts);
        Ok::<(), LedgerError>(())
    })?;
    found.bots = counts.into_values().collect();
    let order = |count: &Count| Reverse((count.faults, count.late_moves, count.voids));
    found.bots.sort_by_key(order);
    Ok(found)
}

/// Adds the faults of one match to `found`, and to the bots in `counts`.
fn gather(
    game: &Entry,
    spec: &Spec,
    played: &Played,
    found: &mut Faults,
    counts: &mut BTreeMap<String, Count>,
) {
    let failed = played.verdict.faults.iter().any(Option::is_some);
    let may_be_late = played.record.as_str().contains("\"late\"");
    if failed || may_be_late {
        // If this program cannot read the record, the verdict and the evidence are still available.
        let record: Option<RawRecord> = played.record.read().ok();
        for (seat, fault) in played.verdict.faults.seats() {
            if let (Some(count), Some(fault)) = (counts.get_mut(name(played, seat)), fault) {
                count.faults += 1;
                *count.by_cause.entry(fault.cause()).or_default() += 1;
                let failure = failure(game, spec, played, record.as_ref(), seat, fault);
                found.faults.push(failure);
            }
        }
        let late = record.iter();
        for late in late.flat_map(|record| late_moves(played, record)) {
            if let Some(count) = counts.get_mut(&late.bot) {
                count.late_moves += 1;
                found.late_moves.push(late);
            }
        }
    }
    for void in &played.voids {
        let bot = void.seat.map(|seat| name(played, seat).to_owned());
        let mut is_counted = false;
        for name in &played.bots {
            if bot.as_ref().is_none_or(|bot| bot == name)
                && let Some(count) = counts.get_mut(name)
            {
                count.voids += 1;
                is_counted = true;
            }
        }
        if is_counted {
            found.voids.push(VoidMatch {
                r#match: played.id(),
                bot,
                why: void.why.clone(),
            });
        }
    }
}

fn name(played: &Played, seat: Seat) -> &str {
    played.bots.get(seat.index()).map_or("", String::as_str)
}

/// Returns the ids of the last answer and of the last turn sent, or `None` unless both can be read.
pub fn ids(sent: &[String], received: &[String]) -> Option<(u64, u64)> {
    let read = |line: &String| serde_json::from_str::<Value>(line).ok();
    let mut latest = sent.iter().rev();
    let turn = latest.find_map(|line| read(line)?["turn"]["id"].as_u64());
    let answer = read(received.last()?)?["id"].as_u64();
    answer.zip(turn)
}

fn failure(
    game: &Entry,
    spec: &Spec,
    played: &Played,
    record: Option<&RawRecord>,
    seat: Seat,
    fault: &Fault,
) -> Failure {
    let mut evidence = played.evidence.iter();
    let evidence = evidence.find(|evidence| evidence.seat == seat);
    let mut evidence = evidence.cloned().unwrap_or_default();
    let turn = record.and_then(|record| last_reply(record, seat));
    let turn = turn.unwrap_or(evidence.turn);
    let (wall_us, cpu_us) = played.time(turn);
    let others = Seat::all(played.bots.len()).into_iter();
    let others = others.filter(|other| *other != seat);
    let last = evidence.sent.last();
    let mut bots = spec.bots.iter();
    let program = bots.find(|bot| bot.name == name(played, seat));
    let program = program.and_then(Entrant::program);
    let clues = Clues {
        game: game.name,
        command: program.map_or(&[], |program| &program.command),
        log: &evidence.stderr,
        wall_us,
        cpu_us,
        ids: ids(&evidence.sent, &evidence.received),
        before_ready: last.is_some_and(|line| line.starts_with("{\"hello\"")),
        ..Clues::default()
    };
    let prompt = record.and_then(|record| prompt(game, record, seat, turn));
    let by_prompt = || {
        let action = illegal::action(evidence.received.last()?)?;
        illegal::help(prompt.as_ref()?, &action)
    };
    let is_illegal = fault.cause() == Cause::Illegal;
    let help = is_illegal.then(by_prompt).flatten();
    let help = help.or_else(|| help::help(&fault.into(), &clues));
    evidence.sent.retain(|line| !line.starts_with("{\"error\""));
    let name = |seat: Seat| name(played, seat).to_owned();
    Failure {
        bot: name(seat),
        r#match: played.id(),
        turn,
        seat,
        opponents: others.map(name).collect(),
        cause: fault.cause(),
        detail: fault.to_string(),
        help,
        prompt,
        sent: evidence.sent,
        received: evidence.received,
        log: evidence.stderr,
        exit: evidence.exit,
        unplayed: evidence.is_unplayed,
        wall_us,
        cpu_us,
    }
}

/// Returns the turn of a seat's last reply. A seat makes no further reply after a failure.
fn last_reply<Rules, Action>(record: &Record<Rules, Action>, seat: Seat) -> Option<u32> {
    let mut replies = record.replies.iter();
    let turn = replies.rposition(|Replied(who, _)| *who == seat)?;
    Some(turn as u32)
}

/// Returns the prompt that a seat answered with this reply of the record.
fn prompt(game: &Entry, record: &RawRecord, seat: Seat, turn: u32) -> Option<Json> {
    let mut table = game.rulebook.open(record).ok()?;
    for Replied(seat, reply) in record.replies.iter().take(turn as usize) {
        table.reply(*seat, reply.as_ref().map(Json::as_str)).ok()?;
    }
    table.to_act().contains(seat).then(|| table.prompt(seat))
}

/// Returns the late moves of a match, except those that made their seat forfeit.
fn late_moves(played: &Played, record: &RawRecord) -> Vec<LateMove> {
    let late = |(turn, Replied(seat, reply)): (usize, &Replied<Json>)| {
        let turn = turn as u32;
        let fatal =
            played.verdict.faults.get(*seat)?.is_some() && last_reply(record, *seat) == Some(turn);
        let (wall_us, cpu_us) = played.time(turn);
        (matches!(reply, Reply::Late) && !fatal).then(|| LateMove {
            bot: name(played, *seat).to_owned(),
            r#match: played.id(),
            turn,
            wall_us,
            cpu_us,
        })
    };
    record.replies.iter().enumerate().filter_map(late).collect()
}
