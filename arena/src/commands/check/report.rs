//! What a check found, step by step: printed as it goes, or as JSON in the end.

use std::io::{self, Write};

use arena_protocol::message;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use schemars::JsonSchema;
use serde::Serialize;
use textwrap::{Options, WordSplitter};

use arena_config::terminal::{self, Colour, painted};

/// The columns that are filled at most.
const WIDEST: usize = 110;
/// What stands before lines that show something.
const BAR: &str = "        | ";
/// The part of a bot's line that is shown, in characters.
const SHOWN: usize = 400;
/// The number of lines of a log that are shown.
const LOG_LINES: usize = 12;
/// Where the result of a step stands.
const COLUMN: usize = 44;
/// On terminals with fewer columns steps are not aligned.
const NARROW: usize = 80;

/// How a step, or a thing found in it, is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// As it should be.
    Ok,
    /// It costs no match, but is not what the author can have meant.
    Warning,
    /// It costs matches.
    Failed,
}

/// Something that is not as it should be.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Finding {
    /// How bad it is.
    pub mark: Mark,
    /// Where it happened; left out if that says nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// What it is.
    pub what: String,
    /// A way out of it.
    pub help: String,
    /// What shows it.
    pub shown: Vec<Shown>,
}

/// Lines that show something, made harmless.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Shown {
    /// What the lines are.
    pub label: &'static str,
    /// The lines.
    pub lines: Vec<String>,
}

impl Finding {
    /// Something that costs matches.
    pub fn failed(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { mark: Mark::Failed, at: None, what: what.into(), help: help.into(), shown: Vec::new() }
    }

    /// Something that does not.
    pub fn warning(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { mark: Mark::Warning, ..Self::failed(what, help) }
    }

    /// Adds a line that shows it, if it is not blank.
    pub fn show(mut self, label: &'static str, line: &str) -> Self {
        if !line.trim().is_empty() {
            self.shown.push(Shown { label, lines: vec![harmless(line)] });
        }
        self
    }

    /// Adds a line before all others.
    pub fn show_first(mut self, label: &'static str, line: &str) -> Self {
        self = self.show(label, line);
        self.shown.rotate_right(usize::from(!line.trim().is_empty()));
        self
    }

    /// Adds the end of a log, if there is any.
    pub fn show_log(mut self, log: &str) -> Self {
        let lines: Vec<String> = log.trim_end().lines().map(harmless).collect();
        if !lines.is_empty() {
            let cut = lines.len().saturating_sub(LOG_LINES);
            self.shown.push(Shown { label: "the end of its standard error", lines: lines[cut..].to_vec() });
        }
        self
    }
}

/// A line of a bot without control characters, and not endless.
fn harmless(line: &str) -> String {
    let start: String = line.trim_end().replace('\t', " ").chars().take(SHOWN).flat_map(message::visible).collect();
    let more = line.trim_end().chars().count().saturating_sub(SHOWN);
    if more == 0 { start } else { format!("{start}… ({more} characters more)") }
}

/// One step of the check.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Step {
    /// Its number, counted from 1.
    number: usize,
    /// What is tried.
    title: String,
    /// How it went: the worst of its findings.
    mark: Mark,
    /// What was seen, in a phrase; may be empty.
    fact: String,
    /// What is not as it should be.
    findings: Vec<Finding>,
}

/// How the bot used its time in one game.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Timing {
    /// The game.
    pub game: String,
    /// The number of answers that were timed.
    pub turns: usize,
    /// Half of the answers took no longer, in milliseconds.
    pub median_ms: f64,
    /// 99 of 100 answers took no longer, in milliseconds.
    pub p99_ms: f64,
    /// The longest answer, in milliseconds.
    pub longest_ms: f64,
    /// The longest answer as a share of the limit of a move: 1 is all of it.
    pub longest_of_limit: f64,
    /// The share of the time in which the bot's main process computed, in 0 … 1; null if it is not known.
    pub cpu: Option<f64>,
}

/// What was found of all bots that were tried.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Checked {
    /// True if no step of any bot failed.
    pub passed: bool,
    /// The programs, in order of the tournament file; one if a command was given.
    pub bots: Vec<CheckedBot>,
}

/// What was found of a bot.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CheckedBot {
    /// Its name in the tournament file; its command if that was given.
    pub bot: String,
    /// True if no step failed.
    pub passed: bool,
    /// What was tried, in order.
    steps: Vec<Step>,
    /// How it used its time, by game.
    timing: Vec<Timing>,
    /// What could not be tried since something failed, in a sentence; null if that is nothing.
    untried: Option<String>,
}

/// Where what is found goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Words, as they come.
    Words,
    /// One JSON object in the end.
    Json,
}

/// All steps so far.
pub struct Report {
    form: Form,
    bot: String,
    steps: Vec<Step>,
    /// What is going on, for people at a terminal; none between two steps.
    waiting: Option<ProgressBar>,
}

impl Report {
    /// Nothing found yet.
    pub fn new(form: Form, bot: &str) -> Self {
        Self { form, bot: bot.to_owned(), steps: Vec::new(), waiting: None }
    }

    /// Says which step begins.
    pub fn begin(&mut self, title: &str) {
        let number = self.steps.len() + 1;
        self.steps.push(Step { number, title: title.into(), mark: Mark::Ok, fact: String::new(), findings: vec![] });
        self.waiting = Some(waiting());
        self.waits_for("the bot");
    }

    /// Says what the step is about, on standard error if that is a terminal.
    pub fn waits_for(&self, what: &str) {
        if let (Some(Step { number, title, .. }), Some(waiting)) = (self.steps.last(), &self.waiting) {
            waiting.set_message(format!("{number:>2}  {title}: waiting for {what}"));
            waiting.tick();
        }
    }

    /// Says how the step that was begun last went.
    pub fn end(&mut self, fact: impl Into<String>, findings: Vec<Finding>) -> anyhow::Result<Mark> {
        let step = self.steps.last_mut().expect("a step was begun");
        step.mark = findings.iter().map(|finding| finding.mark).max().unwrap_or(Mark::Ok);
        (step.fact, step.findings) = (fact.into(), findings);
        if let Some(waiting) = self.waiting.take() {
            waiting.finish_and_clear();
        }
        if self.form == Form::Words {
            io::stdout().lock().write_all(step.in_words(terminal::width()).as_bytes())?;
        }
        Ok(step.mark)
    }

    /// Tells how the time was used.
    pub fn table(&self, timings: &[Timing]) -> io::Result<()> {
        if self.form == Form::Json || timings.is_empty() {
            return Ok(());
        }
        let mut text = format!(
            "\n    {:<16}{:>8}{:>12}{:>12}{:>12}{:>12}\n",
            "", "turns", "median ms", "99 % ms", "longest ms", "computing"
        );
        for Timing { game, turns, median_ms, p99_ms, longest_ms, cpu, .. } in timings {
            let cpu = cpu.map_or("unknown".into(), |cpu| format!("{:.0} %", cpu * 100.0));
            text += &format!("    {game:<16}{turns:>8}{median_ms:>12.2}{p99_ms:>12.2}{longest_ms:>12.2}{cpu:>12}\n");
        }
        io::stdout().lock().write_all(text.as_bytes())
    }

    /// Says what follows from all steps.
    pub fn close(self, timing: Vec<Timing>, untried: Option<String>) -> io::Result<CheckedBot> {
        let passed = self.steps.iter().all(|step| step.mark < Mark::Failed);
        let checked = CheckedBot { bot: self.bot, passed, steps: self.steps, timing, untried };
        if self.form == Form::Words {
            let ready = if passed { ". This bot is ready for tournaments." } else { "" };
            let text = wrapped("", "", &(checked.summary() + ready), terminal::width());
            io::stdout().lock().write_all(format!("\n{text}").as_bytes())?;
        }
        Ok(checked)
    }
}

fn waiting() -> ProgressBar {
    let waiting = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
        waiting.set_style(style);
    }
    waiting
}

impl CheckedBot {
    /// What follows from all steps, in a line.
    pub fn summary(&self) -> String {
        let marked = |mark| self.steps.iter().filter(move |step| step.mark == mark);
        let (steps, warned) = (self.steps.len(), marked(Mark::Warning).count());
        let failed: Vec<String> = marked(Mark::Failed).map(|step| step.number.to_string()).collect();
        let plural = if failed.len() == 1 { "" } else { "s" };
        let untried = self.untried.as_ref().map(|untried| format!("; {untried}")).unwrap_or_default();
        let warnings = match warned {
            0 => String::new(),
            1 => ", 1 with a warning".into(),
            _ => format!(", {warned} with warnings"),
        };
        if self.passed {
            format!("{}: {steps} steps{warnings}", painted("passed", Colour::Green))
        } else {
            let which = failed.join(", ");
            format!("{}: step{plural} {which} of {steps}{warnings}{untried}", painted("failed", Colour::Red))
        }
    }
}

impl Step {
    fn in_words(&self, width: usize) -> String {
        let (mark, colour) = match self.mark {
            Mark::Ok => ("ok", Colour::Green),
            Mark::Warning => ("warning", Colour::Yellow),
            Mark::Failed => ("FAILED", Colour::Red),
        };
        let Self { number, title, fact, .. } = self;
        // On a narrow terminal there is no room for columns.
        let (column, indent) = if width < NARROW { (0, 6) } else { (COLUMN, COLUMN + 14) };
        let before = format!("{number:>2}  {title:<column$}  ");
        let first = format!("{before}{:8}", "");
        let facts = wrapped(&first, &" ".repeat(indent), fact, width);
        // Coloured in the end, since what a terminal obeys has no width.
        let mut text =
            facts.replacen(&first, &format!("{before}{}{:2$}", painted(mark, colour), "", 8 - mark.len()), 1);
        text = text.trim_end().to_owned() + "\n";
        for finding in &self.findings {
            text += &finding.in_words(width);
        }
        text
    }
}

impl Finding {
    fn in_words(&self, width: usize) -> String {
        let at = self.at.as_ref().map(|at| format!(" ({at})")).unwrap_or_default();
        let mut text = String::from("\n") + &paragraph("what: ", &format!("{}{at}", self.what), width);
        for Shown { label, lines } in &self.shown {
            text += &format!("      {label}:\n");
            for line in lines {
                text += &wrapped(BAR, BAR, line, width);
            }
        }
        text + &paragraph("help: ", &self.help, width) + "\n"
    }
}

/// A paragraph under a step.
fn paragraph(label: &str, text: &str, width: usize) -> String {
    wrapped(&format!("{:6}{label}", ""), &" ".repeat(6 + label.len()), text, width)
}

/// Text broken at blanks: a word that is longer than a line, such as a path, stays whole, so that it can be copied.
fn wrapped(first: &str, next: &str, text: &str, width: usize) -> String {
    let options = Options::new(width.min(WIDEST)).initial_indent(first).subsequent_indent(next).break_words(false);
    let filled = textwrap::fill(text.trim_end(), options.word_splitter(WordSplitter::NoHyphenation));
    (if filled.is_empty() { first.to_owned() } else { filled }) + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_bot_wrote_is_shown_without_harm() {
        assert_eq!(harmless("a \"b\" \u{1b}[2Jc\u{202e}\r"), "a \"b\" \\u{1b}[2Jc\\u{202e}");
        assert_eq!(harmless(&"x".repeat(1_000)), format!("{}… (600 characters more)", "x".repeat(SHOWN)));
    }

    #[test]
    fn paragraphs_are_broken_at_blanks() {
        for (asked, width) in [(80, 80), (500, WIDEST)] {
            let text = paragraph("help: ", &"word ".repeat(50), asked);
            assert!(text.lines().count() > 1 && text.lines().all(|line| line.chars().count() <= width), "{text}");
        }
    }

    #[test]
    fn a_long_fact_stays_in_its_column() {
        let fact = "matches and turns and much more than there is room for".into();
        let step = Step { number: 3, title: "coda".into(), mark: Mark::Ok, fact, findings: Vec::new() };
        let text = step.in_words(80);
        let column = text.find("matches").unwrap();
        assert!(text.lines().skip(1).all(|line| line.len() - line.trim_start().len() == column), "{text}");
        assert!(text.lines().all(|line| line.len() <= 80) && text.contains("  ok      matches"), "{text}");
    }
}
