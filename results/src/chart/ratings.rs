//! The chart of the ratings in Elo points, strongest bot at the top, with intervals.

use super::axis::Axis;
use super::material::Material;
use super::palette::{BLUE, FAINT, PAPER};
use super::rows::{BotRows, MOST_ROWS, best_of};
use super::sheet::Sheet;
use super::{Chart, Labels};
use crate::table::{self, counted};
use arena_statistics::elo::Elo;
use arena_statistics::rating::{Rating, Ratings};

/// The chart; there is none until two bots have a rating.
pub(super) fn chart<'a>(material: &Material<'a>) -> anyhow::Result<Option<Chart<'a>>> {
    let ratings = &material.analysis.ratings;
    let rated: Vec<(&Rating, Elo)> = ratings
        .bots
        .iter()
        .filter_map(|bot| Some((bot, bot.over.elo?)))
        .collect();
    let (Some(anchor), 2..) = (&ratings.anchor, rated.len()) else {
        return Ok(None);
    };
    let best = rated
        .iter()
        .take(3)
        .map(|(bot, elo)| format!("{} {}", bot.bot, table::elo(Some(*elo))));
    let labels = Labels {
        name: "ratings",
        title: "ratings",
        caption: "How strong the bots are in Elo points above one of them, strongest at the top, with 95 % intervals: 100 points \
                  more win about 64 % of the points. A hollow dot is a bound, and the line from it is open: one of the two won every deal.",
        alt: format!(
            "Ratings in Elo points above {anchor}; the first are {}.",
            best.collect::<Vec<_>>().join(", ")
        ),
    };
    Ok(Some(Chart::new(material, labels, move |sheet| {
        draw(sheet, ratings, &rated, anchor)
    })))
}

fn draw(mut sheet: Sheet, ratings: &Ratings, rated: &[(&Rating, Elo)], anchor: &str) -> Sheet {
    let (top, shown) = (sheet.form.top(), &rated[..rated.len().min(MOST_ROWS)]);
    let cells: Vec<_> = shown
        .iter()
        .map(|(bot, elo)| (bot.bot.as_str(), value(bot, *elo)))
        .collect();
    let ends = shown
        .iter()
        .flat_map(|(bot, _)| bot.over.interval.into_iter().flatten());
    let numbers: Vec<f64> = shown
        .iter()
        .map(|(_, elo)| elo.number())
        .chain(ends)
        .collect();
    let measure = format!("Elo points above {anchor}");
    let rows = BotRows::draw(&mut sheet, top, &cells, Axis::over(&numbers), &measure);
    rows.mark(&mut sheet, 0.0, cells.len(), FAINT);
    for (index, (bot, elo)) in shown.iter().enumerate() {
        let place = (rows.x(elo.number()), rows.y(index));
        if let [Some(low), Some(high)] = bot.over.interval {
            sheet.whisker([low, high].map(|end| rows.x(end)), place.1, BLUE);
        }
        match elo {
            Elo::Value(_) => sheet.dot(place, 5.0, BLUE),
            Elo::AtLeast(_) | Elo::AtMost(_) => {
                let edge = if matches!(elo, Elo::AtLeast(_)) {
                    rows.right
                } else {
                    rows.left
                };
                sheet.line(place, (edge, place.1), 2.0, BLUE);
                sheet.dot(place, 6.0, BLUE);
                sheet.dot(place, 4.0, PAPER);
            }
        }
    }
    let footnote = footnote(ratings) + &best_of(shown.len(), rated.len());
    sheet.foot(rows.bottom, &footnote)
}

/// A rating in figures.
fn value(rating: &Rating, elo: Elo) -> String {
    match rating.over.interval {
        ends @ [Some(_), Some(_)] => format!(
            "{} ({})",
            table::elo(Some(elo)),
            table::elo_span(Some(elo), ends)
        ),
        _ => table::elo(Some(elo)),
    }
}

fn footnote(ratings: &Ratings) -> String {
    let any = ratings
        .bots
        .iter()
        .any(|bot| bot.over.interval.iter().all(Option::is_some));
    let bars = if any {
        "error bars: 95 % by how much deals differ"
    } else {
        "no error bars"
    };
    format!(
        "each bot’s expected score equals its actual score, over {}; {bars}",
        counted(ratings.deals, "deal")
    )
}
