//! Advice on fixing a fault, in a sentence for the bot's author.

use std::path::{Path, PathBuf};

use super::{familiar, log};
use arena_protocol::fault::{BotFault, Excess, Flaw, Hint, Opening, ProcessEnd, Violation};

/// Form of a bot's first message.
const READY: &str = r#"{"ready":{"name":"my bot"}}"#;
/// Fix for debug text before the first message.
const BANNER: &str = "this line came before ready, which must be the first line on standard output: print debug text to standard error";
/// Form of an answer.
const ANSWER: &str = r#"{"id":…,"action":{…}}"#;
/// A bot whose CPU time was at least the elapsed time divided by this may have been slowed down by a busy machine.
const BUSY_DIVISOR: u64 = 10;
/// Fix for a bot that computes too long.
const DECIDE: &str =
    "decide within the time that the turn's clock gives, and look for an endless loop";

/// Phrases of errors that isolation causes, in lower case, each with the setting that lifts the restriction.
const WALLS: [(&str, &str); 3] = [
    (
        "operation not permitted",
        "the sandbox refuses some calls, among them mmap of shared memory without a file (map a file in TMPDIR) and sockets: there \
         is no network without network = true; see \"Calls that fail\" in TOURNAMENTS.md. isolation = \"off\" (--isolation off) allows them",
    ),
    (
        "name resolution|name or service not known|gaierror|getaddrinfo|unknownhost|no such host|network is unreachable|enetunreach",
        "isolated bots have no network: put what it needs into its folder; network = true (--network) opens it for a bot that you \
         trust, where bubblewrap isolates",
    ),
    (
        "read-only file system|erofs|permission denied|eacces|accessdenied",
        "isolated bots write only to their working directory and TMPDIR, and read only the system, their own folder and what read = \
         [\"PATH\"] (--read PATH) adds",
    ),
];

/// Runtimes that limit their heap themselves: the name, the phrase of the error at that limit, and the option that sets the limit in MiB.
const HEAPS: [(&str, &str, &str, &str); 2] = [
    (
        "java",
        "OutOfMemoryError|insufficient memory for the Java",
        "-Xmx",
        "m",
    ),
    ("node", "heap out of memory", "--max-old-space-size=", ""),
];

/// The facts on which the advice about a fault depends.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clues<'a> {
    /// Name of the game.
    pub game: &'a str,
    /// Command of the bot; empty if unknown.
    pub command: &'a [String],
    /// End of the bot's log.
    pub log: &'a str,
    /// Elapsed time of the bot's reply, in microseconds.
    pub wall_us: Option<u64>,
    /// CPU time that the bot used in `wall_us`, in microseconds.
    pub cpu_us: Option<u64>,
    /// Ids of the last answer and the last turn, if both are known.
    pub ids: Option<(u64, u64)>,
    /// True if the bot is not isolated.
    pub is_open: bool,
    /// Folder of the bot, if known.
    pub dir: Option<&'a Path>,
    /// True if the bot had only been sent `hello`.
    pub before_ready: bool,
    /// Idioms of the bot's language; empty if the language is unknown.
    pub idioms: Idioms,
}

/// Idioms of a language for common tasks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Idioms {
    /// Way to send a line immediately.
    pub flush: Option<&'static str>,
    /// Way to write to standard error.
    pub log: Option<&'static str>,
    /// Way to read line by line.
    pub read: Option<&'static str>,
}

/// Returns advice on fixing a fault, or `None` if no fix is known.
pub fn help(fault: &BotFault, clues: &Clues<'_>) -> Option<String> {
    let Clues { idioms, .. } = clues;
    Some(match fault {
        BotFault::Late(hint) => late(*hint, clues),
        BotFault::NotReady { hint, .. } => not_ready(*hint, clues),
        BotFault::NotReading { .. } => with("read standard input line by line, even during long computations", idioms.read),
        BotFault::Exited(status) => exited(status, clues)?,
        BotFault::OverLimit(Excess::Memory(limit)) => over_memory(*limit, clues),
        BotFault::OverLimit(_) => {
            "the arena ended it because of that: use less, or ask for a higher limit in the tournament file".into()
        }
        BotFault::ClosedOutput => "keep standard output open until the arena says quit or closes the input".into(),
        BotFault::StartFailed(why) if why.contains("not a program for this machine") => {
            "compile it for this machine, or give its sources and a `build` command".into()
        }
        // Its description already names the fix.
        BotFault::StartFailed(why) if why.contains("is not executable") => return None,
        BotFault::StartFailed(_) => {
            "check the bot's command: it names a program in the bot's folder, or one that is installed here".into()
        }
        BotFault::NotRestarted => "see its first fault; with restart = \"fault\" it would be started again".into(),
        BotFault::Left | BotFault::Withdrawn => return None,
        BotFault::Panicked(_) => "the panic message names the place".into(),
        BotFault::Illegal(_) => {
            "the action is not legal here: take one option of the prompt, and one value from each of its lists".into()
        }
        BotFault::Protocol(violation) => of_violation(violation, clues),
    })
}

fn of_violation(violation: &Violation, clues: &Clues<'_>) -> String {
    let Clues {
        game,
        before_ready,
        idioms: Idioms { log, .. },
        ..
    } = *clues;
    if let Some(fix) = familiar::sent(violation, before_ready) {
        return fix.to_owned();
    }
    match violation {
        Violation::NotJson { opening: Opening::Text, .. } if before_ready => with(BANNER, log),
        Violation::NotUtf8 { line }
        | Violation::NotJson { opening: Opening::Brace, line, .. }
        | Violation::NotAnObject { line }
            if before_ready && !line.contains("\"ready\"") && !line.contains("\\x00") =>
        {
            with(BANNER, log)
        }
        Violation::TooLong { limit } => with(
            &format!(
                "a line has at most {limit} bytes with its newline: end each answer with a newline, keep notes short, print \
                 logs to standard error"
            ),
            log,
        ),
        Violation::NotUtf8 { .. } => {
            "set the encoding of standard output to UTF-8, or escape what is not ASCII, as JSON libraries can".into()
        }
        Violation::NotJson { opening: Opening::Brace, .. } => {
            format!("write each message with a JSON library, on one line, in double quotes: {ANSWER}")
        }
        Violation::NotJson { opening: Opening::ByteOrderMark, .. } => "write UTF-8 without a byte order mark".into(),
        Violation::NotJson { opening: Opening::Text, .. } => {
            with("only messages may go to standard output; print everything else to standard error", log)
        }
        Violation::NotAnObject { .. } => with(&format!("write {ANSWER}; print everything else to standard error"), log),
        Violation::Unfit { flaw: Flaw::Ready, .. } => {
            format!(
                "write {READY} before any other line, and debug text to standard error; `arena schema {game}` prints what a \
                 message may hold"
            )
        }
        Violation::Unfit { flaw: Flaw::Everything, .. } | Violation::WrongId { awaited: false } => {
            format!("write one line for each turn, {ANSWER}, and none for start, end and error")
        }
        Violation::Unfit { flaw: Flaw::NoId | Flaw::Id, .. } => {
            format!("repeat the id of the turn as it is, without quotes or a fraction: {ANSWER}")
        }
        Violation::Unfit { flaw: Flaw::Action, .. } => format!(
            "an action is one option of the prompt, with one value in place of each list of values; `arena schema {game}` \
             prints what a message may hold"
        ),
        Violation::Unfit { flaw: Flaw::Pause, .. } => {
            "set may_pause = true (--may-pause) for a bot that may stop the run; any other answers each turn".into()
        }
        Violation::WrongId { .. } => {
            "repeat the id of the turn that you answer; ids rise by unpredictable steps, so do not count them".into()
        }
        Violation::TooDeep { limit, .. } => format!("write {ANSWER} with values of at most {limit} levels"),
        Violation::WrongVersion { arena, .. } => format!("write protocol {arena} in ready, or leave it out"),
        Violation::WrongGame(game) => format!("name {game} among the games of ready, or leave games out"),
    }
}

fn late(hint: Option<Hint>, clues: &Clues<'_>) -> String {
    let Idioms { flush, read, .. } = clues.idioms;
    let time = clues.wall_us.zip(clues.cpu_us);
    let computed = time.map(|(wall, cpu)| (cpu >= wall / 2, milliseconds(cpu), milliseconds(wall)));
    match (hint, computed) {
        (Some(Hint::NoNewline), _) => with("end every message with a newline, then flush", flush),
        (Some(Hint::BlankLines), _) => format!("write each answer as one line: {ANSWER}"),
        (Some(Hint::EarlierTurns), _) => {
            let ids = clues.ids.filter(|(id, turn)| id != turn);
            let other = ids.map(|(id, turn)| format!("a reply with the id {id} came while {turn} was open: "));
            format!("{}answer each turn once, and repeat the id of that turn", other.unwrap_or_default())
        }
        (Some(Hint::Slow), None) => format!("it answers, but is too slow: {DECIDE}"),
        (Some(Hint::Slow), Some((true, cpu, wall))) => {
            format!("it answers, but is too slow; it computed for {cpu} of {wall}: {DECIDE}")
        }
        // The bot may have waited for a core for most of that time.
        (Some(Hint::Slow), Some((false, cpu, wall))) => format!(
            "it answers, but is too slow; it used {cpu} of processor time in {wall}, so it slept or waited for a file or another \
             program, or for a core if the machine was busy: answer within the time that the turn's clock gives"
        ),
        (Some(Hint::AnsweredLate { .. }), _) => {
            "check the clock while you compute, and answer at 80 % of clock.move_ms with the best you have".into()
        }
        (Some(Hint::AnsweredAtEnd), _) => {
            let flush = with("flush standard output after every line", flush);
            with(&format!("{flush}. If you do, read line by line, not to the end of the input"), read)
        }
        (Some(Hint::Computing), None) => format!("it was computing: {DECIDE}"),
        (Some(Hint::Computing), Some((false, cpu, wall))) => {
            format!("it computed for {cpu} of {wall}, most of what a busy machine left it: {DECIDE}")
        }
        (_, Some((true, cpu, wall))) => format!("it computed for {cpu} of {wall}: {DECIDE}"),
        // Time spent waiting for a core is not charged.
        (_, Some((false, cpu, wall))) => {
            let waited = format!("it slept or waited: it used {cpu} of processor time in {wall}");
            let flush = with("answer every turn, and flush standard output after each answer", flush);
            let or_busy = if time.is_some_and(|(wall, cpu)| cpu >= wall / BUSY_DIVISOR) {
                ". If the machine was busy, it may have computed all that time: look for an endless loop"
            } else {
                ""
            };
            format!(
                "{waited}: {flush}. If you do, it waited too long for something else, such as a sleep or a file{or_busy}"
            )
        }
        (_, None) => with("answer every turn, and flush standard output after each answer", flush),
    }
}

fn not_ready(hint: Hint, clues: &Clues<'_>) -> String {
    match hint {
        Hint::NoNewline | Hint::AnsweredAtEnd => late(Some(hint), clues),
        Hint::AnsweredLate { .. } => {
            "load less, or load it later; if it needs the time, ask for a higher start_ms under [clock] in the tournament's file"
                .into()
        }
        _ => with(
            &format!(
                "answer the first line with {READY}, load less before that, or ask for a higher start_ms under \
                 [clock] in the tournament's file; flush standard output"
            ),
            clues.idioms.flush,
        ),
    }
}

/// Explains how to stay below a memory limit in MiB.
fn over_memory(limit: u64, clues: &Clues<'_>) -> String {
    let is_run = |name: &str| {
        let mut words = clues
            .command
            .iter()
            .flat_map(|word| word.split_whitespace());
        words.any(|word| Path::new(word).file_name().is_some_and(|file| file == name))
    };
    let known = HEAPS
        .iter()
        .find(|(name, words, ..)| is_run(name) || has(clues.log, words));
    let heap = known.map_or_else(
        || "Java is told how much it may use by -Xmx, Node by --max-old-space-size, Go by GOMEMLIMIT".to_owned(),
        |(name, _, option, unit)| {
            format!(
                "{name} does not know the limit: start it with {option}{}{unit}, since it needs more than its heap",
                limit / 2
            )
        },
    );
    format!(
        "the arena ended it for that: use less, or ask for a higher limits.memory_mb in the tournament file. {heap}"
    )
}

/// Returns true if the text has one of the words, which are separated by `|`.
fn has(text: &str, words: &str) -> bool {
    words.split('|').any(|word| text.contains(word))
}

fn exited(status: &ProcessEnd, clues: &Clues<'_>) -> Option<String> {
    if let Some((name, words, option, unit)) =
        HEAPS.iter().find(|(_, words, ..)| has(clues.log, words))
    {
        let line = clues
            .log
            .lines()
            .find(|line| has(line, words))
            .unwrap_or_default();
        return Some(format!(
            "the error in its log: {}; use less, or start {name} with a higher {option}…{unit}, up to half of the tournament's \
             limits.memory_mb",
            log::cut(line.trim())
        ));
    }
    let is_walled = !clues.is_open && !matches!(status, ProcessEnd::Code(126 | 127));
    let wall = log::reason(clues.log)
        .filter(|_| is_walled)
        .and_then(|line| Some((wall(&line, clues.dir)?, line)));
    if let Some((wall, line)) = wall {
        return Some(format!("the error in its log: {line}; {wall}"));
    }
    if let Some((line, fix)) = familiar::logged(clues.log) {
        return Some(format!("the error in its log: {}; {fix}", log::cut(line)));
    }
    if let Some(line) = log::error(clues.log) {
        let fix = if line.contains("No module named") {
            "; install it in a virtual environment, and name its python in the command"
        } else if line.contains("null bytes") || line.contains("Non-UTF-8") {
            "; save the file as UTF-8"
        } else if line.starts_with("SyntaxError") {
            "; where its line is right, the interpreter of the command may be too old for it"
        } else {
            ""
        };
        return Some(format!("the error in its log: {line}{fix}"));
    }
    let help = match status {
        ProcessEnd::Code(0) => {
            let read = "keep reading lines until quit or the end of the input: one process plays many matches";
            let read = with(read, clues.idioms.read);
            return Some(match log::reason(clues.log) {
                Some(line) => {
                    format!("it exited; its log says: {line}. If that is not why, {read}")
                }
                None => read,
            });
        }
        ProcessEnd::Code(127) => {
            "the shell did not find a command: read its message and check your PATH"
        }
        ProcessEnd::Code(126) => {
            "the shell may not run a command: chmod +x, or name its interpreter"
        }
        ProcessEnd::Signal(name) if name == "KILL" => {
            "something killed it, most often the system when memory ran out: measure how much it uses"
        }
        ProcessEnd::Signal(name) if ["SEGV", "BUS", "ABRT", "ILL"].contains(&name.as_str()) => {
            "memory was misused or an assertion failed: run it in a debugger or with a sanitizer"
        }
        _ if clues.log.trim().is_empty() => {
            "it wrote nothing to standard error: catch the error and write it there, the arena keeps that"
        }
        _ => return None,
    };
    Some(help.into())
}

/// Explains the isolation limit that an error line indicates, and the setting that lifts it.
fn wall(line: &str, dir: Option<&Path>) -> Option<String> {
    let lower = line.to_lowercase();
    let missing = has(&lower, "no such file|nosuchfile|enoent")
        .then(|| unseen(line, dir.unwrap_or(Path::new("/nowhere"))));
    let unseen = |path| {
        format!(
            "{path} is on this machine, but isolated bots see only the system, their own folder and what read = [\"PATH\"] \
             (--read PATH) adds"
        )
    };
    WALLS
        .iter()
        .find(|(words, _)| has(&lower, words))
        .map(|(_, wall)| (*wall).into())
        .or_else(|| missing?.map(unseen))
}

/// Returns a path in the line that leads out of the bot's folder, if there is one.
fn unseen<'a>(line: &'a str, dir: &Path) -> Option<&'a str> {
    let own = dir.canonicalize().unwrap_or(dir.into());
    let words = line
        .split(['\'', '"', ' ', '(', ')'])
        .map(|word| word.trim_end_matches([':', ',']));
    let is_outside = |path: PathBuf| {
        path.canonicalize()
            .is_ok_and(|path| !path.starts_with(&own))
    };
    words
        .filter(|word| word.contains('/'))
        .find(|word| is_outside(dir.join(word)))
}

/// Appends the idiom of the bot's language to a sentence.
fn with(sentence: &str, idiom: Option<&str>) -> String {
    idiom.map_or_else(
        || sentence.to_owned(),
        |idiom| format!("{sentence}: {idiom}"),
    )
}

/// Formats a time in milliseconds, with one decimal below 10 ms.
pub fn milliseconds(micros: u64) -> String {
    if micros < 10_000 {
        format!("{:.1} ms", micros as f64 / 1_000.0)
    } else {
        format!("{} ms", micros / 1_000)
    }
}

#[cfg(test)]
mod tests;
