//! A surface to draw on in units: one unit is a pixel of the SVG and two of the PNG.

use std::sync::OnceLock;

use plotters::backend::DrawingBackend;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::element::{Circle, PathElement, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontStyle, FontTransform, IntoFont, RGBColor, ShapeStyle, register_font};

use super::Drawn;
use crate::text::clean;

/// The family that SVG readers are asked for; the PNG is drawn with the font registered for it.
const FAMILY: &str = "sans-serif";

/// The height of a line of text over the size of its letters, as the drawing library has it.
const LINE: f64 = 1.24;

/// How much wider another font may be.
const WIDER: f64 = 1.2;

pub(super) const BLACK: RGBColor = RGBColor(0, 0, 0);
pub(super) const INK: RGBColor = RGBColor(34, 34, 34);
pub(super) const FAINT: RGBColor = RGBColor(105, 105, 105);
pub(super) const RULE: RGBColor = RGBColor(225, 225, 225);
pub(super) const PAPER: RGBColor = RGBColor(255, 255, 255);

/// A place in units.
pub(super) type Place = (f64, f64);

/// How a text lies about its place; it is centred on its height.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Lie {
    /// It begins there.
    Right,
    /// Its middle is there.
    Middle,
    /// It ends there.
    Left,
    /// It begins there and is read upwards.
    Up,
}

/// What a backend does to units and texts.
#[derive(Clone, Copy)]
pub(super) struct Manner {
    /// Pixels for each unit.
    pub(super) scale: u32,
    /// How far it puts texts above the middle, over the size of their letters.
    pub(super) lift: f64,
}

/// A surface with a unit.
pub(super) struct Canvas<B: DrawingBackend> {
    area: DrawingArea<B, Shift>,
    scale: f64,
    lift: f64,
}

impl<B: DrawingBackend> Canvas<B> {
    /// A white surface.
    pub(super) fn new(area: DrawingArea<B, Shift>, manner: Manner) -> Result<Self, String> {
        register()?;
        area.fill(&PAPER).map_err(told)?;
        Ok(Self { area, scale: manner.scale.into(), lift: manner.lift })
    }

    /// Writes out what was drawn.
    pub(super) fn finish(&self) -> Drawn {
        self.area.present().map_err(told)
    }

    /// Writes a line of text in letters of that size.
    pub(super) fn text(&self, text: &str, at: Place, size: f64, colour: RGBColor, lie: Lie) -> Drawn {
        let h = match lie {
            Lie::Right | Lie::Up => HPos::Left,
            Lie::Middle => HPos::Center,
            Lie::Left => HPos::Right,
        };
        let turned = if lie == Lie::Up { FontTransform::Rotate270 } else { FontTransform::None };
        let font = (FAMILY, size * LINE * self.scale).into_font().transform(turned);
        let style = font.color(&colour).pos(Pos::new(h, VPos::Center));
        let lift = self.lift * size;
        let at = if lie == Lie::Up { (at.0 + lift, at.1) } else { (at.0, at.1 + lift) };
        self.area.draw(&Text::new(clean(text), self.pixel(at), style)).map_err(told)
    }

    /// Draws a straight line.
    pub(super) fn line(&self, from: Place, to: Place, width: f64, colour: RGBColor) -> Drawn {
        let style = ShapeStyle { color: colour.to_rgba(), filled: false, stroke_width: self.length(width) };
        self.area.draw(&PathElement::new([self.pixel(from), self.pixel(to)], style)).map_err(told)
    }

    /// Fills a rectangle.
    pub(super) fn fill(&self, from: Place, to: Place, colour: RGBColor) -> Drawn {
        self.area.draw(&Rectangle::new([self.pixel(from), self.pixel(to)], colour.filled())).map_err(told)
    }

    /// Fills a circle.
    pub(super) fn dot(&self, at: Place, radius: f64, colour: RGBColor) -> Drawn {
        self.area.draw(&Circle::new(self.pixel(at), self.length(radius), colour.filled())).map_err(told)
    }

    fn pixel(&self, (x, y): Place) -> (i32, i32) {
        ((x * self.scale).round() as i32, (y * self.scale).round() as i32)
    }

    fn length(&self, length: f64) -> u32 {
        (length * self.scale).round().max(1.0) as u32
    }
}

/// The room that a text in letters of that size takes. It is a guess, since SVG readers have fonts of their own, and
/// some are wider than ours.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    if register().is_err() {
        return 0.6 * size * text.chars().count() as f64;
    }
    let size_of = (FAMILY, 100.0 * LINE).into_font().box_size(&clean(text));
    size_of.map_or(0.0, |(width, _)| WIDER * f64::from(width) * size / 100.0)
}

/// Makes the font known to the drawing library, once.
fn register() -> Drawn {
    static REGISTERED: OnceLock<Drawn> = OnceLock::new();
    let register = || {
        register_font(FAMILY, FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT)
            .map_err(|_| "the font that comes with this program cannot be read".to_owned())
    };
    REGISTERED.get_or_init(register).clone()
}

fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}
