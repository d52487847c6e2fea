//! `arena rate`: one rating over many tournaments and files of results.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use arena_results::rate::{self, Choices};
use arena_results::{csv, json, text};
use arena_runner::status::status;
use arena_tournament::printable::clean;

use super::{print, wrong_use};
use crate::cli::Rate;
use crate::terminal;

/// Prints the ratings, and writes the page if requested.
pub fn run(args: &Rate) -> anyhow::Result<ExitCode> {
    let paths: Vec<PathBuf> = args
        .sources
        .iter()
        .map(|source| source.to_path_buf())
        .collect();
    let choices = Choices {
        by_name: args.by.is_some(),
        aliases: args.aliases.clone(),
        anchor: args.anchor.clone(),
        since: args.since,
        only: args.only.clone(),
        without: args.without.clone(),
        points: args.season.points.clone(),
        best: args.season.best(),
    };
    let pooled = match rate::rate(&paths, &choices) {
        Ok(pooled) => pooled,
        Err(why) => return wrong_use(clean(&why)),
    };
    if let Some(file) = &args.html {
        let page = rate::Frame::of_file(&pooled, file.parent().unwrap_or(file))?;
        fs::write(file, page).with_context(|| format!("cannot write {}", file.display()))?;
        status(format_args!("page       {}", file.display()));
    }
    print(&match &pooled.season {
        _ if args.json => json::document(&pooled)?,
        Some(season) if args.csv => csv::season(season),
        _ if args.csv => csv::rated(&pooled),
        _ => text::rated(&pooled, terminal::width()),
    })
}
