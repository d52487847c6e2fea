//! Usage errors: problems in a tournament file or in the flags, shown in context.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use arena_engine::shown;
use arena_tournament::complaint::Complaint;
use arena_tournament::printable::{clean, clean_lines};
use arena_tournament::spec::LeftOut;

/// Maximum number of columns shown of a line.
const MAX_COLUMNS: usize = 90;
/// Maximum number of problems shown.
const MAX_PROBLEMS: usize = 10;
/// Maximum number of columns marked.
const MAX_MARKED: usize = 40;

/// The location of a problem in the file or on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// Byte range in the file.
    File(Range<usize>),
    /// Words on the command line.
    Flag(String),
    /// No location: the key is missing.
    Nowhere,
}

/// A single problem.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// Description of the problem.
    what: String,
    at: At,
    /// Suggested fix; empty if obvious.
    help: String,
    /// Related location in the file, with its label.
    also: Option<(Range<usize>, String)>,
}

impl Diagnostic {
    /// Creates a diagnostic with a suggested fix.
    pub fn new(at: At, what: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            at,
            help: help.into(),
            also: None,
        }
    }

    /// Adds a related location, if it is in the file.
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
        let title = Level::ERROR.primary_title(match &self.at {
            At::Flag(flag) => format!("{}: {}", clean(flag), clean(&self.what)),
            _ => clean(&self.what),
        });
        let help = textwrap::fill(&clean_lines(&self.help), MAX_COLUMNS - 12);
        let is_short = help.chars().count() < MAX_MARKED + 10;
        let group = match (&self.at, source) {
            (At::File(span), Some(source)) => {
                let main = AnnotationKind::Primary.span(source.marked(span));
                let also = self.also.iter().map(|(span, why)| {
                    let span = source.marked(span);
                    AnnotationKind::Context.span(span).label(clean(why))
                });
                let snippet = Snippet::source(&source.text)
                    .path(clean(&source.path))
                    .annotation(main.label(is_short.then(|| help.clone())))
                    .annotations(also);
                if is_short {
                    return renderer.render(&[title.element(snippet)]);
                }
                title.element(snippet)
            }
            (At::Nowhere, Some(source)) => title.element(Origin::path(clean(&source.path))),
            _ => Group::with_title(title),
        };
        renderer.render(&[if help.is_empty() {
            group
        } else {
            group.element(Level::HELP.message(help))
        }])
    }
}

/// The file into which diagnostics point.
#[derive(Clone, Debug)]
pub struct Source {
    /// Name of the file.
    pub path: String,
    /// Content of the file.
    pub text: String,
}

impl Source {
    /// Returns the part of a span that is marked. It lies within one line, and its length is limited.
    fn marked(&self, span: &Range<usize>) -> Range<usize> {
        let all = self.text.get(span.clone()).unwrap_or_default();
        let first = all.lines().next().unwrap_or_default();
        let end = first
            .char_indices()
            .nth(MAX_MARKED)
            .map_or(first.len(), |(end, _)| end);
        let start = span.start.min(self.text.len());
        start..(start + end)
    }
}

/// All problems with a tournament file, the flags, or the use of a command.
#[derive(Debug)]
pub struct UsageError {
    source: Option<Source>,
    diagnostics: Vec<Diagnostic>,
    /// Bots that were left out, which may be the reason for too few players.
    left_out: Vec<LeftOut>,
}

impl UsageError {
    /// Creates an error with a single problem.
    pub fn one(what: impl Into<String>) -> Self {
        Self {
            source: None,
            diagnostics: vec![Diagnostic::new(At::Nowhere, what, "")],
            left_out: Vec::new(),
        }
    }

    /// Creates an error from all problems with a file or the flags, sorted by location.
    pub fn all(source: Option<Source>, mut diagnostics: Vec<Diagnostic>) -> Self {
        diagnostics.sort_by_key(Diagnostic::place);
        Self {
            source,
            diagnostics,
            left_out: Vec::new(),
        }
    }

    /// Adds the bots that are left out.
    pub fn with_left_out(self, left_out: Vec<LeftOut>) -> Self {
        Self { left_out, ..self }
    }

    /// Checks the complaints about a tournament that does not come from a file or flags.
    ///
    /// # Errors
    /// If there are any complaints.
    pub fn check(complaints: &[Complaint]) -> Result<(), Self> {
        let lines: Vec<String> = complaints.iter().map(ToString::to_string).collect();
        if lines.is_empty() {
            Ok(())
        } else {
            Err(Self::one(lines.join("\n       ")))
        }
    }

    /// Describes the problems in one line, without flags and help.
    pub fn problems(&self) -> String {
        let described = |one: &Diagnostic| {
            let rule = match &one.at {
                At::Flag(flag) => flag.strip_prefix("--rule "),
                _ => None,
            };
            rule.map_or_else(|| one.what.clone(), |rule| format!("{rule}: {}", one.what))
        };
        let all: Vec<String> = self.diagnostics.iter().map(described).collect();
        all.join("; ")
    }

    /// Renders the error for people, optionally coloured.
    pub fn report(&self, is_coloured: bool) -> String {
        let renderer = if is_coloured {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        let renderer = renderer.term_width(MAX_COLUMNS);
        let shown = |diagnostic: &Diagnostic| match &self.source {
            None if diagnostic.what.contains('\n') => {
                format!("error: {}", clean_lines(&diagnostic.what))
            }
            source => diagnostic.show(source.as_ref(), &renderer),
        };
        let mut all: Vec<String> = self
            .diagnostics
            .iter()
            .take(MAX_PROBLEMS)
            .map(shown)
            .collect();
        let count = self.diagnostics.len();
        if count > 1 {
            let first = if count > MAX_PROBLEMS {
                format!(", of which the first {MAX_PROBLEMS} are shown")
            } else {
                String::new()
            };
            all.push(format!("{count} problems{first}; nothing was started"));
        }
        let left_out = self.left_out.iter();
        let left_out: Vec<String> = left_out
            .map(|bot| format!("left out   {}", clean_lines(&bot.to_string())))
            .collect();
        all.extend((!left_out.is_empty()).then(|| left_out.join("\n")));
        all.join("\n\n")
    }
}

shown!(UsageError, |error| "{}", error.report(false));

impl std::error::Error for UsageError {}
