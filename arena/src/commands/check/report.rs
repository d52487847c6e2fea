//! Results of a check, printed step by step or as JSON at the end.

use std::cell::RefCell;

use arena_engine::chance::Seed;
use arena_protocol::message;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use textwrap::{Options, WordSplitter};

use crate::cli::Check;
use crate::commands;
use crate::terminal::{self, Colour, painted};
use arena_tournament::error_lines;
use arena_tournament::printable::clean_lines;

/// Maximum width of the text, in columns.
const MAX_WIDTH: usize = 110;
/// Prefix of quoted lines.
const QUOTE_PREFIX: &str = "        | ";
/// Maximum number of characters shown of a bot's text.
const MAX_TEXT_CHARS: usize = 400;
/// Maximum number of log lines shown.
const LOG_LINES: usize = 12;
/// Column at which a step's result begins.
const RESULT_COLUMN: usize = 44;
/// Header of the table of answer times.
const TIMING_HEADER: &str =
    "\n                       turns   median ms     99 % ms  longest ms   computing\n";
/// Note that explains an unknown CPU share.
const UNKNOWN_CPU_NOTE: &str =
    "    computing is unknown if a bot offers several matches at once, whose turns overlap,
    or if its main process cannot be measured\n";
/// Minimum terminal width at which steps are aligned.
const MIN_ALIGNED_WIDTH: usize = 80;

/// The result of a step, or the severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// No problem was found.
    Ok,
    /// A problem that costs no match, but is probably not intended.
    Warning,
    /// A problem that costs matches.
    Failed,
}

/// A problem with the bot.
#[derive(Debug, Serialize)]
pub struct Finding {
    /// The severity of the problem.
    pub mark: Mark,
    /// Match and turn of the problem; left out if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// A description of the problem.
    pub what: String,
    /// Advice on fixing the problem.
    pub help: String,
    /// Lines that show the problem.
    pub shown: Vec<Shown>,
    /// True if the problem must be fixed or checked again before a tournament, even though it costs no match here.
    #[serde(skip)]
    pub is_unready: bool,
}

/// Lines as evidence, without control characters.
#[derive(Debug, Serialize)]
pub struct Shown {
    /// Description of the lines.
    label: &'static str,
    /// The lines.
    lines: Vec<String>,
}

impl Finding {
    /// Creates a problem that costs matches.
    pub fn failed(what: impl Into<String>, help: impl Into<String>) -> Self {
        let [what, help] = [what.into(), help.into()].map(|text| clean_lines(&text));
        Self {
            mark: Mark::Failed,
            at: None,
            what,
            help,
            shown: Vec::new(),
            is_unready: false,
        }
    }

    /// Creates a problem that costs no match.
    pub fn warning(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            mark: Mark::Warning,
            ..Self::failed(what, help)
        }
    }

    /// Marks the problem as one to fix before a tournament.
    pub fn unready(self) -> Self {
        Self {
            is_unready: true,
            ..self
        }
    }

    /// Adds a line of evidence, unless it is blank.
    pub fn show(self, label: &'static str, line: &str) -> Self {
        self.show_lines(label, &[line])
    }

    /// Adds the end of a log, unless it is empty.
    pub fn show_log(self, log: &str) -> Self {
        let lines = error_lines::excerpt(log, LOG_LINES);
        self.show_lines("the end of its standard error", &lines)
    }

    fn show_lines(mut self, label: &'static str, lines: &[&str]) -> Self {
        if lines.iter().any(|line| !line.trim().is_empty()) {
            self.shown.push(Shown {
                label,
                lines: lines.iter().map(|line| plain(line)).collect(),
            });
        }
        self
    }

    fn in_words(&self, width: usize) -> String {
        let at = self
            .at
            .as_ref()
            .map(|at| format!(" ({at})"))
            .unwrap_or_default();
        let mut text =
            String::from("\n") + &paragraph("what: ", &format!("{}{at}", self.what), width);
        for Shown { label, lines } in &self.shown {
            text += &format!("      {label}:\n");
            text.extend(
                lines
                    .iter()
                    .map(|line| wrapped(QUOTE_PREFIX, QUOTE_PREFIX, line, width)),
            );
        }
        text + &paragraph("help: ", &self.help, width) + "\n"
    }
}

/// Formats a bot's text as one line of limited length, without control characters.
pub fn plain(text: &str) -> String {
    let text = text.trim_end();
    let start: String = text
        .replace('\t', " ")
        .chars()
        .take(MAX_TEXT_CHARS)
        .flat_map(message::visible)
        .collect();
    match text.chars().count().saturating_sub(MAX_TEXT_CHARS) {
        0 => start,
        more => format!("{start}… ({more} characters more)"),
    }
}

/// One step of the check.
#[derive(Debug, Serialize)]
pub struct Step {
    /// The number of the step, counted from 1.
    number: usize,
    /// A description of the check.
    title: String,
    /// The result of the step: the worst severity of its findings.
    mark: Mark,
    /// An observation, as a phrase; may be empty.
    fact: String,
    /// The problems found.
    findings: Vec<Finding>,
}

/// The time that a bot used in one game.
#[derive(Debug, Serialize)]
pub struct Timing {
    /// The game.
    pub game: String,
    /// Number of answers timed.
    pub turns: usize,
    /// Median answer time, in milliseconds.
    pub median_ms: f64,
    /// 99th percentile of answer times, in milliseconds.
    pub p99_ms: f64,
    /// Longest answer time, in milliseconds.
    pub longest_ms: f64,
    /// Longest answer time as a fraction of the move limit: 1 is the whole limit.
    pub longest_of_limit: f64,
    /// Fraction of the time in which the bot's main process used the CPU, 0 to 1; null if unknown.
    pub cpu: Option<f64>,
}

/// A bot's result against a built-in bot.
#[derive(Debug, Serialize)]
pub struct Grade {
    /// The built-in bot.
    pub bot: String,
    /// The game.
    pub game: String,
    /// Seed of the deals.
    pub seed: Seed,
    /// Number of deals, each played in both seatings.
    pub deals: u64,
    /// Score of the bot under check, 0 to 1.
    pub score: f64,
    /// Bounds of the score's 95 % confidence interval.
    pub interval: [f64; 2],
    /// Number of matches that the bot forfeited. Each counts as a loss.
    pub forfeits: usize,
    /// True if the bot is proven to be stronger: the confidence interval lies above ½.
    pub proven: bool,
    /// Number of deals that would prove the bot stronger with a probability of 80 %, if this score is the true one. Null if the bot is
    /// already proven stronger, if the score is at most ½, or if the number exceeds 10^9.
    pub needed: Option<u64>,
}

/// Results for all checked bots.
#[derive(Debug, Serialize)]
pub struct Checked {
    /// True if no step of any bot failed.
    pub passed: bool,
    /// The programs, in the order of the tournament file; a single one if a command was given.
    pub bots: Vec<CheckedBot>,
}

/// Results for one bot.
#[derive(Debug, Serialize)]
pub struct CheckedBot {
    /// The bot's name in the tournament file, or the given command.
    pub bot: String,
    /// True if no step failed.
    pub passed: bool,
    /// The steps, in order.
    steps: Vec<Step>,
    /// The time that the bot used, by game.
    timing: Vec<Timing>,
    /// A sentence on the steps that a failure kept from being tried; null if everything was tried.
    untried: Option<String>,
    /// The result against the bot of `--beats`; left out without `--beats`, or if a step failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grade: Option<Grade>,
}

/// The steps of one bot so far.
pub struct Steps {
    json: bool,
    steps: RefCell<Vec<Step>>,
    /// The bot's grade, if requested.
    pub grade: RefCell<Option<Grade>>,
    /// Spinner for the step in progress, for people at a terminal.
    waiting: ProgressBar,
}

impl Steps {
    /// Creates a report without steps.
    pub fn new(args: &Check) -> Self {
        let waiting = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{wide_msg}")
            .unwrap_or_else(|_| ProgressStyle::default_spinner());
        Self {
            json: args.json,
            steps: RefCell::default(),
            grade: RefCell::default(),
            waiting: waiting.with_style(style),
        }
    }

    /// Begins a step.
    pub fn begin(&self, title: impl Into<String>) {
        let number = self.steps.borrow().len() + 1;
        let step = Step {
            number,
            title: title.into(),
            mark: Mark::Ok,
            fact: String::new(),
            findings: vec![],
        };
        self.steps.borrow_mut().push(step);
        self.waiting.reset();
        self.waits_for("an answer");
    }

    /// Shows the event for which the current step is waiting.
    pub fn waits_for(&self, what: &str) {
        if let Some(Step { number, title, .. }) = self.steps.borrow().last() {
            self.waiting
                .set_message(format!("{number:>2}  {title}: waiting for {what}"));
            self.waiting.tick();
        }
    }

    /// Ends the current step.
    pub fn end(
        &self,
        fact: impl Into<String>,
        findings: impl IntoIterator<Item = Finding>,
    ) -> anyhow::Result<Mark> {
        let mut steps = self.steps.borrow_mut();
        let step = steps.last_mut().expect("a step was begun");
        (step.fact, step.findings) = (fact.into(), findings.into_iter().collect());
        step.mark = step
            .findings
            .iter()
            .map(|finding| finding.mark)
            .max()
            .unwrap_or(Mark::Ok);
        self.waiting.finish_and_clear();
        self.print(&step.in_words(terminal::width()))?;
        Ok(step.mark)
    }

    /// Returns `true` if no step has failed so far.
    pub fn has_passed(&self) -> bool {
        self.steps
            .borrow()
            .iter()
            .all(|step| step.mark < Mark::Failed)
    }

    /// Ends the check of a bot or a game, and returns its results.
    pub fn close(
        &self,
        bot: &str,
        kind: &str,
        timing: Vec<Timing>,
        untried: Option<String>,
    ) -> anyhow::Result<CheckedBot> {
        let (passed, grade) = (self.has_passed(), self.grade.take());
        let steps = self.steps.take();
        let checked = CheckedBot {
            bot: bot.to_owned(),
            passed,
            steps,
            timing,
            untried,
            grade,
        };
        let mut findings = checked.steps.iter().flat_map(|step| &step.findings);
        let ready = match passed {
            false => String::new(),
            true if findings.any(|finding| finding.is_unready) || checked.untried.is_some() => {
                format!(". See the warnings before this {kind} plays a tournament.")
            }
            true => format!(". This {kind} is ready for tournaments."),
        };
        let summary = wrapped("", "", &(checked.summary() + &ready), terminal::width());
        self.print(&format!("{}\n{summary}", table(&checked.timing)))?;
        Ok(checked)
    }

    fn print(&self, text: &str) -> anyhow::Result<()> {
        if !self.json {
            commands::print(text)?;
        }
        Ok(())
    }
}

/// Formats the table of answer times by game.
fn table(timings: &[Timing]) -> String {
    let line = |Timing {
                    game,
                    turns,
                    median_ms,
                    p99_ms,
                    longest_ms,
                    cpu,
                    ..
                }: &Timing| {
        let cpu = cpu.map_or("unknown".into(), |cpu| format!("{:.0} %", cpu * 100.0));
        format!(
            "    {game:<16}{turns:>8}{median_ms:>12.2}{p99_ms:>12.2}{longest_ms:>12.2}{cpu:>12}\n"
        )
    };
    let head = if timings.is_empty() {
        ""
    } else {
        TIMING_HEADER
    };
    let is_unknown = timings.iter().any(|timing| timing.cpu.is_none());
    let note = if is_unknown { UNKNOWN_CPU_NOTE } else { "" };
    head.to_owned() + &timings.iter().map(line).collect::<String>() + note
}

impl CheckedBot {
    /// Formats the result as one line.
    pub fn summary(&self) -> String {
        let marked = |mark| self.steps.iter().filter(move |step| step.mark == mark);
        let steps = self.steps.len();
        let warnings = match marked(Mark::Warning).count() {
            0 => String::new(),
            1 => ", 1 with a warning".into(),
            count => format!(", {count} with warnings"),
        };
        if self.passed {
            let grade = self
                .grade
                .as_ref()
                .map(|grade| format!("; {grade}"))
                .unwrap_or_default();
            return format!(
                "{}: {steps} steps{warnings}{grade}",
                painted("passed", Colour::Green)
            );
        }
        let failed: Vec<String> = marked(Mark::Failed)
            .map(|step| step.number.to_string())
            .collect();
        let plural = if failed.len() == 1 { "" } else { "s" };
        let untried = self
            .untried
            .as_ref()
            .map(|untried| format!("; {untried}"))
            .unwrap_or_default();
        let (word, failed) = (painted("failed", Colour::Red), failed.join(", "));
        format!("{word}: step{plural} {failed} of {steps}{warnings}{untried}")
    }
}

impl Step {
    fn in_words(&self, width: usize) -> String {
        let (mark, colour) = match self.mark {
            Mark::Ok => ("ok", Colour::Green),
            Mark::Warning => ("warning", Colour::Yellow),
            Mark::Failed => ("FAILED", Colour::Red),
        };
        let Self {
            number,
            title,
            fact,
            ..
        } = self;
        // Narrow terminals have no room for columns.
        let (column, indent) = if width < MIN_ALIGNED_WIDTH {
            (0, 6)
        } else {
            (RESULT_COLUMN, RESULT_COLUMN + 14)
        };
        let before = format!("{number:>2}  {title:<column$}  ");
        let first = format!("{before}{:8}", "");
        let facts = wrapped(&first, &" ".repeat(indent), fact, width);
        // Colour the text last. Colour codes have no width, and would break the alignment.
        let text = facts.replacen(
            &first,
            &format!("{before}{}{:2$}", painted(mark, colour), "", 8 - mark.len()),
            1,
        );
        let findings: String = self
            .findings
            .iter()
            .map(|finding| finding.in_words(width))
            .collect();
        format!("{}\n{findings}", text.trim_end())
    }
}

/// Formats a paragraph below a step.
fn paragraph(label: &str, text: &str, width: usize) -> String {
    wrapped(
        &format!("{:6}{label}", ""),
        &" ".repeat(6 + label.len()),
        text,
        width,
    )
}

/// Wraps text at spaces. A word that is longer than a line, such as a path, is not broken, so that it can be copied.
fn wrapped(first: &str, next: &str, text: &str, width: usize) -> String {
    let options = Options::new(width.min(MAX_WIDTH))
        .initial_indent(first)
        .subsequent_indent(next)
        .break_words(false);
    let filled = textwrap::fill(
        text.trim_end(),
        options.word_splitter(WordSplitter::NoHyphenation),
    );
    (if filled.is_empty() {
        first.to_owned()
    } else {
        filled
    }) + "\n"
}

#[cfg(test)]
mod tests;
