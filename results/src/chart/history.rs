//! Chart of the ratings after each day of play.

use super::layout::{Sheet, around};
use super::lines::{self, Line};
use super::palette::KINDS;
use super::rows::best_of;
use super::{Drawn, Labels};
use crate::table::counted;

/// Draws the chart for a page: the name of each bot, strongest first, with numbers of days and its Elo after them.
pub(crate) fn for_page(days: &[&str], bots: &[(&str, Vec<(i32, f64)>)]) -> anyhow::Result<Drawn> {
    let lines = bots.iter().take(KINDS.len()).map(|(name, points)| Line {
        name,
        points: points.clone(),
        band: Vec::new(),
    });
    let lines: Vec<Line<'_>> = lines.collect();
    let points = lines.iter().flat_map(|line| &line.points);
    let y = around(points.map(|(_, elo)| *elo));
    let footnote = "each line: Elo by all matches up to that day".to_owned()
        + &best_of(lines.len(), bots.len());
    let label = |day: &i32| {
        days.get(*day as usize)
            .map_or_else(String::new, |day| (*day).to_owned())
    };
    let drawn = |form| {
        let sheet = Sheet::new(form, "", "", "");
        lines::draw(&sheet, &lines, y.clone(), ["day", "Elo"], &label, &footnote)
    };
    let labels = Labels {
        name: "history",
        title: "Rating over time",
        caption: "The rating of the strongest bots after each day.",
        alt: format!(
            "Elo of {} over {}.",
            counted(lines.len() as u64, "bot"),
            counted(days.len() as u64, "day")
        ),
    };
    Drawn::new(labels, drawn)
}
