//! Rendering of a sheet with a backend of the drawing library: one unit is a pixel of the SVG and two of the PNG.

use plotters::backend::{BitMapBackend, DrawingBackend, SVGBackend};
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{Circle, Drawable, PathElement, PointCollection, Polygon, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontTransform, IntoFont, RGBColor, ShapeStyle};

use super::font::{self, FAMILY, LINE, shown};
use super::palette::PAPER;
use super::sheet::{Anchor, Mark, Place, Sheet};

/// Units and text placement of a backend.
#[derive(Clone, Copy)]
struct Medium {
    /// Number of pixels per unit.
    scale: u32,
    /// Distance by which the backend draws texts above the middle, relative to the font size.
    lift: f64,
}

const SVG: Medium = Medium {
    scale: 1,
    lift: 0.07,
};
const PNG: Medium = Medium {
    scale: 2,
    lift: 0.2,
};

/// Opacity of an area.
const AREA_OPACITY: f64 = 0.12;

/// Result of drawing, with the error message of the drawing library.
type Done = Result<(), String>;

/// Renders a sheet as SVG.
pub(super) fn svg(sheet: &Sheet) -> Result<String, String> {
    let mut svg = String::new();
    let backend = SVGBackend::with_string(&mut svg, size(sheet, SVG));
    draw(sheet, backend, SVG)?;
    Ok(svg)
}

/// Renders a sheet as PNG.
pub(super) fn png(sheet: &Sheet) -> Result<Vec<u8>, String> {
    let (width, height) = size(sheet, PNG);
    let mut pixels = vec![0; 3 * width as usize * height as usize];
    let backend = BitMapBackend::with_buffer(&mut pixels, (width, height));
    draw(sheet, backend, PNG)?;
    let mut png = Vec::new();
    let mut encoder = png::Encoder::new(&mut png, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    // Filters are made for photographs; they do not shrink uniform areas.
    encoder.set_filter(png::Filter::NoFilter);
    let mut writer = encoder.write_header().map_err(message)?;
    writer
        .write_image_data(&pixels)
        .and_then(|()| writer.finish())
        .map_err(message)?;
    Ok(png)
}

fn size(sheet: &Sheet, medium: Medium) -> (u32, u32) {
    let size = [sheet.form.width(), sheet.height.ceil()];
    size.map(|side| side as u32 * medium.scale).into()
}

fn draw<B: DrawingBackend>(sheet: &Sheet, backend: B, medium: Medium) -> Done {
    font::register()?;
    let canvas = Canvas {
        area: backend.into_drawing_area(),
        medium,
    };
    canvas.area.fill(&PAPER).map_err(message)?;
    sheet.marks.iter().try_for_each(|mark| canvas.draw(mark))?;
    canvas.area.present().map_err(message)
}

/// Drawing surface with its units.
struct Canvas<B: DrawingBackend> {
    area: DrawingArea<B, Shift>,
    medium: Medium,
}

impl<B: DrawingBackend> Canvas<B> {
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
                let corners = [self.pixel(*from), self.pixel(*to)];
                self.put(&Rectangle::new(corners, colour.filled()))
            }
            Mark::Dot { at, radius, colour } => {
                let (at, radius) = (self.pixel(*at), self.length(*radius));
                self.put(&Circle::new(at, radius, colour.filled()))
            }
            Mark::Area { around, colour } => {
                let around = self.pixels(around);
                self.put(&Polygon::new(around, colour.mix(AREA_OPACITY).filled()))
            }
        }
    }

    fn put<E>(&self, element: &E) -> Done
    where
        for<'e> &'e E: PointCollection<'e, (i32, i32)>,
        E: Drawable<B>,
    {
        self.area.draw(element).map_err(message)
    }

    fn text(&self, text: &str, at: Place, size: f64, colour: RGBColor, anchor: Anchor) -> Done {
        let h = match anchor {
            Anchor::Right => HPos::Left,
            Anchor::Middle | Anchor::MiddleUp => HPos::Center,
            Anchor::Left => HPos::Right,
        };
        let up = anchor == Anchor::MiddleUp;
        let size_in_pixels = size * LINE * f64::from(self.medium.scale);
        let mut font = (FAMILY, size_in_pixels).into_font();
        if up {
            font = font.transform(FontTransform::Rotate270);
        }
        let style = font.color(&colour).pos(Pos::new(h, VPos::Center));
        let lift = self.medium.lift * size;
        let (x, y) = if up { (lift, 0.0) } else { (0.0, lift) };
        let at = self.pixel((at.0 + x, at.1 + y));
        self.put(&Text::new(shown(text), at, style))
    }

    fn path(&self, through: &[Place], width: f64, colour: RGBColor) -> Done {
        let style = ShapeStyle {
            color: colour.to_rgba(),
            filled: false,
            stroke_width: self.length(width),
        };
        self.put(&PathElement::new(self.pixels(through), style))
    }

    fn pixels(&self, places: &[Place]) -> Vec<(i32, i32)> {
        places.iter().map(|place| self.pixel(*place)).collect()
    }

    fn pixel(&self, (x, y): Place) -> (i32, i32) {
        [x, y]
            .map(|place| (place * f64::from(self.medium.scale)).round() as i32)
            .into()
    }

    fn length(&self, length: f64) -> u32 {
        (length * f64::from(self.medium.scale)).round().max(1.0) as u32
    }
}

fn message(error: impl std::fmt::Display) -> String {
    error.to_string()
}
