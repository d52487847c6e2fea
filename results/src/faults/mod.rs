//! Every fault of a tournament with its evidence, the late moves that a game's own penalty covered, and void matches.

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
use arena_tournament::deals::{Scored, Seated};
use arena_tournament::played::Played;
use arena_tournament::spec::Spec;

use self::help::Clues;

pub(crate) use text::kinds;
pub use text::{escaped, in_words, paragraph};

/// All that went wrong in a tournament.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Faults {
    /// The bots, most faults first.
    pub bots: Vec<Count>,
    /// The forfeits, in order of deals and bots.
    pub faults: Vec<Failure>,
    /// The late moves that cost no match, in order of deals and bots.
    pub late_moves: Vec<LateMove>,
    /// The matches that were void, once for each time, in order of deals and bots.
    pub voids: Vec<Void>,
}

/// How often a bot failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Count {
    /// Its name.
    pub bot: String,
    /// The matches that it forfeited.
    pub faults: u64,
    /// The same by cause; causes that did not occur are left out.
    pub by_cause: BTreeMap<Cause, u64>,
    /// Late moves that cost no match.
    pub late_moves: u64,
    /// How often a match was void since it did not have its time or could not be started, or for a reason that concerns all.
    pub voids: u64,
}

/// A forfeit, with all that is known of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Failure {
    /// The bot.
    pub bot: String,
    /// The match.
    pub r#match: String,
    /// Which reply of the match it was, of all seats together, counted from 0.
    pub turn: u32,
    /// Its seat.
    pub seat: Seat,
    /// The bots in the other seats, in their order.
    pub opponents: Vec<String>,
    /// The kind of failure.
    pub cause: Cause,
    /// What happened, in a sentence.
    pub detail: String,
    /// Its prompt; null where the record cannot be replayed.
    pub prompt: Option<Json>,
    /// The last lines that it was sent, before the one that names its failure.
    pub sent: Vec<String>,
    /// The last lines that came from it.
    pub received: Vec<String>,
    /// The end of its own log.
    pub log: String,
    /// How its process ended, if it did.
    pub exit: Option<String>,
    /// How long the move took, in microseconds, if it was timed.
    pub wall_us: Option<u64>,
    /// How long the bot computed in that time, in microseconds, if that is known.
    pub cpu_us: Option<u64>,
    /// How to fix the bot, in a sentence, if that is known.
    pub help: Option<String>,
}

/// A late move that the game's own penalty covered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LateMove {
    /// The bot.
    pub bot: String,
    /// The match.
    pub r#match: String,
    /// Which reply of the match it was, of all seats together, counted from 0.
    pub turn: u32,
    /// How long the arena waited, in microseconds, if that is known.
    pub wall_us: Option<u64>,
    /// How long the bot computed in that time, in microseconds, if that is known.
    pub cpu_us: Option<u64>,
}

/// A void match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Void {
    /// The match.
    pub r#match: String,
    /// The bot that did not have its time or could not be started; null if it was none in particular.
    pub bot: Option<String>,
    /// Why it was void.
    pub why: String,
}

impl Faults {
    /// What went wrong by the matches in the ledger: of all bots, or of the one of this name.
    pub fn of(ledger: &Ledger, bot: Option<&str>) -> Result<Self, LedgerError> {
        let mut names = ledger.spec().names();
        if let Some(bot) = bot {
            names.retain(|name| name == bot);
            if names.is_empty() {
                return Err(LedgerError::Stranger(bot.to_owned()));
            }
        }
        gather_all(ledger, game(ledger.spec())?, names)
    }

    /// True if nothing went wrong.
    pub fn is_empty(&self) -> bool {
        self.faults.is_empty() && self.late_moves.is_empty() && self.voids.is_empty()
    }
}

/// What stands in the place of words that are not shown.
pub(crate) const NOT_SHOWN: &str = "(not shown)";

/// Whose own words a page may hold: notes, logs, and the lines around failures.
#[derive(Clone, Copy, Debug)]
pub enum Words<'a> {
    /// Those of all bots.
    All,
    /// Those of this bot.
    Of(&'a str),
    /// Nobody's.
    None,
}

impl Words<'_> {
    /// Whose words everybody may read: where the names are pseudonyms, words might tell who is behind them.
    pub fn public(spec: &Spec) -> Self {
        if spec.pseudonyms {
            Self::None
        } else {
            Self::All
        }
    }

    /// True if the words of this bot may be shown.
    pub fn include(self, bot: &str) -> bool {
        match self {
            Self::All => true,
            Self::Of(only) => only == bot,
            Self::None => false,
        }
    }

    /// A failure as it may be shown.
    pub fn within(self, failure: Failure) -> Failure {
        if self.include(&failure.bot) {
            return failure;
        }
        // All fields that a bot may have written to.
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

/// The forfeits of the first matches with any, or with one of the bot of this index, of `most` matches at most, in order of deals and
/// bots. Reads no other match, so that it is quick in a large ledger, too.
pub fn first_forfeits(
    ledger: &Ledger,
    most: usize,
    bot: Option<usize>,
) -> Result<Vec<Failure>, LedgerError> {
    let game = game(ledger.spec())?;
    let (left, mut found) = (Cell::new(most), Vec::new());
    let interest = |scored: &Scored| {
        let mut seated = scored.bots.iter().zip(&scored.seats);
        let is_it = |(who, seat): (&usize, &Seated)| {
            seat.fault.is_some() && bot.is_none_or(|bot| bot == *who)
        };
        let failed = left.get() > 0 && seated.any(is_it);
        left.set(left.get() - usize::from(failed));
        failed
    };
    ledger.each_with(interest, |played| {
        let is_its =
            |failure: &Failure| bot.is_none_or(|bot| ledger.spec().bots[bot].name == failure.bot);
        found.extend(forfeits_of(game, &played).into_iter().filter(is_its));
        Ok::<(), LedgerError>(())
    })?;
    Ok(found)
}

/// The forfeits of a match.
pub fn forfeits_of(game: &Entry, played: &Played) -> Vec<Failure> {
    let record: Option<RawRecord> = played.record.read().ok();
    let seats = played.verdict.faults.seats();
    let failed = seats.filter_map(|(seat, fault)| {
        Some(failure(
            game,
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
        gather(game, &played, &mut found, &mut counts);
        Ok::<(), LedgerError>(())
    })?;
    found.bots = counts.into_values().collect();
    let order = |count: &Count| Reverse((count.faults, count.late_moves, count.voids));
    found.bots.sort_by_key(order);
    Ok(found)
}

/// Adds what went wrong in one match to bots that are counted.
fn gather(game: &Entry, played: &Played, found: &mut Faults, counts: &mut BTreeMap<String, Count>) {
    let failed = played.verdict.faults.iter().any(Option::is_some);
    let may_be_late = played.record.as_str().contains("\"late\"");
    if failed || may_be_late {
        // A record that this program cannot read still leaves the verdict and the evidence.
        let record: Option<RawRecord> = played.record.read().ok();
        for (seat, fault) in played.verdict.faults.seats() {
            if let (Some(count), Some(fault)) = (counts.get_mut(name(played, seat)), fault) {
                count.faults += 1;
                *count.by_cause.entry(fault.cause()).or_default() += 1;
                let failure = failure(game, played, record.as_ref(), seat, fault);
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
            found.voids.push(Void {
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

/// The id of the last answer, and that of the last turn that was sent, as far as both can be read.
pub fn ids(sent: &[String], received: &[String]) -> Option<(u64, u64)> {
    let read = |line: &String| serde_json::from_str::<Value>(line).ok();
    let mut latest = sent.iter().rev();
    let turn = latest.find_map(|line| read(line)?["turn"]["id"].as_u64());
    let answer = read(received.last()?)?["id"].as_u64();
    answer.zip(turn)
}

fn failure(
    game: &Entry,
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
    let clues = Clues {
        game: game.name,
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
        wall_us,
        cpu_us,
    }
}

/// The turn at which a seat replied for the last time: a seat that has failed has no other.
fn last_reply<Rules, Action>(record: &Record<Rules, Action>, seat: Seat) -> Option<u32> {
    let mut replies = record.replies.iter();
    let turn = replies.rposition(|Replied(who, _)| *who == seat)?;
    Some(turn as u32)
}

/// The prompt to which a seat gave this reply of the record.
fn prompt(game: &Entry, record: &RawRecord, seat: Seat, turn: u32) -> Option<Json> {
    let mut table = game.open(record).ok()?;
    for Replied(seat, reply) in record.replies.iter().take(turn as usize) {
        table.reply(*seat, reply.as_ref().map(Json::as_str)).ok()?;
    }
    table.to_act().contains(seat).then(|| table.prompt(seat))
}

/// The late moves of a match, but those that were the end of it for their seat.
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
