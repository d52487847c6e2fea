//! Tables of bots' profiles.

use super::{Column, NOTHING, Table, counted, decimal, percent, signed};
use arena_statistics::profile::{Profile, Profiles, Reading};

/// Explanations of the profiles, one sentence each.
const NOTES: [&str; 5] = [
    "chance %: mean chance of its guesses by counting, if all hidden possibilities are equally likely; right %: share of right guesses",
    "reads: right % minus chance %, what the bot adds to counting, with its 95 % interval over deals",
    "is read: the same for the guesses of others about the bot",
    "bits: what an answer was worth on average; exp.: what it was expected to be worth",
    "Facts, not grades: a bot that is never read may pay for it elsewhere.",
];

/// Ranges of a calibration, in per cent.
const PARTS: [&str; 6] = ["0–10", "10–25", "25–50", "50–75", "75–100", "100"];

/// Names of bots, with the statistics of their guesses.
type Row<'a> = (Vec<&'a str>, &'a Reading);

/// Returns the tables of all profiles: overall, by opponent if there are several, and by the chance of guesses.
pub(crate) fn profiles(profiles: &Profiles) -> Vec<Table> {
    let Profiles {
        matches,
        forfeited,
        voids,
        bots,
    } = profiles;
    let late = bots.iter().map(|bot| bot.late).sum();
    let out = [
        counted(*forfeited, "forfeited match"),
        counted(late, "late move"),
        counted(*voids, "void match"),
    ];
    let mut notes = vec![format!(
        "by {}; left out: {}",
        counted(*matches, "match"),
        out.join(", ")
    )];
    notes.extend(NOTES.map(str::to_owned));
    let (mut met, mut parts): (Vec<Row<'_>>, Vec<Row<'_>>) = (Vec::new(), Vec::new());
    for bot in bots {
        met.extend(
            bot.against
                .iter()
                .map(|(other, reads)| (vec![bot.bot.as_str(), other], reads)),
        );
        parts.extend(
            bot.calibration
                .iter()
                .zip(PARTS)
                .map(|(reads, part)| (vec![bot.bot.as_str(), part], reads)),
        );
    }
    // With two bots, the first table already shows this.
    met.retain(|_| bots.len() > 2);
    parts.retain(|(_, reads)| reads.guesses > 0);
    let mut tables = vec![Table {
        columns: of_bots(bots),
        notes,
    }];
    for (head, rows) in [("about", met), ("guesses of %", parts)] {
        if !rows.is_empty() {
            tables.push(Table {
                columns: columns(&["bot", head], &rows),
                notes: Vec::new(),
            });
        }
    }
    tables
}

fn of_bots(bots: &[Profile]) -> Vec<Column> {
    let rows = |reads: fn(&Profile) -> &Reading| {
        bots.iter()
            .map(move |bot| (vec![bot.bot.as_str()], reads(bot)))
    };
    let bits = |head: &str, sum: fn(&Profile) -> f64| {
        let mean = |bot: &Profile| (bot.answers > 0).then(|| sum(bot) / bot.answers as f64);
        Column::number(head, bots.iter().map(|bot| decimal(mean(bot))).collect())
    };
    let mut columns = columns(&["bot"], &rows(|bot| &bot.reads).collect::<Vec<_>>());
    columns.extend(reads(
        "is read",
        &rows(|bot| &bot.is_read).collect::<Vec<_>>(),
    ));
    columns.extend([
        bits("bits", |bot| bot.gained),
        bits("exp.", |bot| bot.expected),
    ]);
    columns
}

/// Returns the columns of guesses, after columns of names with these headings.
fn columns(heads: &[&str], rows: &[Row<'_>]) -> Vec<Column> {
    let cells = |cell: &dyn Fn(&Row<'_>) -> String| rows.iter().map(cell).collect::<Vec<_>>();
    let share =
        |part: f64, of: &Reading| percent((of.guesses > 0).then(|| part / of.guesses as f64));
    let names = heads
        .iter()
        .enumerate()
        .map(|(index, head)| Column::name(head, cells(&|row| row.0[index].into())));
    let mut columns: Vec<Column> = names.collect();
    columns.extend([
        Column::number("guesses", cells(&|(_, of)| of.guesses.to_string())),
        Column::number("chance %", cells(&|(_, of)| share(of.chances, of))),
        Column::number("right %", cells(&|(_, of)| share(of.right as f64, of))),
    ]);
    columns.extend(reads("reads", rows));
    columns
}

/// Returns the columns of the difference between the observed and the expected fraction, and of its interval.
fn reads(head: &str, rows: &[Row<'_>]) -> [Column; 2] {
    let points = |share: f64| signed(100.0 * share, 1);
    let ends = |[low, high]: [f64; 2]| format!("{}…{}", points(low), points(high));
    [
        Column::number(
            head,
            rows.iter()
                .map(|(_, of)| of.mean.map_or(NOTHING.into(), points))
                .collect(),
        ),
        Column::number(
            "95%",
            rows.iter()
                .map(|(_, of)| of.interval.map_or(NOTHING.into(), ends))
                .collect(),
        ),
    ]
}
