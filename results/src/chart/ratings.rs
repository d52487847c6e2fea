//! The chart of the ratings: Elo points by a model of strengths, strongest bot at the top, with intervals.

use super::ChartError;
use super::axis::Axis;
use super::material::Material;
use super::palette::BLUE;
use super::rows::{BotRows, MOST_ROWS, best_of};
use super::sheet::{Labels, Sheet, TOP};
use crate::rating::groups::Limit;
use crate::rating::leaderboard::{ModelName, NoIntervals};
use crate::rating::{Rating, Ratings};

/// The chart; there is none until two bots have a rating.
pub(super) fn draw(material: &Material<'_>) -> Result<Option<Sheet>, ChartError> {
    let ratings = &material.analysis.ratings;
    let rated: Vec<(&Rating, f64)> = ratings.bots.iter().filter_map(|bot| Some((bot, bot.elo?))).collect();
    if rated.len() < 2 {
        return Ok(None);
    }
    let shown = &rated[..rated.len().min(MOST_ROWS)];
    let mut sheet = Sheet::new(words(shown), &material.analysis.standings);
    let cells: Vec<_> = shown.iter().map(|(bot, elo)| (bot.bot.as_str(), value(ratings, bot, *elo))).collect();
    let ends = shown.iter().filter_map(|(bot, _)| bot.interval).flatten();
    let numbers: Vec<f64> = shown.iter().map(|(_, elo)| *elo).chain(ends).collect();
    let rows = BotRows::draw(
        &mut sheet,
        TOP,
        &cells,
        Axis::over(&numbers),
        "rating in Elo points, 0 is the weighted mean of the bots",
    );
    for (index, (bot, elo)) in shown.iter().enumerate() {
        let place = (rows.x(*elo), rows.y(index));
        if let Some(ends) = bot.interval {
            sheet.whisker(ends.map(|end| rows.x(end)), place.1, BLUE);
        }
        match bot.interval {
            Some(_) => sheet.dot(place, 5.0, BLUE),
            None => sheet.ring(place, 6.0, BLUE),
        }
    }
    let footnote = footnote(ratings) + &best_of(shown.len(), rated.len());
    Ok(Some(sheet.foot(rows.bottom, &footnote)))
}

fn words(shown: &[(&Rating, f64)]) -> Labels {
    let best = shown.iter().take(3).map(|(bot, elo)| format!("{} {elo:+.0}", bot.bot));
    Labels {
        name: "ratings",
        title: "ratings",
        caption: "How strong the bots are in Elo points, strongest at the top, with 95 % intervals: 100 points more win about 64 \
                  % of the points. A hollow dot has no interval; its figure says what is known.",
        alt: format!("Ratings in Elo points; the first are {}.", best.collect::<Vec<_>>().join(", ")),
    }
}

/// A rating in figures.
fn value(ratings: &Ratings, rating: &Rating, elo: f64) -> String {
    let group = if ratings.groups > 1 { format!("group {}: ", rating.group) } else { String::new() };
    let figures = match (rating.interval, rating.limit) {
        (Some([low, high]), _) => format!("{elo:+.0} ({low:+.0} … {high:+.0})"),
        (None, Limit::AtLeast) => format!("{elo:+.0} or more"),
        (None, Limit::AtMost) => format!("{elo:+.0} or less"),
        (None, Limit::Neither) => format!("{elo:+.0}, no bound"),
        (None, Limit::Both) => format!("{elo:+.0}"),
    };
    group + &figures
}

fn footnote(ratings: &Ratings) -> String {
    let model = match ratings.model {
        ModelName::Davidson => "Bradley-Terry-Davidson model",
        ModelName::PlackettLuce => "Plackett-Luce model with ties",
    };
    let bars = match ratings.no_intervals {
        None => format!("error bars: 95 % intervals by {} resamples of deals", ratings.resamples),
        Some(NoIntervals::TooFewDeals) => "no error bars: too few deals".into(),
        Some(NoIntervals::TooFewResamples) => "no error bars: too few resamples".into(),
    };
    let groups = match ratings.groups {
        0 | 1 => "",
        _ => "; bots of different groups never met, not even through others, and cannot be compared",
    };
    let open = ratings.bots.iter().any(|bot| bot.elo.is_some() && bot.limit != Limit::Both);
    let bound = if open { "; hollow: its results bound it from one side only, or not at all" } else { "" };
    format!("{model} fitted to {} deals; {bars}{bound}{groups}", ratings.deals)
}
