//! Charts of a tournament, drawn as SVG. Charts without enough data are left out.

mod convergence;
mod distribution;
mod first_seat;
mod history;
mod layout;
mod lines;
mod material;
pub(crate) mod palette;
mod points;
mod ratings;
mod rows;
mod times;
mod tuning;

use std::path::Path;

pub(crate) use self::history::for_page as of_history;
use self::layout::{Form, Sheet};
use self::material::Material;
pub(crate) use self::ratings::for_page as of_ratings;
pub use self::tuning::write as tuning;
use crate::analysis::Analysis;
use crate::table::facts;
use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;

/// A chart that can be drawn in any form. Its data has already been read from the ledger.
struct Chart<'a> {
    labels: Labels,
    draw: Box<dyn Fn(Form) -> anyhow::Result<String> + 'a>,
}

impl<'a> Chart<'a> {
    /// Creates a chart with the name of the tournament at the head of its sheet.
    fn new(
        material: &Material<'a>,
        labels: Labels,
        draw: impl Fn(&Sheet) -> anyhow::Result<String> + 'a,
    ) -> Self {
        let (title, standings) = (labels.title, &material.analysis.standings);
        let facts = facts(standings, standings.seed);
        Self {
            labels,
            draw: Box::new(move |form| draw(&Sheet::new(form, &standings.name, title, &facts))),
        }
    }
}

/// Function that prepares a chart, or returns `None` without enough data.
type Prepare = for<'a> fn(&Material<'a>) -> anyhow::Result<Option<Chart<'a>>>;

/// All charts, in the order in which they are worth reading.
const CHARTS: &[Prepare] = &[
    points::chart,
    ratings::chart,
    distribution::chart,
    convergence::chart,
    first_seat::chart,
    times::chart,
];

/// Texts of a chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    /// File name without its extension, such as `points`.
    pub name: &'static str,
    /// Title, without the name of the tournament.
    pub title: &'static str,
    /// Caption that describes what is shown and how to read it, in one or two sentences.
    pub caption: &'static str,
    /// Text for readers who cannot see the chart, in one sentence. It contains names of bots that are not escaped.
    pub alt: String,
}

/// Chart drawn for a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    pub labels: Labels,
    /// Drawing without its title, 900 pixels wide: well-formed XML without a declaration, ready for embedding in a
    /// page.
    pub svg: String,
    /// Drawing like `svg`, but 400 pixels wide, for narrow screens.
    pub narrow: String,
}

impl Drawn {
    fn new(labels: Labels, draw: impl Fn(Form) -> anyhow::Result<String>) -> anyhow::Result<Self> {
        Ok(Self {
            labels,
            svg: draw(Form::Page)?,
            narrow: draw(Form::Phone)?,
        })
    }
}

/// Draws the charts with enough data for embedding in a page, in the order in which they are worth reading.
pub fn draw(ledger: &Ledger, analysis: &Analysis) -> anyhow::Result<Vec<Drawn>> {
    for_page(charts(ledger, analysis)?)
}

/// Draws the charts like [`draw`], and also writes each into a folder, which is created if needed.
pub fn write_all(
    folder: &Path,
    ledger: &Ledger,
    analysis: &Analysis,
) -> anyhow::Result<Vec<Drawn>> {
    std::fs::create_dir_all(folder).map_err(LedgerError::file(folder))?;
    let charts = charts(ledger, analysis)?;
    for chart in &charts {
        save(folder, chart.labels.name, &(chart.draw)(Form::File)?)?;
    }
    for_page(charts)
}

/// Writes a chart into a folder.
fn save(folder: &Path, name: &str, svg: &str) -> anyhow::Result<()> {
    let path = folder.join(format!("{name}.svg"));
    Ok(std::fs::write(&path, svg).map_err(LedgerError::file(&path))?)
}

fn charts<'a>(ledger: &'a Ledger, analysis: &'a Analysis) -> anyhow::Result<Vec<Chart<'a>>> {
    let material = Material { ledger, analysis };
    let charts = CHARTS.iter();
    let charts = charts.filter_map(|prepare| prepare(&material).transpose());
    charts.collect()
}

fn for_page(charts: Vec<Chart<'_>>) -> anyhow::Result<Vec<Drawn>> {
    let drawn = |chart: Chart<'_>| Drawn::new(chart.labels, chart.draw);
    charts.into_iter().map(drawn).collect()
}

#[cfg(test)]
mod tests;
