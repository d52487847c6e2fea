//! Charts of a tournament, each as SVG and as PNG from the same drawing; those that say nothing of it are left out.

mod axis;
mod canvas;
mod convergence;
mod crosstable;
mod distribution;
mod first_seat;
mod font;
mod forfeits;
mod histogram;
mod material;
mod palette;
mod points;
mod ratings;
mod rows;
mod sheet;
mod sources;
mod times;

use std::io;
use std::path::{Path, PathBuf};

use self::material::Material;
use self::sheet::{Labels, Sheet};
use crate::analysis::Analysis;
use crate::ledger::{Ledger, LedgerError};

/// Draws a chart, or nothing where it would say nothing.
type Chart = fn(&Material<'_>) -> Result<Option<Sheet>, ChartError>;

/// All charts, in the order in which they are worth reading.
const CHARTS: &[Chart] = &[
    points::draw,
    ratings::draw,
    crosstable::draw,
    sources::draw,
    distribution::draw,
    convergence::draw,
    first_seat::draw,
    times::draw,
    forfeits::draw,
];

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
    /// The drawing, 900 pixels wide: well-formed XML without a declaration, to be put into a page as it is.
    pub svg: String,
}

/// The charts that say something for this tournament, in the order in which they are worth reading.
pub fn draw(ledger: &Ledger, analysis: &Analysis) -> Result<Vec<Drawn>, ChartError> {
    sheets(ledger, analysis)?.into_iter().map(drawn).collect()
}

/// Draws them, and writes them as SVG and PNG into the folder, which is made if need be.
pub fn write_all(folder: &Path, ledger: &Ledger, analysis: &Analysis) -> Result<Vec<Drawn>, ChartError> {
    let cannot = |path: &Path| {
        let path = path.to_path_buf();
        |error| ChartError::Write { path, error }
    };
    std::fs::create_dir_all(folder).map_err(cannot(folder))?;
    let mut all = Vec::new();
    for sheet in sheets(ledger, analysis)? {
        let name = sheet.words.name;
        let png = folder.join(format!("{name}.png"));
        canvas::png(&sheet, &png).map_err(|why| ChartError::Draw { name, why })?;
        let svg = folder.join(format!("{name}.svg"));
        let drawn = drawn(sheet)?;
        std::fs::write(&svg, &drawn.svg).map_err(cannot(&svg))?;
        all.push(drawn);
    }
    Ok(all)
}

fn sheets(ledger: &Ledger, analysis: &Analysis) -> Result<Vec<Sheet>, ChartError> {
    let material = Material { ledger, analysis };
    CHARTS.iter().filter_map(|chart| chart(&material).transpose()).collect()
}

fn drawn(sheet: Sheet) -> Result<Drawn, ChartError> {
    let svg = canvas::svg(&sheet).map_err(|why| ChartError::Draw { name: sheet.words.name, why })?;
    let Labels { name, title, caption, alt } = sheet.words;
    Ok(Drawn { name, title, caption, alt, svg })
}

#[cfg(test)]
mod tests;
