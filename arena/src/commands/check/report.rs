//! The results of a check: printed step by step, or as JSON at the end.

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

/// The widest text, in columns.
const WIDEST: usize = 110;
/// The mark before quoted lines.
const BAR: &str = "        | ";
/// The characters of a bot's text that are shown.
const SHOWN: usize = 400;
/// The number of lines of a log that are shown.
const LOG_LINES: usize = 12;
/// The column of a step's result.
const COLUMN: usize = 44;
/// The head of the table of times.
const TABLE: &str =
    "\n                       turns   median ms     99 % ms  longest ms   computing\n";
/// What an unknown part of time means.
const UNKNOWN: &str =
    "    computing is unknown if a bot offers several matches at once, whose turns overlap,
    or if its main process cannot be measured\n";
/// On terminals with fewer columns steps are not aligned.
const NARROW: usize = 80;

/// The result of a step, or the weight of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Nothing is wrong.
    Ok,
    /// It costs no match, but the author cannot have meant it.
    Warning,
    /// It costs matches.
    Failed,
}

/// Something wrong with the bot.
#[derive(Debug, Serialize)]
pub struct Finding {
    /// How bad it is.
    pub mark: Mark,
    /// The match and turn; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// What is wrong.
    pub what: String,
    /// How to fix it.
    pub help: String,
    /// The lines that show it.
    pub shown: Vec<Shown>,
    /// True if it must be fixed, or tried again, before a tournament, though it costs no match here.
    #[serde(skip)]
    pub is_unready: bool,
}

/// Lines as evidence, without control characters.
#[derive(Debug, Serialize)]
pub struct Shown {
    /// What the lines are.
    label: &'static str,
    /// The lines.
    lines: Vec<String>,
}

impl Finding {
    /// Something that costs matches.
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

    /// Something that costs none.
    pub fn warning(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            mark: Mark::Warning,
            ..Self::failed(what, help)
        }
    }

    /// Keeps the bot from being called ready.
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

    /// Adds the end of a log, if there is any.
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
            text.extend(lines.iter().map(|line| wrapped(BAR, BAR, line, width)));
        }
        text + &paragraph("help: ", &self.help, width) + "\n"
    }
}

/// A text of a bot in one line, without control characters, and not endless.
pub fn plain(text: &str) -> String {
    let text = text.trim_end();
    let start: String = text
        .replace('\t', " ")
        .chars()
        .take(SHOWN)
        .flat_map(message::visible)
        .collect();
    match text.chars().count().saturating_sub(SHOWN) {
        0 => start,
        more => format!("{start}… ({more} characters more)"),
    }
}

/// One step of the check.
#[derive(Debug, Serialize)]
pub struct Step {
    /// Its number, counted from 1.
    number: usize,
    /// What is tried.
    title: String,
    /// How it went: the worst of its findings.
    mark: Mark,
    /// What was seen, in a phrase; may be empty.
    fact: String,
    /// What is wrong.
    findings: Vec<Finding>,
}

/// How the bot used its time in one game.
#[derive(Debug, Serialize)]
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

/// How a bot did against a built-in one.
#[derive(Debug, Serialize)]
pub struct Grade {
    /// The built-in bot.
    pub bot: String,
    /// The game.
    pub game: String,
    /// The random seed of the deals.
    pub seed: Seed,
    /// The number of deals, each played in both seatings.
    pub deals: u64,
    /// The score of the bot under check, in 0 … 1.
    pub score: f64,
    /// The ends of its 95 % interval.
    pub interval: [f64; 2],
    /// The number of matches that it forfeited. Each is a loss.
    pub forfeits: usize,
    /// True if it is proven to be stronger: the interval lies above one half.
    pub proven: bool,
    /// The number of deals that would prove it with a probability of 80 % if this score holds; null where it is proven, where the
    /// score is not above one half, and beyond 10^9.
    pub needed: Option<u64>,
}

/// The results of all bots that were checked.
#[derive(Debug, Serialize)]
pub struct Checked {
    /// True if no step of any bot failed.
    pub passed: bool,
    /// The programs, in order of the tournament file; one if a command was given.
    pub bots: Vec<CheckedBot>,
}

/// The results of one bot.
#[derive(Debug, Serialize)]
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
    /// How it did against the bot of `--beats`; left out without that, and where a step failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grade: Option<Grade>,
}

/// The steps of one bot so far.
pub struct Report {
    json: bool,
    steps: RefCell<Vec<Step>>,
    /// Its grade, if it has one.
    pub grade: RefCell<Option<Grade>>,
    /// The step in progress, for people at a terminal.
    waiting: ProgressBar,
}

impl Report {
    /// No steps yet.
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
        self.waits_for("the bot");
    }

    /// Shows what the step waits for.
    pub fn waits_for(&self, what: &str) {
        if let Some(Step { number, title, .. }) = self.steps.borrow().last() {
            self.waiting
                .set_message(format!("{number:>2}  {title}: waiting for {what}"));
            self.waiting.tick();
        }
    }

    /// Ends the step that was begun last.
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

    /// True if no step has failed so far.
    pub fn has_passed(&self) -> bool {
        self.steps
            .borrow()
            .iter()
            .all(|step| step.mark < Mark::Failed)
    }

    /// Ends the check.
    pub fn close(
        &self,
        bot: &str,
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
            false => "",
            true if findings.any(|finding| finding.is_unready) || checked.untried.is_some() => {
                ". See the warnings before this bot plays a tournament."
            }
            true => ". This bot is ready for tournaments.",
        };
        let summary = wrapped("", "", &(checked.summary() + ready), terminal::width());
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

/// The use of time by game.
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
    let head = if timings.is_empty() { "" } else { TABLE };
    let is_unknown = timings.iter().any(|timing| timing.cpu.is_none());
    let note = if is_unknown { UNKNOWN } else { "" };
    head.to_owned() + &timings.iter().map(line).collect::<String>() + note
}

impl CheckedBot {
    /// The result in one line.
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
                .map(|grade| format!("; {}", grade.in_words()))
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
        // On a narrow terminal there is no room for columns.
        let (column, indent) = if width < NARROW {
            (0, 6)
        } else {
            (COLUMN, COLUMN + 14)
        };
        let before = format!("{number:>2}  {title:<column$}  ");
        let first = format!("{before}{:8}", "");
        let facts = wrapped(&first, &" ".repeat(indent), fact, width);
        // Coloured at the end, since colour codes have no width.
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

/// A paragraph under a step.
fn paragraph(label: &str, text: &str, width: usize) -> String {
    wrapped(
        &format!("{:6}{label}", ""),
        &" ".repeat(6 + label.len()),
        text,
        width,
    )
}

/// Text broken at blanks: a word that is longer than a line, such as a path, stays whole, so that it can be copied.
fn wrapped(first: &str, next: &str, text: &str, width: usize) -> String {
    let options = Options::new(width.min(WIDEST))
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
mod tests {
    use super::*;

    #[test]
    fn what_a_bot_wrote_is_shown_without_harm() {
        assert_eq!(
            plain("a \"b\" \u{1b}[2Jc\u{202e}\r"),
            "a \"b\" \\u{1b}[2Jc\\u{202e}"
        );
        assert_eq!(
            plain(&"x".repeat(1_000)),
            format!("{}… (600 characters more)", "x".repeat(SHOWN))
        );
    }

    #[test]
    fn paragraphs_are_broken_at_blanks() {
        for (columns, width) in [(80, 80), (500, WIDEST)] {
            let text = paragraph("help: ", &"word ".repeat(50), columns);
            assert!(
                text.lines().count() > 1 && text.lines().all(|line| line.chars().count() <= width),
                "{text}"
            );
        }
    }

    #[test]
    fn a_long_fact_stays_in_its_column() {
        let fact = "matches and turns and much more than there is room for".into();
        let step = Step {
            number: 3,
            title: "coda".into(),
            mark: Mark::Ok,
            fact,
            findings: Vec::new(),
        };
        let text = step.in_words(80);
        let column = text.find("matches").unwrap();
        assert!(
            text.lines()
                .skip(1)
                .all(|line| line.len() - line.trim_start().len() == column),
            "{text}"
        );
        assert!(
            text.lines().all(|line| line.len() <= 80) && text.contains("  ok      matches"),
            "{text}"
        );
    }
}
