//! Table of the win share lost by bots' decisions, as estimated by a judge.

use std::collections::{BTreeMap, BTreeSet};

use arena_tournament::printable::clean;
use serde::Serialize;

use super::fitted;
use crate::table::{Column, Table, percent, percent_span};

/// The win share that a bot's decisions lost, as estimated by a judge.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct JudgedBot {
    /// Name of the bot.
    pub bot: String,
    /// Number of judged matches.
    pub matches: u64,
    /// Number of judged decisions.
    pub decisions: u64,
    /// Win share lost per match, as a mean over deals.
    pub lost: f64,
    /// Ends of the 95 % interval over deals; null if there are too few deals or nearly all of them are equal.
    pub interval: Option<[f64; 2]>,
    /// Win share lost per match, by kind of decision.
    pub kinds: BTreeMap<String, f64>,
    /// Number of clear mistakes.
    pub listed: u64,
}

const NOTES: [&str; 2] = [
    "lost: chance of winning the round that its decisions gave away, in %, summed over a match, with the 95 % interval over deals; then by kind of action",
    "mistakes: decisions that lose more than 2 % and more than 3 standard errors, by two judges",
];

/// Formats the bots as a table, at most `width` columns wide where possible.
pub fn judged(bots: &[JudgedBot], width: usize) -> String {
    let cells = |cell: &dyn Fn(&JudgedBot) -> String| bots.iter().map(cell).collect();
    let kinds: BTreeSet<&String> = bots.iter().flat_map(|bot| bot.kinds.keys()).collect();
    let mut columns = vec![
        Column::name("bot", cells(&|bot| clean(&bot.bot))),
        Column::number("judged", cells(&|bot| bot.decisions.to_string())),
        Column::number("lost", cells(&|bot| percent(Some(bot.lost)))),
        Column::number(
            "95%",
            cells(&|bot| percent_span(bot.interval.map_or([None; 2], |ends| ends.map(Some)))),
        ),
    ];
    columns.extend(
        kinds
            .iter()
            .map(|kind| Column::number(kind, cells(&|bot| percent(bot.kinds.get(*kind).copied())))),
    );
    columns.push(Column::number(
        "mistakes",
        cells(&|bot| bot.listed.to_string()),
    ));
    fitted(
        &Table {
            columns,
            notes: NOTES.map(str::to_owned).into(),
        },
        width,
    )
}
