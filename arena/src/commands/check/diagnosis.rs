//! What went wrong, why, and what to do about it, in words for the bot's author.

use std::time::Duration;

use arena_results::played::Evidence;
use serde_json::Value;

use super::language::Language;
use super::report::Finding;
use crate::runner::pipes::probe::Trouble;
use crate::setup::millis;

/// What the bot was asked when it failed.
pub struct Asked<'a> {
    /// What it had to do, such as `answer the turn`.
    pub task: &'static str,
    /// The form of the answer.
    pub form: &'static str,
    /// The ids of the turns that were open.
    pub ids: &'a [u64],
    /// The prompt, if it was a turn.
    pub prompt: Option<&'a str>,
    /// How much time there was.
    pub limit: Duration,
    /// What the bot is written in.
    pub language: Language,
}

/// The task at the beginning.
pub const READY: &str = "say that it is ready";
/// The task at each turn.
pub const ANSWER: &str = "answer the turn";
/// The form of the first line.
pub const READY_FORM: &str = r#"{"ready":{"name":"my bot"}}"#;
/// The form of an answer.
pub const ANSWER_FORM: &str = r#"{"id":…,"action":{…}}"#;

/// Explains the trouble; `evidence` is what is left of the process.
pub fn explain(trouble: &Trouble, asked: &Asked<'_>, evidence: &Evidence) -> Finding {
    let finding = match trouble {
        Trouble::Ended { exit, rest } => ended(exit.as_deref(), rest, asked, evidence),
        Trouble::Unfit { line, why } => unfit(line, why, asked),
        Trouble::Unreadable { why } => unreadable(why, asked),
        Trouble::NoNewline { rest } => no_newline(rest, asked),
        Trouble::Slow { took } => slow(*took, asked),
        Trouble::Held { lines } => held(lines, asked),
        Trouble::Deaf => deaf(asked),
        Trouble::Silent { waited, computed } => silent(*waited, *computed, asked, evidence),
        Trouble::Void { why } => Finding::warning(
            format!("this could not be tried: {why}"),
            "nothing is wrong with the bot: run the check again when the machine has less to do",
        ),
    };
    finding.show_log(&evidence.stderr)
}

fn ended(exit: Option<&str>, rest: &str, asked: &Asked<'_>, evidence: &Evidence) -> Finding {
    let Asked { task, language, .. } = asked;
    let Some(exit) = exit else {
        let what = format!("it closed its standard output when it had to {task}");
        return Finding::failed(what, "keep standard output open until the arena says quit or closes the input");
    };
    let last = evidence.stderr.trim_end().lines().next_back().unwrap_or_default().trim();
    let reason: String = if last.is_empty() { String::new() } else { format!(", saying: {}", plain(last)) };
    let cure = match exit {
        "exited with code 0" if !rest.is_empty() => {
            format!("write a newline after every answer and flush it: {}", language.flush())
        }
        "exited with code 0" => format!(
            "go on reading lines until quit or the end of the input; one process plays many matches: {}",
            language.read()
        ),
        "exited with code 127" => "the shell did not find a command: look at its message and at your PATH".into(),
        "exited with code 126" => "the shell may not run a command: chmod +x, or name its interpreter".into(),
        signal if signal.contains("KILL") => {
            "the system ended it: most often there was not enough memory; if nobody else did, see how much it takes"
                .into()
        }
        signal if signal.contains("SEGV") || signal.contains("BUS") || signal.contains("ABRT") => {
            "memory was misused or an assertion failed: run it in a debugger or with a sanitizer, fed the line shown"
                .into()
        }
        limit if limit.starts_with("used ") || limit.starts_with("started ") || limit.starts_with("wrote ") => {
            "the arena ended it for that: use less, or have the limit of the tournament raised".into()
        }
        _ if evidence.stderr.trim().is_empty() => {
            "it said nothing on standard error: catch the error and write it there, then check again".into()
        }
        _ if asked.task == READY => "its message stands above; start it by hand in this folder to see it again".into(),
        _ => "its message stands above; feed it lines like the one shown to see the error again".into(),
    };
    Finding::failed(format!("it crashed: it {exit} when it had to {task}{reason}"), cure)
        .show("it wrote last, without a newline", rest)
}

fn unfit(line: &str, why: &str, asked: &Asked<'_>) -> Finding {
    let Asked { task, form, language, .. } = asked;
    match serde_json::from_str::<Value>(line) {
        Err(error) if line.starts_with(['{', '[']) => Finding::failed(
            format!("a line is not JSON: {error}"),
            format!("write each message with a JSON library, on one line, in double quotes: {form}"),
        ),
        Err(_) => Finding::failed(
            format!("debug text on standard output: a line is not JSON when it had to {task}"),
            format!(
                "only messages may go to standard output; print everything else to standard error: {}",
                language.log()
            ),
        ),
        Ok(Value::Object(fields)) => match fields.get("id").and_then(Value::as_u64) {
            Some(id) if !asked.ids.is_empty() && !asked.ids.contains(&id) => wrong_id(id, asked.ids),
            Some(_) if asked.task == ANSWER => Finding::failed(
                format!("the answer does not fit the game: {}", reason(why)),
                "an action is one option of the prompt, with one value in place of each list of values",
            ),
            _ if asked.task == ANSWER && asked.ids.is_empty() => Finding::failed(
                "it said something without having been asked",
                "write one line for each turn and none for start, end and error",
            ),
            None if asked.task == ANSWER && fields.contains_key("id") => Finding::failed(
                "the id of the answer is not the number that was sent",
                "repeat the id of the turn as it is, without quotes or a fraction",
            ),
            None if asked.task == ANSWER && !fields.contains_key("action") => Finding::failed(
                "a line is no answer to a turn: it has neither an id nor an action",
                format!("write one line for each turn, {form}, and none for start, end and error"),
            ),
            None if asked.task == ANSWER => {
                Finding::failed("the answer has no id", format!("repeat the id of the turn in the answer: {form}"))
            }
            _ => {
                Finding::failed(format!("the line does not fit the protocol: {}", reason(why)), format!("write {form}"))
            }
        },
        Ok(_) => Finding::failed(
            format!("a line is JSON but not an object when it had to {task}"),
            format!("write {form}; print everything else to standard error: {}", language.log()),
        ),
    }
    .show("the bot said", line)
}

fn wrong_id(id: u64, ids: &[u64]) -> Finding {
    let ids: Vec<String> = ids.iter().map(u64::to_string).collect();
    Finding::failed(
        format!("wrong id: the answer has the id {id}, the turn has the id {}", ids.join(" or ")),
        "repeat the id of the turn that you answer; ids rise by steps that cannot be foreseen, so do not count them",
    )
}

/// What the protocol says of a line, without the line itself, which is shown below.
fn reason(why: &str) -> String {
    let why = why.trim_start_matches("the line does not fit the protocol: ");
    why.rsplit_once(": {").map_or(why, |(reason, _)| reason).to_owned()
}

fn unreadable(why: &str, asked: &Asked<'_>) -> Finding {
    let cure = if why.contains("UTF-8") {
        "set the encoding of standard output to UTF-8, or escape what is not ASCII, as JSON libraries can".to_owned()
    } else {
        format!(
            "a line has at most 65,536 bytes with its newline: keep notes short, print logs to standard error: {}",
            asked.language.log()
        )
    };
    Finding::failed(format!("it {why}"), cure)
}

fn no_newline(rest: &str, asked: &Asked<'_>) -> Finding {
    Finding::failed(
        format!(
            "its output has no newline at the end when it had to {}: the arena waits for the rest of the line",
            asked.task
        ),
        format!("end every message with a newline, then flush: {}", asked.language.flush()),
    )
    .show("the bot said, without a newline", rest)
}

fn slow(took: Duration, asked: &Asked<'_>) -> Finding {
    Finding::failed(
        format!("too slow: it took {} ms to {}, the limit is {} ms", millis(took), asked.task, millis(asked.limit)),
        if asked.task == READY {
            "load less, or later; if it must take that long, ask for a greater start_ms and try it with --start-ms"
        } else {
            "look at the clock while you compute, and answer at 80 % of clock.move_ms with the best you have"
        },
    )
}

fn held(lines: &[String], asked: &Asked<'_>) -> Finding {
    let finding = Finding::failed(
        format!(
            "it did not {} within {} ms, but did as soon as its input was closed: its line was held in a buffer, or it reads \
             all of its input before it begins",
            asked.task,
            millis(asked.limit)
        ),
        format!(
            "flush standard output after every line: {}. If you do, read line by line, not to the end of the input: {}",
            asked.language.flush(),
            asked.language.read()
        ),
    );
    finding.show("it came after the input was closed", lines.first().map_or("", String::as_str))
}

fn deaf(asked: &Asked<'_>) -> Finding {
    Finding::failed(
        format!("it does not read: what it was sent did not go into its input for {} ms", millis(asked.limit)),
        format!("read standard input line by line, also while you compute long: {}", asked.language.read()),
    )
}

fn silent(waited: Duration, computed: Option<Duration>, asked: &Asked<'_>, evidence: &Evidence) -> Finding {
    let Asked { task, form, language, .. } = asked;
    let busy = computed.is_some_and(|computed| computed * 2 > waited);
    let computing =
        computed.map_or(String::new(), |computed| format!(", of which it computed {} ms", millis(computed)));
    let what = format!(
        "no answer: it did not {task} within {} ms, nor in {} ms{computing}",
        millis(asked.limit),
        millis(waited)
    );
    let cure = if busy {
        "it computes without end or far too long: look for a loop that never ends, and at the clock while you search"
            .into()
    } else if asked.task == READY {
        format!("read the hello line, write {form} and flush: {}", language.flush())
    } else if evidence.said.is_empty() {
        format!("write {form} for every turn, and flush: {}", language.flush())
    } else {
        format!(
            "every turn must be answered with {form}: look for a turn that it skips, a prompt it does not know, or a lock \
             it waits for"
        )
    };
    Finding::failed(what, cure)
}

/// An action that the rules forbid.
pub fn illegal(why: &str, line: &str, asked: &Asked<'_>) -> Finding {
    Finding::failed(
        format!("illegal action: {}", plain(why)),
        "choose one option of the prompt, and for each of its lists one of the values in it; nothing else is legal",
    )
    .show("what was offered", asked.prompt.unwrap_or_default())
    .show("the bot said", line)
}

/// A text without control characters and not endless.
pub fn plain(text: &str) -> String {
    let kept = |c: char| matches!(c, '"' | '\'' | '\\');
    text.chars().take(200).map(|c| if kept(c) { c.to_string() } else { c.escape_debug().to_string() }).collect()
}
