//! Profiles of bots, as tables.

use super::{fitted, grid, lines};
use crate::table::{Column, NOTHING, Table, counted, percent, signed};
use arena_statistics::profile::{Against, Bin, Profile, Profiles, Reading};

/// What the profiles mean, a sentence each.
const NOTES: [&str; 5] = [
    "chance %: how likely its guesses were by counting, with all that was hidden alike likely; right %: how many were right",
    "reads: the difference, by what the bot concludes beyond counting, with the ends of its 95% interval over deals",
    "is read: the same of the guesses of others at what this bot hides",
    "bits: what an answer was worth on average; exp.: what it was expected to be worth",
    "Facts, not grades: a bot that is never read may pay for it elsewhere.",
];

/// The profiles of all bots, in lines of at most `width` columns where that can be.
pub fn profile(profiles: &Profiles, width: usize) -> String {
    let Profiles { matches, forfeited, voids, bots } = profiles;
    let late = bots.iter().map(|bot| bot.late).sum();
    let out = [counted(*forfeited, "forfeited match"), counted(late, "late move"), counted(*voids, "void match")];
    let mut notes = vec![format!("by {}; left out: {}", counted(*matches, "match"), out.join(", "))];
    notes.extend(NOTES.map(str::to_owned));
    let pairs: Vec<(&Profile, &Against)> =
        bots.iter().flat_map(|bot| bot.against.iter().map(move |against| (bot, against))).collect();
    let bins = bots.iter().flat_map(|bot| bot.calibration.iter().map(move |bin| (bot, bin)));
    let bins: Vec<(&Profile, &Bin)> = bins.filter(|(_, bin)| bin.guesses > 0).collect();
    let mut text = fitted(&Table { columns: of_bots(bots), notes }, width);
    // With two bots they would be those of the first table.
    if bots.len() > 2 && !pairs.is_empty() {
        text += &format!("\nabout each opponent\n\n{}\n", grid::parts(&of_pairs(&pairs), width));
    }
    if !bins.is_empty() {
        let note = ["by the chance that counting gave them".to_owned()];
        text += &format!("\nguesses {}\n{}\n", lines(&note, width), grid::parts(&of_bins(&bins), width));
    }
    text
}

fn of_bots(bots: &[Profile]) -> Vec<Column> {
    let cells = |cell: &dyn Fn(&Profile) -> String| bots.iter().map(cell).collect::<Vec<_>>();
    let bits = |bits: Option<f64>| bits.map_or_else(|| NOTHING.to_owned(), |bits| format!("{bits:.2}"));
    let mut columns = vec![Column::name("bot", cells(&|bot| bot.bot.clone()))];
    columns.extend(shares(bots.iter().map(|bot| &bot.reads)));
    columns.extend(reads("reads", bots.iter().map(|bot| &bot.reads)));
    columns.extend(reads("is read", bots.iter().map(|bot| &bot.is_read)));
    columns.push(Column::number("bits", cells(&|bot| bits(bot.gained))));
    columns.push(Column::number("exp.", cells(&|bot| bits(bot.expected))));
    columns
}

fn of_pairs(pairs: &[(&Profile, &Against)]) -> Vec<Column> {
    let mut columns = vec![
        Column::name("bot", pairs.iter().map(|(bot, _)| bot.bot.clone()).collect()),
        Column::name("about", pairs.iter().map(|(_, against)| against.bot.clone()).collect()),
    ];
    columns.extend(shares(pairs.iter().map(|(_, against)| &against.reads)));
    columns.extend(reads("reads", pairs.iter().map(|(_, against)| &against.reads)));
    columns
}

fn of_bins(bins: &[(&Profile, &Bin)]) -> Vec<Column> {
    let cells = |cell: &dyn Fn(&Bin) -> String| bins.iter().map(|(_, bin)| cell(bin)).collect::<Vec<_>>();
    let range = |bin: &Bin| match bin.below {
        Some(below) => format!("{:.0}–{:.0}", 100.0 * bin.from, 100.0 * below),
        None => "100".into(),
    };
    vec![
        Column::name("bot", bins.iter().map(|(bot, _)| bot.bot.clone()).collect()),
        Column::number("chance %", cells(&range)),
        Column::number("guesses", cells(&|bin| bin.guesses.to_string())),
        Column::number("mean %", cells(&|bin| percent(Some(bin.chances / bin.guesses as f64)))),
        Column::number("right %", cells(&|bin| percent(Some(bin.right as f64 / bin.guesses as f64)))),
    ]
}

/// The number of guesses, and their shares that were to be right and were.
fn shares<'a>(all: impl Iterator<Item = &'a Reading> + Clone) -> [Column; 3] {
    let share = |part: f64, reading: &Reading| percent((reading.guesses > 0).then(|| part / reading.guesses as f64));
    [
        Column::number("guesses", all.clone().map(|reading| reading.guesses.to_string()).collect()),
        Column::number("chance %", all.clone().map(|reading| share(reading.chances, reading)).collect()),
        Column::number("right %", all.map(|reading| share(reading.right as f64, reading)).collect()),
    ]
}

/// The difference of the shares, and its interval.
fn reads<'a>(head: &str, all: impl Iterator<Item = &'a Reading> + Clone) -> [Column; 2] {
    let points = |share: f64| signed(100.0 * share, 1);
    let ends = |[low, high]: [f64; 2]| format!("{}…{}", points(low), points(high));
    [
        Column::number(head, all.clone().map(|one| one.mean.map_or_else(|| NOTHING.into(), points)).collect()),
        Column::number("95%", all.map(|one| one.interval.map_or_else(|| NOTHING.into(), ends)).collect()),
    ]
}
