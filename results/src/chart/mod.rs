//! Charts: the standings with their error bars and the crosstable, each as SVG and as PNG from the same drawing.

mod canvas;
mod crosstable;
mod points;

use std::io;
use std::path::{Path, PathBuf};

use plotters::backend::{BitMapBackend, DrawingBackend, SVGBackend};
use plotters::drawing::IntoDrawingArea;

use self::canvas::{Canvas, Manner};
use crate::standings::Standings;

const SVG: Manner = Manner { scale: 1, lift: 0.07 };
const PNG: Manner = Manner { scale: 2, lift: 0.2 };

/// Why a chart fails.
#[derive(Debug, thiserror::Error)]
pub enum ChartError {
    /// The folder cannot be made.
    #[error("cannot make the folder {}: {error}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A drawing failed.
    #[error("cannot draw {}: {why}", path.display())]
    Draw {
        /// The file.
        path: PathBuf,
        /// What the drawing library says.
        why: String,
    },
}

/// Writes every chart as SVG and PNG into the folder, which is made if need be; says which files it wrote.
pub fn write_all(folder: &Path, standings: &Standings) -> Result<Vec<PathBuf>, ChartError> {
    std::fs::create_dir_all(folder).map_err(|error| ChartError::Folder { path: folder.to_path_buf(), error })?;
    let points = write(folder, &points::Points::new(standings))?;
    let crosstable = write(folder, &crosstable::HeatMap::new(standings))?;
    Ok([points, crosstable].concat())
}

/// Something that can be drawn on any backend.
trait Chart {
    /// The name of its files.
    const NAME: &'static str;
    /// Its width and height in units.
    fn size(&self) -> (u32, u32);
    /// Draws it.
    fn draw<B: DrawingBackend>(&self, canvas: &Canvas<B>) -> Drawn;
}

/// Done, or what the drawing library says.
type Drawn = Result<(), String>;

fn write<C: Chart>(folder: &Path, chart: &C) -> Result<[PathBuf; 2], ChartError> {
    let (width, height) = chart.size();
    let svg = folder.join(format!("{}.svg", C::NAME));
    draw(&svg, chart, SVGBackend::new(&svg, (width, height)), SVG)?;
    let png = folder.join(format!("{}.png", C::NAME));
    draw(&png, chart, BitMapBackend::new(&png, (width * PNG.scale, height * PNG.scale)), PNG)?;
    Ok([svg, png])
}

fn draw<B: DrawingBackend>(path: &Path, chart: &impl Chart, backend: B, manner: Manner) -> Result<(), ChartError> {
    let drawn = Canvas::new(backend.into_drawing_area(), manner).and_then(|canvas| {
        chart.draw(&canvas)?;
        canvas.finish()
    });
    drawn.map_err(|why| ChartError::Draw { path: path.to_path_buf(), why })
}

/// What the tournament is, for below a title.
fn subtitle(standings: &Standings) -> String {
    let Standings { game, format, seats, deals, seed, played, planned, complete, .. } = standings;
    let matches = if *complete { format!("{played} matches") } else { format!("{played} of {planned} matches") };
    format!("{game}, {format}, {seats} seats · {matches} on {deals} deals · seed {seed}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;
    use crate::standings::Tally;

    fn contents(bots: &[&str], deals: u32) -> Vec<Vec<u8>> {
        let folder = tempfile::tempdir().unwrap();
        let files = write_all(folder.path(), &sample::standings(bots, deals)).unwrap();
        files.iter().map(|file| std::fs::read(file).unwrap()).collect()
    }

    #[test]
    fn charts_are_the_same_to_the_byte_each_time() {
        let bots = ["ann", "bob", "<cy> & \"co\""];
        let first = contents(&bots, 3);
        assert_eq!(first, contents(&bots, 3));
        assert!(first[0].starts_with(b"<svg") && first[1].starts_with(b"\x89PNG"));
        let svg = String::from_utf8(first[0].clone()).unwrap();
        assert!(svg.contains("&lt;cy&gt; &amp; "), "{svg}");
    }

    #[test]
    fn there_are_charts_of_tournaments_that_hardly_began() {
        let folder = tempfile::tempdir().unwrap();
        let tournament = sample::tournament(&["a\u{1}b", "c"], 2, 0);
        assert_eq!(write_all(folder.path(), &Tally::new(&tournament).standings()).unwrap().len(), 4);
        let svg = std::fs::read_to_string(folder.path().join("points.svg")).unwrap();
        assert!(!svg.contains('\u{1}'));
        assert_eq!(contents(&["only", "two"], 1).len(), 4);
    }
}
