//! Charts of a tournament, each as SVG and as PNG from the same drawing; those that say nothing of it are left out.

mod axis;
mod canvas;
mod convergence;
mod crosstable;
mod distribution;
mod first_seat;
mod font;
mod histogram;
mod material;
pub(crate) mod palette;
mod points;
mod ratings;
mod rows;
mod sheet;
mod times;

use std::io;
use std::path::{Path, PathBuf};

use self::material::Material;
use self::sheet::{Form, Labels, Sheet};
use crate::analysis::Analysis;
use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;

/// A chart that is ready to be drawn in any form: what it takes of the ledger is read once.
struct Chart<'a> {
    words: Labels,
    draw: Box<dyn Fn(Form) -> Sheet + 'a>,
}

impl<'a> Chart<'a> {
    /// With the name of the tournament in the head of its sheet.
    fn new(material: &Material<'a>, words: Labels, draw: impl Fn(Sheet) -> Sheet + 'a) -> Self {
        let (title, standings) = (words.title, &material.analysis.standings);
        Self { words, draw: Box::new(move |form| draw(Sheet::new(form, title, standings))) }
    }
}

/// Prepares a chart, or nothing where it would say nothing.
type Prepare = for<'a> fn(&Material<'a>) -> Result<Option<Chart<'a>>, ChartError>;

/// All charts, in the order in which they are worth reading.
const CHARTS: &[Prepare] = &[
    points::chart,
    ratings::chart,
    crosstable::chart,
    distribution::chart,
    convergence::chart,
    first_seat::chart,
    times::chart,
];

/// The chart that pages have as a table, whose cells have the same colours.
const TABLE: &str = "crosstable";

/// Why a chart fails.
#[derive(Debug, thiserror::Error)]
pub enum ChartError {
    /// The ledger cannot be read.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A folder or a file cannot be written.
    #[error("cannot write {}: {error}", path.display())]
    Write {
        /// The folder or file.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// A drawing failed.
    #[error("cannot draw the chart {name}: {why}")]
    Draw {
        /// The chart's name.
        name: &'static str,
        /// The drawing library's error.
        why: String,
    },
}

/// A chart that was drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// The name of its files without their endings, such as `points`.
    pub name: &'static str,
    /// The title, without the name of the tournament.
    pub title: &'static str,
    /// The caption: what is shown and how to read it, in one or two sentences.
    pub caption: &'static str,
    /// The text for readers who cannot see it, in a sentence; holds names of bots as they are.
    pub alt: String,
    /// The drawing without its title, 900 pixels wide: well-formed XML without a declaration, to be put into a page as it is.
    pub svg: String,
    /// The same for narrow screens, 400 pixels wide.
    pub narrow: String,
}

/// The charts that say something for this tournament, to be put into a page, in the order in which they are worth reading.
pub fn draw(ledger: &Ledger, analysis: &Analysis) -> Result<Vec<Drawn>, ChartError> {
    for_page(&charts(ledger, analysis)?)
}

/// Draws them, and writes all charts as SVG and PNG into the folder, which is made if need be.
pub fn write_all(folder: &Path, ledger: &Ledger, analysis: &Analysis) -> Result<Vec<Drawn>, ChartError> {
    let cannot = |path: &Path| {
        let path = path.to_path_buf();
        |error| ChartError::Write { path, error }
    };
    std::fs::create_dir_all(folder).map_err(cannot(folder))?;
    let charts = charts(ledger, analysis)?;
    for chart in &charts {
        let (name, sheet) = (chart.words.name, (chart.draw)(Form::File));
        let png = folder.join(format!("{name}.png"));
        let drawn = canvas::png(&sheet).map_err(|why| ChartError::Draw { name, why })?;
        std::fs::write(&png, drawn).map_err(cannot(&png))?;
        let svg = folder.join(format!("{name}.svg"));
        std::fs::write(&svg, svg_of(chart, Form::File)?).map_err(cannot(&svg))?;
    }
    for_page(&charts)
}

/// The names among these that a PNG shows boxes in, since its font lacks letters of theirs; SVG and pages have all letters.
pub fn lacking_in_png(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).filter(|name| !font::has(&font::shown(name))).collect()
}

fn charts<'a>(ledger: &'a Ledger, analysis: &'a Analysis) -> Result<Vec<Chart<'a>>, ChartError> {
    let material = Material { ledger, analysis };
    CHARTS.iter().filter_map(|prepare| prepare(&material).transpose()).collect()
}

fn for_page(charts: &[Chart<'_>]) -> Result<Vec<Drawn>, ChartError> {
    charts.iter().filter(|chart| chart.words.name != TABLE).map(drawn).collect()
}

fn drawn(chart: &Chart<'_>) -> Result<Drawn, ChartError> {
    let [svg, narrow] = [svg_of(chart, Form::Page)?, svg_of(chart, Form::Phone)?];
    let Labels { name, title, caption, alt } = &chart.words;
    Ok(Drawn { name, title, caption, alt: alt.clone(), svg, narrow })
}

fn svg_of(chart: &Chart<'_>, form: Form) -> Result<String, ChartError> {
    canvas::svg(&(chart.draw)(form)).map_err(|why| ChartError::Draw { name: chart.words.name, why })
}

#[cfg(test)]
mod tests;
