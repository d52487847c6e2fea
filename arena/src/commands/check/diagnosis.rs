//! What went wrong, why, and what to do about it, in words for the bot's author.

use arena_engine::fault::{Cause, Fault, Flaw, Hint, Opening, Violation};
use arena_protocol::message;
use arena_results::faults::help::{Clues, help};
use arena_results::faults::ids;
use arena_tournament::played::Evidence;

use super::language::Language;
use super::probe::Trouble;
use super::report::Finding;
use arena_runner::units::{micros, millis};

/// What the bot had to do when it failed.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The task, such as `answer the turn`.
    pub name: &'static str,
    /// How much time there was, in milliseconds.
    pub limit_ms: u64,
    /// The game.
    pub game: &'a str,
    /// What the bot is written in.
    pub language: Language,
}

/// The task at the beginning.
pub const READY: &str = "say that it is ready";
/// The task at each turn.
pub const ANSWER: &str = "answer the turn";

/// Explains the trouble; `evidence` is what is left of the process.
pub fn explain(trouble: &Trouble, task: Task<'_>, evidence: &Evidence) -> Finding {
    let (fault, text, waited, computed) = match trouble {
        Trouble::Fault { fault, text, waited, computed } => (fault, text, *waited, *computed),
        Trouble::Void(why) => {
            return Finding::warning(
                format!("this could not be tried: {why}"),
                "nothing is wrong with the bot: run the check again when the machine has less to do",
            );
        }
    };
    let ids = ids(&evidence.sent, &evidence.received);
    let what = match fault.cause() {
        Cause::Time => {
            let computed = computed.map(|computed| format!(", of which it computed {} ms", millis(computed)));
            let waited = format!("nor in {} ms{}", millis(waited), computed.unwrap_or_default());
            late(fault, task, &waited, ids)
        }
        Cause::Crash => crashed(fault, task, evidence),
        Cause::Illegal => format!("illegal action: {}", plain(&fault.to_string())),
        Cause::Protocol => violated(fault, task),
        Cause::Resources => plain(&fault.to_string()),
    };
    let clues = Clues {
        game: task.game,
        log: &evidence.stderr,
        wall_us: Some(micros(waited)),
        cpu_us: computed.map(micros),
        ids,
        idioms: task.language.idioms(),
    };
    let help = help(fault, &clues).unwrap_or_else(|| "its message stands above: fix what it names".into());
    Finding::failed(what, plain(&help)).show(label(fault), text).show_log(&evidence.stderr)
}

/// What the text of a trouble is.
fn label(fault: &Fault) -> &'static str {
    match (fault.cause(), hint(fault)) {
        (Cause::Crash, _) => "it wrote last, without a newline",
        (_, Some(Hint::NoNewline)) => "the bot said, without a newline",
        (_, Some(Hint::AnsweredAtEnd)) => "it came after the input was closed",
        _ => "the bot said",
    }
}

fn hint(fault: &Fault) -> Option<Hint> {
    match fault {
        Fault::Late(hint) => *hint,
        Fault::NotReady { hint, .. } => Some(*hint),
        _ => None,
    }
}

fn late(fault: &Fault, task: Task<'_>, waited: &str, ids: Option<(u64, u64)>) -> String {
    let Task { name, limit_ms, .. } = task;
    match hint(fault) {
        _ if matches!(fault, Fault::NotReading { .. }) => format!("it {fault}"),
        Some(Hint::NoNewline) => format!(
            "its output has no newline at the end when it had to {name}: the arena waits for the rest of the line"
        ),
        Some(Hint::AnsweredLate { after_ms }) => {
            format!("too slow: it took {after_ms} ms to {name}, the limit is {limit_ms} ms")
        }
        Some(Hint::Slow) => {
            format!("too slow: it did not {name} within {limit_ms} ms, {waited}, but answers other turns")
        }
        Some(Hint::EarlierTurns) => {
            let ids = ids.filter(|(came, asked)| came != asked);
            let ids = ids.map(|(came, asked)| format!(": a reply with the id {came} came while {asked} was asked"));
            format!("wrong id: it did not {name} within {limit_ms} ms{}", ids.unwrap_or_default())
        }
        Some(Hint::AnsweredAtEnd) => format!(
            "it did not {name} within {limit_ms} ms, but did as soon as its input was closed: its line was held in a buffer, \
             or it reads all of its input before it begins"
        ),
        _ => format!("no answer: it did not {name} within {limit_ms} ms, {waited}"),
    }
}

fn crashed(fault: &Fault, task: Task<'_>, evidence: &Evidence) -> String {
    if *fault == Fault::ClosedOutput {
        return format!("it {fault} when it had to {}", task.name);
    }
    let last = evidence.stderr.trim_end().lines().next_back().unwrap_or_default().trim();
    let reason = if last.is_empty() { String::new() } else { format!(", saying: {}", plain(last)) };
    format!("it crashed: it {fault} when it had to {}{reason}", task.name)
}

fn violated(fault: &Fault, task: Task<'_>) -> String {
    let Fault::Protocol(violation) = fault else { return fault.to_string() };
    match &**violation {
        Violation::NotJson { opening: Opening::Brace, error, .. } => format!("a line is not JSON: {error}"),
        Violation::NotJson { .. } => {
            format!("debug text on standard output: a line is not JSON when it had to {}", task.name)
        }
        Violation::NotAnObject { .. } => format!("a line is JSON but not an object when it had to {}", task.name),
        Violation::Unfit { flaw: Flaw::Ready, error, .. } => format!("the line does not fit the protocol: {error}"),
        Violation::Unfit { flaw: Flaw::Action, error, .. } => format!("the answer does not fit the protocol: {error}"),
        Violation::Unfit { flaw: Flaw::NoId, .. } => "the answer has no id".into(),
        Violation::Unfit { flaw: Flaw::Id, .. } => "the id of the answer is not the number that was sent".into(),
        Violation::Unfit { flaw: Flaw::Everything, .. } => {
            "a line is no answer to a turn: it has neither an id nor an action".into()
        }
        Violation::WrongId { .. } => format!("wrong id: {violation}"),
        _ => format!("it {violation}"),
    }
}

/// A text without control characters and not endless.
pub fn plain(text: &str) -> String {
    text.chars().take(400).flat_map(message::visible).collect()
}
