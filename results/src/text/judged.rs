//! What the decisions of bots lost, as a table.

use std::collections::{BTreeMap, BTreeSet};

use arena_tournament::printable::clean;
use serde::Serialize;

use super::fitted;
use crate::table::{Column, Table, percent, percent_span};

/// What the decisions of a bot lost, by a judge.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct JudgedBot {
    /// Its name.
    pub bot: String,
    /// Its matches that were judged.
    pub matches: u64,
    /// Its decisions that were judged.
    pub decisions: u64,
    /// The share of winning that it lost per match, as a mean over deals.
    pub lost: f64,
    /// The ends of the 95 % interval over deals; null for too few deals, and where nearly all are equal.
    pub interval: Option<[f64; 2]>,
    /// The share that it lost per match by decisions of each kind.
    pub kinds: BTreeMap<String, f64>,
    /// The number of clear mistakes.
    pub listed: u64,
}

const NOTES: [&str; 2] = [
    "lost: the share of winning that was lost per match, in %, and its 95 % interval over deals; then by the kind of the action",
    "mistakes: decisions that lose more than 2 % and more than 3 standard errors, by two judges",
];

/// The bots, in lines of at most `width` columns where that can be.
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
