//! Chart of the ratings in Elo points, strongest bot at the top, with intervals.

use plotters::prelude::{Circle, Color, EmptyElement, PathElement};

use super::layout::{Sheet, around};
use super::material::Material;
use super::palette::{BLUE, FAINT, PAPER};
use super::rows::{MAX_ROWS, Rows, across, best_of, error_bar, numbered};
use super::{Chart, Drawn, Labels};
use crate::table::{self, counted};
use arena_statistics::elo::Elo;
use arena_statistics::rating::{Rating, Ratings};

/// Prepares the chart; `None` until two bots have a rating.
pub(super) fn chart<'a>(material: &Material<'a>) -> anyhow::Result<Option<Chart<'a>>> {
    let ratings = &material.analysis.ratings;
    let rated = rated(ratings);
    if rated.len() < 2 {
        return Ok(None);
    }
    let zero = zero(ratings);
    Ok(Some(Chart::new(
        material,
        labels(&rated, zero),
        move |sheet| draw(sheet, ratings, &rated, zero),
    )))
}

/// Draws the chart of ratings over many tournaments for a page.
pub(crate) fn for_page(ratings: &Ratings) -> anyhow::Result<Option<Drawn>> {
    let rated = rated(ratings);
    if rated.len() < 2 {
        return Ok(None);
    }
    let zero = zero(ratings);
    let drawn = |form| draw(&Sheet::new(form, "", "", ""), ratings, &rated, zero);
    Drawn::new(labels(&rated, zero), drawn).map(Some)
}

fn rated(ratings: &Ratings) -> Vec<(&Rating, Elo)> {
    let rated = ratings.bots.iter();
    rated.filter_map(|bot| Some((bot, bot.elo?))).collect()
}

fn zero(ratings: &Ratings) -> &str {
    let anchor = ratings.anchor.as_deref();
    anchor.unwrap_or("the average of the field")
}

fn labels(rated: &[(&Rating, Elo)], zero: &str) -> Labels {
    let best = rated.iter().take(3);
    let best = best.map(|(bot, elo)| format!("{} {}", bot.bot, table::elo(Some(*elo))));
    let best = best.collect::<Vec<_>>().join(", ");
    Labels {
        name: "ratings",
        title: "ratings",
        caption: "How strong the bots are in Elo points, strongest at the top, with 95 % intervals: 100 points more win about 64 % of the \
                  points. A hollow dot is a bound, and the line from it is open: the bot won, or lost, everything.",
        alt: format!("Ratings in Elo points above {zero}; the first are {best}."),
    }
}

fn draw(
    sheet: &Sheet,
    ratings: &Ratings,
    rated: &[(&Rating, Elo)],
    zero: &str,
) -> anyhow::Result<String> {
    let shown = &rated[..rated.len().min(MAX_ROWS)];
    let cells = shown
        .iter()
        .map(|(bot, elo)| (bot.bot.as_str(), value(bot, *elo)));
    let footnote = footnote(ratings) + &best_of(shown.len(), rated.len());
    let rows = Rows::new(
        cells.collect(),
        &format!("Elo points above {zero}"),
        footnote,
    );
    let ends = shown.iter().flat_map(|(bot, _)| bot.interval);
    let numbers = shown.iter().map(|(_, elo)| elo.number());
    let x = around(numbers.chain(ends.flatten()));
    rows.draw(sheet, x, |chart, half| {
        let zeros = numbered(shown).map(|(row, _)| across(0.0, row, half, FAINT));
        chart.draw_series(zeros)?;
        let bar = |(row, (bot, elo)): (i32, &(&Rating, Elo))| {
            let ends = bot.interval[0].zip(bot.interval[1]);
            error_bar(row, elo.number(), ends.map(<[f64; 2]>::from), BLUE)
        };
        chart.draw_series(numbered(shown).map(bar))?;
        let edges = chart.x_range();
        let bounds = numbered(shown).filter_map(|(row, (_, elo))| match elo {
            Elo::Value(_) => None,
            Elo::AtLeast(elo) => Some([(*elo, row), (edges.end, row)]),
            Elo::AtMost(elo) => Some([(*elo, row), (edges.start, row)]),
        });
        for line in bounds {
            let hollow = EmptyElement::at(line[0])
                + Circle::new((0, 0), 6, BLUE.filled())
                + Circle::new((0, 0), 4, PAPER.filled());
            chart.draw_series([PathElement::new(line, BLUE.stroke_width(2))])?;
            chart.draw_series([hollow])?;
        }
        Ok(())
    })
}

/// Formats a rating with its interval, if both ends are known.
fn value(rating: &Rating, elo: Elo) -> String {
    let shown = table::elo(Some(elo));
    match rating.interval {
        ends @ [Some(_), Some(_)] => format!("{shown} ({})", table::elo_span(Some(elo), ends)),
        _ => shown,
    }
}

fn footnote(ratings: &Ratings) -> String {
    let mut intervals = ratings.bots.iter().map(|bot| bot.interval);
    let bars = if intervals.any(|ends| ends.iter().all(Option::is_some)) {
        "error bars: 95 % by how much deals differ"
    } else {
        "no error bars"
    };
    let deals = counted(ratings.deals, "deal");
    format!("each bot’s expected score equals its actual score, over {deals}; {bars}")
}
