//! Explains a failure to the bot's author: the problem, its cause, and how to fix it.

use arena_engine::fault::Cause;
use arena_protocol::fault::{BotFault, Flaw, Hint, Opening, Violation};
use arena_results::faults::help::{Clues, help};
use arena_results::faults::{ids, illegal, log};
use arena_tournament::played::Evidence;
use arena_tournament::spec::Isolation;

use super::BotCheck;
use super::probe::Trouble;
use super::report::{Finding, plain};
use crate::commands::absent;
use arena_runner::units::{micros, millis};

/// Names of the tasks at which a bot may fail.
pub const READY: &str = "send ready";
pub const ANSWER: &str = "answer the turn";

/// A task with its time limit.
#[derive(Clone, Copy)]
struct Task {
    name: &'static str,
    limit_ms: u64,
}

impl BotCheck<'_> {
    /// Explains a failure at a task in a game. `evidence` is what the process left behind.
    pub(super) fn explain(
        &self,
        trouble: &Trouble,
        name: &'static str,
        game: &str,
        evidence: &Evidence,
    ) -> Finding {
        let limit = if name == READY {
            self.start
        } else {
            self.per_move
        };
        let task = Task {
            name,
            limit_ms: millis(limit),
        };
        let finding = match &trouble.fault {
            Ok(fault) => {
                let (idioms, dir) = (self.idioms, Some(&*self.program.dir));
                let is_open = self.spec.conditions.isolation == Isolation::Off;
                explain(
                    fault,
                    trouble,
                    task,
                    evidence,
                    Clues {
                        game,
                        command: &self.program.command,
                        idioms,
                        dir,
                        is_open,
                        ..Clues::default()
                    },
                )
            }
            Err(why) if self.program.may_pause => Finding::failed(
                format!("this could not be tried: {why}"),
                "run the check again when what the bot waits for is available",
            ),
            Err(why) => Finding::warning(
                format!("this could not be tried: {why}"),
                "nothing is wrong with the bot: run the check again when the machine has less to do",
            )
            .unready(),
        };
        let is_crash = |fault: &BotFault| fault.cause() == Cause::Crash;
        let absent = trouble
            .fault
            .as_ref()
            .ok()
            .filter(|fault| is_crash(fault))
            .and_then(|_| {
                absent::help(
                    &evidence.stderr,
                    &self.program.dir,
                    self.spec.conditions.isolation,
                )
            });
        Finding {
            at: trouble.at.clone(),
            help: absent.map_or(finding.help.clone(), |absent| plain(&absent)),
            ..finding
        }
    }
}

fn explain(
    fault: &BotFault,
    trouble: &Trouble,
    task: Task,
    evidence: &Evidence,
    clues: Clues<'_>,
) -> Finding {
    let Trouble {
        text,
        waited,
        computed,
        at,
        prompt,
        ..
    } = trouble;
    let ids = ids(&evidence.sent, &evidence.received);
    let what = match fault.cause() {
        Cause::Time => {
            let computed =
                computed.map(|computed| format!(", of which it computed {} ms", millis(computed)));
            let waited = format!(
                "nor in {} ms{}",
                millis(*waited),
                computed.unwrap_or_default()
            );
            late(fault, task, &waited, ids)
        }
        Cause::Crash | Cause::Withdrawn => crashed(fault, task, evidence),
        Cause::Illegal => format!("illegal action: {}", plain(&fault.to_string())),
        Cause::Protocol => violated(fault, task),
    };
    let (wall_us, cpu_us) = (Some(micros(*waited)), computed.map(micros));
    let before_ready = task.name == READY;
    let clues = Clues {
        log: &evidence.stderr,
        wall_us,
        cpu_us,
        ids,
        before_ready,
        ..clues
    };
    let by_prompt = || {
        let prompt = serde_json::from_str(prompt).ok()?;
        illegal::help(&prompt, &illegal::action(text)?)
    };
    let help = Some(fault.cause())
        .filter(|cause| *cause == Cause::Illegal)
        .and_then(|_| by_prompt())
        .or_else(|| help(fault, &clues))
        .unwrap_or_else(|| "see its message above, and fix what it names".into());
    let turn = evidence
        .sent
        .iter()
        .rfind(|line| at.is_some() && line.starts_with("{\"turn\""));
    Finding::failed(what, plain(&help))
        .show("the arena had sent", turn.map_or("", String::as_str))
        .show("what was offered", prompt)
        .show(label(fault), text)
        .show_log(&evidence.stderr)
}

/// Returns the label for the text quoted with a fault.
fn label(fault: &BotFault) -> &'static str {
    match (fault.cause(), hint(fault)) {
        (Cause::Crash, _) => "it wrote last, without a newline",
        (_, Some(Hint::NoNewline)) => "the bot wrote, without a newline",
        (_, Some(Hint::AnsweredAtEnd)) => "it came after the input was closed",
        _ => "the bot wrote",
    }
}

fn hint(fault: &BotFault) -> Option<Hint> {
    match fault {
        BotFault::Late(hint) => *hint,
        BotFault::NotReady { hint, .. } => Some(*hint),
        _ => None,
    }
}

fn late(fault: &BotFault, task: Task, waited: &str, ids: Option<(u64, u64)>) -> String {
    let Task { name, limit_ms, .. } = task;
    match hint(fault) {
        _ if matches!(fault, BotFault::NotReading { .. }) => format!("it {fault}"),
        Some(Hint::NoNewline) => format!(
            "its output has no newline at the end when it had to {name}: the arena waits for the rest of the line"
        ),
        Some(Hint::AnsweredLate { after_ms }) => {
            format!("too slow: it took {after_ms} ms to {name}, the limit is {limit_ms} ms")
        }
        Some(Hint::Slow) => {
            format!(
                "too slow: it did not {name} within {limit_ms} ms, {waited}, but answers other turns"
            )
        }
        Some(Hint::EarlierTurns) => {
            let ids = ids.filter(|(came, open)| came != open);
            let ids = ids.map(|(came, open)| {
                format!(": a reply with the id {came} came while {open} was open")
            });
            format!(
                "wrong id: it did not {name} within {limit_ms} ms{}",
                ids.unwrap_or_default()
            )
        }
        Some(Hint::AnsweredAtEnd) => format!(
            "it did not {name} within {limit_ms} ms, but did as soon as its input was closed: its line was held in a buffer, \
             or it reads all of its input before it begins"
        ),
        _ => format!("no answer: it did not {name} within {limit_ms} ms, {waited}"),
    }
}

fn crashed(fault: &BotFault, task: Task, evidence: &Evidence) -> String {
    if *fault == BotFault::ClosedOutput {
        return format!("it {fault} when it had to {}", task.name);
    }
    let reason =
        log::reason(&evidence.stderr).map(|line| format!("; its log says: {}", plain(&line)));
    format!(
        "it crashed: it {fault} when it had to {}{}",
        task.name,
        reason.unwrap_or_default()
    )
}

fn violated(fault: &BotFault, task: Task) -> String {
    let BotFault::Protocol(violation) = fault else {
        return fault.to_string();
    };
    match &**violation {
        Violation::NotJson {
            opening: Opening::Brace,
            error,
            ..
        } => format!("a line is not JSON: {error}"),
        Violation::NotJson {
            opening: Opening::ByteOrderMark,
            ..
        } => "a line begins with a byte order mark".into(),
        Violation::NotJson { .. } => {
            format!(
                "debug text on standard output: a line is not JSON when it had to {}",
                task.name
            )
        }
        Violation::NotAnObject { .. } => format!(
            "a line is JSON but not an object when it had to {}",
            task.name
        ),
        Violation::Unfit {
            flaw: Flaw::Ready,
            error,
            ..
        } => format!("the line does not fit the protocol: {error}"),
        Violation::Unfit {
            flaw: Flaw::Action,
            error,
            ..
        } => format!("the answer does not fit the protocol: {error}"),
        Violation::Unfit {
            flaw: Flaw::NoId, ..
        } => "the answer has no id".into(),
        Violation::Unfit { flaw: Flaw::Id, .. } => {
            "the id of the answer is not the number that was sent".into()
        }
        Violation::Unfit {
            flaw: Flaw::Everything,
            ..
        } => "a line is not an answer to a turn: it has neither an id nor an action".into(),
        Violation::WrongId { .. } => format!("wrong id: {violation}"),
        _ => format!("it {violation}"),
    }
}
