//! What would help against a fault, in a sentence for the bot's author.

use arena_engine::outcome::Cause;

use super::Failure;
use super::text::{escaped, milliseconds};

/// The words by which the end of a log shows that an exception ended the program.
const EXCEPTIONS: [&str; 5] = ["Error", "Exception", "panicked at", "Traceback", "Interrupt"];

/// A bot that computed for less than this share of its time was waiting for something.
const IDLE: u64 = 10;

/// The cure, if one is known.
pub(super) fn of(failure: &Failure, game: &str) -> Option<String> {
    match failure.cause {
        Cause::Time => Some(of_time(failure)),
        Cause::Crash => of_crash(failure),
        Cause::Illegal => Some(
            "the action was not among those offered: take an option of the prompt, and of each of its lists one value"
                .into(),
        ),
        Cause::Protocol => of_protocol(&failure.detail, game),
    }
}

fn of_time(failure: &Failure) -> String {
    let has = |words: &str| failure.detail.contains(words);
    if has("ready") {
        return "answer the first line with {\"ready\":{}} and flush it, load what takes long before that in less time, or \
                raise start_ms under [clock] in the tournament's file"
            .into();
    }
    if has("did not read") {
        return "read standard input line by line for as long as the program runs".into();
    }
    match (failure.wall_us, failure.cpu_us) {
        (Some(wall), Some(cpu)) if cpu < wall / IDLE => format!(
            "it computed for only {} of {}, so it was waiting: flush standard output after each answer, and end the \
             answer with a newline",
            milliseconds(cpu),
            milliseconds(wall)
        ),
        (Some(wall), Some(cpu)) => format!(
            "it computed for {} of {}: decide before the time that the turn's clock names is over",
            milliseconds(cpu),
            milliseconds(wall)
        ),
        _ => "flush standard output after each answer; if it was still thinking, look at the turn's clock".into(),
    }
}

fn of_crash(failure: &Failure) -> Option<String> {
    let has = |words: &str| failure.detail.contains(words);
    if let Some(line) = exception(&failure.log) {
        return Some(format!("the exception in its log: {line}"));
    }
    let cure = if has("could not be started") {
        "look at command and dir of the bot in the tournament's file"
    } else if has("code 127") {
        "a shell did not find a program that it was to start"
    } else if has("code 126") {
        "a shell may not execute a program that it was to start: chmod +x"
    } else if has("code 0") {
        "the program came to its end: read lines until standard input ends, in a loop"
    } else if has("KILL") {
        "something killed it, often the system for want of memory"
    } else if has("SEGV") || has("BUS") || has("ABRT") || has("ILL") {
        "a mistake in native code: run it under a debugger or a sanitizer"
    } else if has("closed its standard output") {
        "keep standard output open until standard input ends"
    } else if has("panicked") {
        "the message of the panic says where"
    } else if failure.log.trim().is_empty() {
        "let it write to standard error what it is doing: the arena keeps that"
    } else {
        return None;
    };
    Some(cure.into())
}

/// The last line of a log that tells of an exception.
fn exception(log: &str) -> Option<String> {
    let telling = |line: &&str| EXCEPTIONS.iter().any(|word| line.contains(word));
    let last = log.lines().rev().find(telling)?;
    Some(escaped(last.trim()).chars().take(200).collect())
}

fn of_protocol(detail: &str, game: &str) -> Option<String> {
    let has = |words: &str| detail.contains(words);
    let cure = if has("only messages go to stdout") {
        "print everything but messages to standard error"
    } else if has("not UTF-8") {
        "write text as UTF-8, and nothing binary"
    } else if has("without a newline") {
        "end each answer with a newline"
    } else if has("the answer has the id") || has("no turn is to be answered") {
        "answer each turn once, with the id of that turn"
    } else if has("does not play") {
        return Some(format!("name {game} among the games of ready, or leave games out"));
    } else if has("does not fit the protocol") {
        return Some(format!("`arena schema {game}` prints what a message may hold"));
    } else if has("is not JSON") {
        "write each answer with a JSON library, as one line"
    } else {
        return None;
    };
    Some(cure.into())
}
