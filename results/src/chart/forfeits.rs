//! The chart of forfeits: by cause, for each bot that forfeited.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use arena_engine::fault::Cause;

use super::axis::Axis;
use super::material::Material;
use super::palette::KINDS;
use super::rows::{BotRows, MOST_ROWS};
use super::sheet::{Labels, Sheet};
use super::{Chart, ChartError};
use arena_statistics::forfeits::BotForfeits;

/// The chart; there is none where nobody forfeited.
pub(super) fn chart<'a>(material: &Material<'a>) -> Result<Option<Chart<'a>>, ChartError> {
    let mut failed: Vec<&BotForfeits> = material.analysis.forfeits.iter().filter(|bot| bot.all.count > 0).collect();
    if failed.is_empty() {
        return Ok(None);
    }
    failed.sort_by(|a, b| b.all.share.partial_cmp(&a.all.share).unwrap_or(Ordering::Equal).then(a.bot.cmp(&b.bot)));
    let words = words(material, &failed[..failed.len().min(MOST_ROWS)]);
    let names = &material.analysis.bots;
    Ok(Some(Chart::new(material, words, move |sheet| draw(sheet, names, &failed))))
}

fn draw(mut sheet: Sheet, names: &[String], failed: &[&BotForfeits]) -> Sheet {
    let (top, shown) = (sheet.form.top(), &failed[..failed.len().min(MOST_ROWS)]);
    let causes: BTreeSet<Cause> = failed.iter().flat_map(|bot| bot.by_cause.keys().copied()).collect();
    let kinds: Vec<_> =
        causes.iter().map(|cause| (KINDS[*cause as usize % KINDS.len()], describe(*cause).into())).collect();
    let top = sheet.legend(&kinds, top);
    let cells: Vec<_> = shown.iter().map(|bot| (names[bot.bot].as_str(), value(bot))).collect();
    let ends: Vec<f64> = shown.iter().filter_map(|bot| bot.all.share).map(|share| 100.0 * share).chain([0.0]).collect();
    let rows = BotRows::draw(&mut sheet, top, &cells, Axis::over(&ends), "forfeited matches in % of a bot's matches");
    shown.iter().enumerate().for_each(|(index, bot)| draw_bar(&mut sheet, &rows, index, bot));
    let clean = names.len() - failed.len();
    let more = if shown.len() < failed.len() {
        format!("; {} more forfeited less often", failed.len() - shown.len())
    } else {
        String::new()
    };
    sheet.foot(rows.bottom, &format!("{clean} of {} bots never forfeited and are left out{more}", names.len()))
}

fn words(material: &Material<'_>, shown: &[&BotForfeits]) -> Labels {
    let worst = shown.iter().take(3).map(|bot| format!("{} {}", material.analysis.bots[bot.bot], value(bot)));
    Labels {
        name: "forfeits",
        title: "forfeits by cause",
        caption: "In which share of its matches a bot forfeited, and why: too late, its process ended, an illegal action, or an \
                  answer that is no message.",
        alt: format!("Forfeits by cause; most by {}.", worst.collect::<Vec<_>>().join(", ")),
    }
}

fn describe(cause: Cause) -> &'static str {
    match cause {
        Cause::Time => "time: no answer in time",
        Cause::Crash => "crash: its process ended",
        Cause::Illegal => "illegal: an action the rules forbid",
        Cause::Protocol => "protocol: no message",
        Cause::Resources => "resources: stopped",
    }
}

fn value(bot: &BotForfeits) -> String {
    format!("{} of {}", bot.all.count, bot.matches)
}

fn draw_bar(sheet: &mut Sheet, rows: &BotRows, index: usize, bot: &BotForfeits) {
    let mut counted = 0;
    let end = |count: u64| rows.x(100.0 * count as f64 / bot.matches.max(1) as f64);
    let (y, half) = (rows.y(index), rows.half());
    for (cause, share) in &bot.by_cause {
        sheet.fill(
            (end(counted), y - half),
            (end(counted + share.count), y + half),
            KINDS[*cause as usize % KINDS.len()],
        );
        counted += share.count;
    }
}
