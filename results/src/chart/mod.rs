//! Charts of a tournament, each as SVG and as PNG from the same drawing; those without enough data are left out.

mod axis;
mod canvas;
mod convergence;
mod distribution;
mod first_seat;
mod font;
mod material;
pub(crate) mod palette;
mod points;
mod ratings;
mod rows;
mod sheet;
mod times;
mod tuning;

use std::path::Path;

use self::material::Material;
use self::sheet::{Form, Sheet};
pub use self::tuning::write as tuning;
use crate::analysis::Analysis;
use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;

/// A chart that is ready to be drawn in any form: what it takes of the ledger is read once.
struct Chart<'a> {
    labels: Labels,
    draw: Box<dyn Fn(Form) -> Sheet + 'a>,
}

impl<'a> Chart<'a> {
    /// With the name of the tournament in the head of its sheet.
    fn new(material: &Material<'a>, labels: Labels, draw: impl Fn(Sheet) -> Sheet + 'a) -> Self {
        let (title, standings) = (labels.title, &material.analysis.standings);
        Self {
            labels,
            draw: Box::new(move |form| draw(Sheet::new(form, title, standings))),
        }
    }

    fn svg(&self, form: Form) -> anyhow::Result<String> {
        canvas::svg(&(self.draw)(form)).map_err(undrawn(self.labels.name))
    }
}

/// The error of the drawing library.
fn undrawn(name: &'static str) -> impl Fn(String) -> anyhow::Error {
    move |why| anyhow::anyhow!("cannot draw the chart {name}: {why}")
}

/// Prepares a chart, or nothing without enough data.
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

/// The texts of a chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    /// The name of its files without their endings, such as `points`.
    pub name: &'static str,
    /// The title, without the name of the tournament.
    pub title: &'static str,
    /// The caption: what is shown and how to read it, in one or two sentences.
    pub caption: &'static str,
    /// The text for readers who cannot see it, in a sentence; holds names of bots, not escaped.
    pub alt: String,
}

/// A chart that was drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    pub labels: Labels,
    /// The drawing without its title, 900 pixels wide: well-formed XML without a declaration, to be put into a page as it is.
    pub svg: String,
    /// The same for narrow screens, 400 pixels wide.
    pub narrow: String,
}

/// The charts with enough data, to be put into a page, in the order in which they are worth reading.
pub fn draw(ledger: &Ledger, analysis: &Analysis) -> anyhow::Result<Vec<Drawn>> {
    for_page(&charts(ledger, analysis)?)
}

/// Draws them, and writes all charts as SVG and PNG into the folder, which is made if need be.
pub fn write_all(
    folder: &Path,
    ledger: &Ledger,
    analysis: &Analysis,
) -> anyhow::Result<Vec<Drawn>> {
    std::fs::create_dir_all(folder).map_err(LedgerError::file(folder))?;
    let charts = charts(ledger, analysis)?;
    for chart in &charts {
        save(folder, chart.labels.name, &(chart.draw)(Form::File))?;
    }
    for_page(&charts)
}

/// Writes a chart as SVG and PNG into the folder.
fn save(folder: &Path, name: &'static str, sheet: &Sheet) -> anyhow::Result<()> {
    let svg = canvas::svg(sheet).map_err(undrawn(name))?.into_bytes();
    let png = canvas::png(sheet).map_err(undrawn(name))?;
    for (ending, drawn) in [("png", png), ("svg", svg)] {
        let path = folder.join(format!("{name}.{ending}"));
        std::fs::write(&path, drawn).map_err(LedgerError::file(&path))?;
    }
    Ok(())
}

/// The names among these that a PNG shows boxes in, since its font lacks letters of theirs; SVG and pages have all letters.
pub fn lacking_in_png(names: &[String]) -> Vec<&str> {
    let names = names.iter().map(String::as_str);
    names
        .filter(|name| !font::has(&font::shown(name)))
        .collect()
}

fn charts<'a>(ledger: &'a Ledger, analysis: &'a Analysis) -> anyhow::Result<Vec<Chart<'a>>> {
    let material = Material { ledger, analysis };
    let charts = CHARTS.iter();
    let charts = charts.filter_map(|prepare| prepare(&material).transpose());
    charts.collect()
}

fn for_page(charts: &[Chart<'_>]) -> anyhow::Result<Vec<Drawn>> {
    let drawn = |chart: &Chart<'_>| {
        Ok(Drawn {
            labels: chart.labels.clone(),
            svg: chart.svg(Form::Page)?,
            narrow: chart.svg(Form::Phone)?,
        })
    };
    charts.iter().map(drawn).collect()
}

#[cfg(test)]
mod tests;
