//! Suggestions for unknown commands, flags and values.

use arena_tournament::suggest;
use clap::error::{ContextKind, ContextValue};

/// Words that people try, grouped by the command that they mean.
const SYNONYMS: &[(&str, &[&str])] = &[
    ("new", &["create"]),
    (
        "run",
        &["start", "resume", "continue", "tournament", "simulate"],
    ),
    ("check", &["test", "lint", "validate", "debug"]),
    ("show", &["standings", "results", "list", "ls", "view"]),
    ("serve", &["play", "watch", "web", "ui", "server", "browse"]),
    ("faults", &["errors", "logs", "log"]),
    ("games", &["rules"]),
    ("reset", &["delete", "clear", "clean", "remove", "rm"]),
];

/// Replaces the suggestions of a command-line error with words of similar spelling, or with what people usually mean.
pub fn improve(mut error: clap::Error) -> clap::Error {
    for (word, suggested) in [
        (
            ContextKind::InvalidSubcommand,
            ContextKind::SuggestedSubcommand,
        ),
        (ContextKind::InvalidArg, ContextKind::SuggestedArg),
        (ContextKind::InvalidValue, ContextKind::SuggestedValue),
    ] {
        let Some(ContextValue::String(word)) = error.get(word) else {
            continue;
        };
        let (is_command, word) = (suggested == ContextKind::SuggestedSubcommand, word.clone());
        let meant = |(command, words): &(&'static str, &[&str])| {
            words.contains(&word.as_str()).then_some(*command)
        };
        let near = match error.remove(suggested) {
            Some(ContextValue::String(one)) => vec![one],
            Some(ContextValue::Strings(all)) => all,
            _ => Vec::new(),
        };
        let known: Vec<&str> = near.iter().map(String::as_str).collect();
        if let Some(command) = SYNONYMS.iter().find_map(meant).filter(|_| is_command) {
            let tip = format!("did you mean `arena {command}`?").into();
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
        } else if let Some(nearest) = suggest::nearest(&word, &known) {
            let nearest = nearest.to_owned();
            let value = if is_command {
                ContextValue::Strings(vec![nearest])
            } else {
                ContextValue::String(nearest)
            };
            error.insert(suggested, value);
        }
    }
    error
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory};

    use super::*;
    use crate::cli::Cli;

    fn tip(word: &str) -> String {
        let tried = Cli::command().try_get_matches_from(["arena", word]);
        let error = improve(tried.unwrap_err()).to_string();
        let tip = error
            .lines()
            .find_map(|line| line.trim().strip_prefix("tip: "));
        tip.unwrap_or_default().to_owned()
    }

    #[test]
    fn suggestions_are_near_or_meant() {
        for (word, expected) in [
            ("test", "did you mean `arena check`?"),
            ("play", "did you mean `arena serve`?"),
            ("shwo", "a similar subcommand exists: 'show'"),
            ("expotr", "a similar subcommand exists: 'export'"),
            ("rest", "a similar subcommand exists: 'reset'"),
            ("plain", "a similar subcommand exists: 'plan'"),
            ("xyz", ""),
        ] {
            assert_eq!(tip(word), expected, "{word}");
        }
        let all = Cli::command();
        let is_command = |name: &&str| {
            all.get_subcommands()
                .map(Command::get_name)
                .any(|known| known == *name)
        };
        for (command, words) in SYNONYMS {
            assert!(
                is_command(command) && !words.iter().any(&is_command),
                "{command}"
            );
        }
    }
}
