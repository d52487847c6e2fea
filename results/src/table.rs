//! The standings as columns of text, from which every table for people is made.

use crate::standings::{Standing, Standings};

/// One column of a table of standings.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// What stands above it.
    pub(crate) head: String,
    /// Its cells, best bot first.
    pub(crate) cells: Vec<String>,
    /// When it is left out of a table that is too wide: the highest first, 0 never.
    pub(crate) spare: u8,
}

/// What a table shows where there is no number yet.
pub(crate) const NOTHING: &str = "–";

/// All columns, the bots' names (as they are) in the second.
pub(crate) fn columns(standings: &Standings) -> Vec<Column> {
    let column = |head: &str, spare: u8, cell: &dyn Fn(&Standing) -> String| Column {
        head: head.into(),
        spare,
        cells: standings.standings.iter().map(cell).collect(),
    };
    let mut columns = vec![
        column("#", 0, &|row| row.rank.to_string()),
        column("bot", 0, &|row| row.bot.clone()),
        column("matches", 3, &|row| row.matches.to_string()),
        column("W", 0, &|row| row.wins.to_string()),
        column("D", 0, &|row| row.draws.to_string()),
        column("L", 0, &|row| row.losses.to_string()),
        column("points", 2, &|row| row.points.to_string()),
        column("pts/match", 0, &|row| decimal(row.points_per_match)),
        column("±95%", 0, &|row| decimal(half_width(row))),
    ];
    let sources = standings.standings.first().map(|row| row.breakdown.0.as_slice()).unwrap_or_default();
    columns.extend(sources.iter().enumerate().map(|(index, (source, _))| {
        column(&source.replace('_', " "), 1, &|row| {
            let count = row.breakdown.0.get(index).map_or(0, |(_, count)| *count);
            decimal((row.matches > 0).then(|| count as f64 / row.matches as f64))
        })
    }));
    columns.push(column("forfeits", 0, &|row| row.forfeits.total.to_string()));
    columns
}

/// Half the width of a bot's 95 % interval.
pub(crate) fn half_width(row: &Standing) -> Option<f64> {
    row.interval.map(|[low, high]| (high - low) / 2.0)
}

/// What the tournament is, in a line.
pub(crate) fn heading(standings: &Standings) -> String {
    let Standings { name, game, format, seats, deals, seed, played, planned, .. } = standings;
    let matches =
        if standings.complete { format!("{played} matches") } else { format!("{played} of {planned} matches") };
    format!("{name}: {game}, {format}, {seats} seats, {matches} on {deals} deals, seed {seed}")
}

/// What the numbers mean and leave out, a sentence each.
pub(crate) fn notes(standings: &Standings) -> Vec<String> {
    let mut notes = Vec::new();
    match standings.standings.iter().map(|row| row.interval_deals).max() {
        Some(deals @ 2..) => notes.push(format!("±95%: t interval of pts/match over {deals} finished deals")),
        _ => notes.push("±95%: none yet, it takes two finished deals".into()),
    }
    let sources = standings.standings.first().map(|row| row.breakdown.0.as_slice()).unwrap_or_default();
    if !sources.is_empty() {
        let sources: Vec<String> = sources.iter().map(|(source, _)| source.replace('_', " ")).collect();
        notes.push(format!("{}: how often, per match", sources.join(", ")));
    }
    match standings.unfinished_deals {
        0 => {}
        1 => notes.push("1 deal is unfinished and left out of the intervals".into()),
        deals => notes.push(format!("{deals} deals are unfinished and left out of the intervals")),
    }
    notes
}

/// A number with two decimals.
pub(crate) fn decimal(number: Option<f64>) -> String {
    number.map_or_else(|| NOTHING.into(), |number| format!("{number:.2}"))
}

/// A share in per cent.
pub(crate) fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| NOTHING.into(), |share| format!("{:.1}", 100.0 * share))
}
