//! Chart of the ratings in Elo points, strongest bot at the top, with intervals.

use super::axis::Axis;
use super::material::Material;
use super::palette::{BLUE, FAINT, PAPER};
use super::rows::{BotRows, MAX_ROWS, best_of};
use super::sheet::{Form, Sheet};
use super::{Chart, Drawn, Labels, canvas, undrawn};
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
    let drawn = |form| {
        let sheet = draw(Sheet::headed(form, "", "", ""), ratings, &rated, zero);
        canvas::svg(&sheet).map_err(undrawn("ratings"))
    };
    Ok(Some(Drawn {
        labels: labels(&rated, zero),
        svg: drawn(Form::Page)?,
        narrow: drawn(Form::Phone)?,
    }))
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

fn draw(mut sheet: Sheet, ratings: &Ratings, rated: &[(&Rating, Elo)], zero: &str) -> Sheet {
    let (top, shown) = (sheet.form.top(), &rated[..rated.len().min(MAX_ROWS)]);
    let cells = shown
        .iter()
        .map(|(bot, elo)| (bot.bot.as_str(), value(bot, *elo)));
    let cells: Vec<_> = cells.collect();
    let ends = shown.iter().flat_map(|(bot, _)| bot.interval);
    let numbers = shown.iter().map(|(_, elo)| elo.number());
    let numbers: Vec<f64> = numbers.chain(ends.flatten()).collect();
    let measure = format!("Elo points above {zero}");
    let rows = BotRows::draw(&mut sheet, top, &cells, Axis::over(&numbers), &measure);
    rows.mark(&mut sheet, 0.0, cells.len(), FAINT);
    for (index, (bot, elo)) in shown.iter().enumerate() {
        let place = (rows.x(elo.number()), rows.y(index));
        if let [Some(low), Some(high)] = bot.interval {
            sheet.whisker([low, high].map(|end| rows.x(end)), place.1, BLUE);
        }
        match elo {
            Elo::Value(_) => sheet.dot(place, 5.0, BLUE),
            Elo::AtLeast(_) | Elo::AtMost(_) => {
                let is_least = matches!(elo, Elo::AtLeast(_));
                let edge = if is_least { rows.right } else { rows.left };
                sheet.line(place, (edge, place.1), 2.0, BLUE);
                sheet.dot(place, 6.0, BLUE);
                sheet.dot(place, 4.0, PAPER);
            }
        }
    }
    let footnote = footnote(ratings) + &best_of(shown.len(), rated.len());
    sheet.foot(rows.bottom, &footnote)
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
