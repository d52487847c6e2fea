//! What is wrong with a setup, and how it is shown: with the place in the file, or the flag.

use std::fmt;
use std::io::{self, IsTerminal};
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use arena_results::text::clean;

/// How many columns are filled.
const WIDTH: usize = 100;
/// How many columns of a line of the file are shown.
const SHOWN: usize = 90;
/// How many columns are marked at most.
const MARKED: usize = 40;

/// Where something was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// In the file, at these bytes.
    File(Range<usize>),
    /// On the command line, in these words.
    Flag(String),
    /// Nowhere: it is left out.
    Nowhere,
}

/// One thing that is wrong.
#[derive(Clone, Debug)]
pub struct Problem {
    /// What is wrong.
    what: String,
    at: At,
    /// What to do.
    cure: String,
    /// What else in the file has to do with it.
    also: Option<(Range<usize>, String)>,
}

impl Problem {
    /// Something wrong, and what to do.
    pub fn new(at: &At, what: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { what: what.into(), at: at.clone(), cure: cure.into(), also: None }
    }

    /// Points at another place as well, if it is one in the file.
    pub fn also(mut self, at: &At, why: impl Into<String>) -> Self {
        if let At::File(span) = at {
            self.also = Some((span.clone(), why.into()));
        }
        self
    }

    fn place(&self) -> (usize, usize) {
        match &self.at {
            At::File(span) => (0, span.start),
            At::Nowhere => (1, 0),
            At::Flag(_) => (2, 0),
        }
    }

    fn show(&self, source: Option<&Source>, renderer: &Renderer) -> String {
        let group = match (&self.at, source) {
            (At::File(span), Some(source)) => self.in_file(source, span),
            (At::Nowhere, Some(source)) => {
                let title = Level::ERROR.primary_title(clean(&self.what)).element(Origin::path(clean(&source.path)));
                self.with_cure(title)
            }
            (At::Flag(flag), _) => {
                let title = Level::ERROR.primary_title(format!("{}: {}", clean(flag), clean(&self.what)));
                self.with_cure(Group::with_title(title))
            }
            _ => self.with_cure(Group::with_title(Level::ERROR.primary_title(self.what.as_str()))),
        };
        renderer.render(&[group])
    }

    fn in_file<'a>(&'a self, source: &'a Source, span: &Range<usize>) -> Group<'a> {
        let span = source.marked(span);
        let column = source.column(span.start).min(SHOWN - MARKED);
        let fits = column + source.text[span.clone()].chars().count() + self.cure.chars().count() + 8 <= WIDTH;
        let main = AnnotationKind::Primary.span(span);
        let main = if fits && !self.cure.is_empty() { main.label(clean(&self.cure)) } else { main };
        let also = self.also.iter().map(|(span, why)| {
            let span = source.marked(span);
            AnnotationKind::Context.span(span).label(clean(why))
        });
        let snippet = Snippet::source(&source.text).path(clean(&source.path)).annotation(main).annotations(also);
        let group = Level::ERROR.primary_title(clean(&self.what)).element(snippet);
        if fits { group } else { self.with_cure(group) }
    }

    fn with_cure<'a>(&self, group: Group<'a>) -> Group<'a> {
        if self.cure.is_empty() { group } else { group.element(Level::HELP.message(wrapped(&clean(&self.cure)))) }
    }
}

/// Breaks a sentence into lines.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is a first line");
        if line.is_empty() {
            *line += word;
        } else if line.chars().count() + word.chars().count() + 12 > SHOWN {
            lines.push(word.to_owned());
        } else {
            *line += &format!(" {word}");
        }
    }
    lines.join("\n")
}

/// The file that problems point into.
#[derive(Clone, Debug)]
pub struct Source {
    /// How the file is called.
    pub path: String,
    /// What it holds.
    pub text: String,
}

impl Source {
    /// The part of a span that is marked: within one line, and not too much of that.
    fn marked(&self, span: &Range<usize>) -> Range<usize> {
        let all = self.text.get(span.clone()).unwrap_or_default();
        let first = all.lines().next().unwrap_or_default();
        let end = first.char_indices().nth(MARKED).map_or(first.len(), |(end, _)| end);
        let start = span.start.min(self.text.len());
        start..(start + end)
    }

    /// How many characters stand before this byte in its line.
    fn column(&self, byte: usize) -> usize {
        let before = self.text.get(..byte).unwrap_or_default();
        before.rsplit('\n').next().unwrap_or_default().chars().count()
    }
}

/// Everything that is wrong with a setup, or with how a command is used.
#[derive(Debug)]
pub struct BadSetup {
    source: Option<Source>,
    problems: Vec<Problem>,
}

impl BadSetup {
    /// One thing that is wrong.
    pub fn one(what: impl Into<String>) -> Self {
        Self { source: None, problems: vec![Problem::new(&At::Nowhere, what, "")] }
    }

    /// All that is wrong with a file or the flags, in the order of the file.
    pub fn all(source: Option<Source>, mut problems: Vec<Problem>) -> Self {
        problems.sort_by_key(Problem::place);
        Self { source, problems }
    }

    /// These problems, and more.
    pub fn and(mut self, problems: Vec<Problem>) -> Self {
        self.problems.extend(problems);
        self
    }

    /// How many things are wrong.
    #[cfg(test)]
    pub fn count(&self) -> usize {
        self.problems.len()
    }

    /// For people at standard error: in colour if that is a terminal, unless `NO_COLOR` is set.
    pub fn report(&self) -> String {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|set| !set.is_empty());
        let styled = !plain && io::stderr().is_terminal();
        self.shown(if styled { Renderer::styled() } else { Renderer::plain() })
    }

    fn shown(&self, renderer: Renderer) -> String {
        let renderer = renderer.term_width(SHOWN);
        let shown = |problem: &Problem| match &self.source {
            // What is said in several lines has its own shape.
            None if problem.what.contains('\n') => format!("error: {}", problem.what),
            source => problem.show(source.as_ref(), &renderer),
        };
        let mut all: Vec<String> = self.problems.iter().map(shown).collect();
        if self.problems.len() > 1 {
            all.push(format!("{} problems; nothing was started", self.problems.len()));
        }
        all.join("\n\n")
    }
}

impl fmt::Display for BadSetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown(Renderer::plain()))
    }
}

impl std::error::Error for BadSetup {}
