//! Rendering of a sheet as SVG.

use plotters::backend::SVGBackend;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{Circle, Drawable, PathElement, PointCollection, Polygon, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontTransform, IntoFont, RGBColor, ShapeStyle};

use super::font::{FAMILY, LINE, shown};
use super::palette::PAPER;
use super::sheet::{Anchor, Mark, Place, Sheet};

/// Distance by which the backend draws texts above the middle, relative to the font size.
const LIFT: f64 = 0.07;

/// Opacity of an area.
const AREA_OPACITY: f64 = 0.12;

/// Result of drawing. The error is the message of the drawing library.
type Done = Result<(), String>;

/// Renders a sheet as SVG.
pub(super) fn svg(sheet: &Sheet) -> Result<String, String> {
    let mut svg = String::new();
    let size = [sheet.form.width(), sheet.height.ceil()].map(|side| side as u32);
    let canvas = Canvas(SVGBackend::with_string(&mut svg, size.into()).into_drawing_area());
    canvas.0.fill(&PAPER).map_err(message)?;
    sheet.marks.iter().try_for_each(|mark| canvas.draw(mark))?;
    canvas.0.present().map_err(message)?;
    drop(canvas);
    Ok(svg)
}

/// Drawing surface.
struct Canvas<'a>(DrawingArea<SVGBackend<'a>, Shift>);

impl<'a> Canvas<'a> {
    fn draw(&self, mark: &Mark) -> Done {
        match mark {
            Mark::Text {
                text,
                at,
                size,
                colour,
                anchor,
            } => self.text(text, *at, *size, *colour, *anchor),
            Mark::Line {
                through,
                width,
                colour,
            } => self.path(through, *width, *colour),
            Mark::Fill { from, to, colour } => {
                let corners = [pixel(*from), pixel(*to)];
                self.put(&Rectangle::new(corners, colour.filled()))
            }
            Mark::Dot { at, radius, colour } => {
                self.put(&Circle::new(pixel(*at), length(*radius), colour.filled()))
            }
            Mark::Area { around, colour } => {
                let around = pixels(around);
                self.put(&Polygon::new(around, colour.mix(AREA_OPACITY).filled()))
            }
        }
    }

    fn put<E>(&self, element: &E) -> Done
    where
        for<'e> &'e E: PointCollection<'e, (i32, i32)>,
        E: Drawable<SVGBackend<'a>>,
    {
        self.0.draw(element).map_err(message)
    }

    fn text(&self, text: &str, at: Place, size: f64, colour: RGBColor, anchor: Anchor) -> Done {
        let h = match anchor {
            Anchor::Right => HPos::Left,
            Anchor::Middle | Anchor::MiddleUp => HPos::Center,
            Anchor::Left => HPos::Right,
        };
        let up = anchor == Anchor::MiddleUp;
        let mut font = (FAMILY, size * LINE).into_font();
        if up {
            font = font.transform(FontTransform::Rotate270);
        }
        let style = font.color(&colour).pos(Pos::new(h, VPos::Center));
        let lift = LIFT * size;
        let (x, y) = if up { (lift, 0.0) } else { (0.0, lift) };
        let at = pixel((at.0 + x, at.1 + y));
        self.put(&Text::new(shown(text), at, style))
    }

    fn path(&self, through: &[Place], width: f64, colour: RGBColor) -> Done {
        let style = ShapeStyle {
            color: colour.to_rgba(),
            filled: false,
            stroke_width: length(width),
        };
        self.put(&PathElement::new(pixels(through), style))
    }
}

fn pixels(places: &[Place]) -> Vec<(i32, i32)> {
    places.iter().map(|place| pixel(*place)).collect()
}

fn pixel((x, y): Place) -> (i32, i32) {
    (x.round() as i32, y.round() as i32)
}

fn length(length: f64) -> u32 {
    length.round().max(1.0) as u32
}

fn message(error: impl std::fmt::Display) -> String {
    error.to_string()
}
