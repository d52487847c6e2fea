//! A chart as a list of marks on a sheet, with the same head and foot on every one; what draws it is elsewhere.

use plotters::style::RGBColor;

use super::axis::Axis;
use super::font::{fit, text_width, wrap};
use super::palette::{FAINT, INK, RULE};
use crate::table::facts;
use arena_statistics::standings::Standings;

/// The size of most letters.
pub(super) const TEXT: f64 = 14.0;
/// The size of the smallest letters.
pub(super) const SMALL: f64 = 13.0;
/// Between a name and what belongs to it.
pub(super) const GAP: f64 = 12.0;

/// Where a chart is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// In a separate file, with a title.
    File,
    /// In a page that has its title, on a wide screen.
    Page,
    /// In a page that has its title, on a phone.
    Phone,
}

impl Form {
    /// The width, in units.
    pub(super) fn width(self) -> f64 {
        if self == Self::Phone { 400.0 } else { 900.0 }
    }

    /// The space that stays free at each side.
    pub(super) fn margin(self) -> f64 {
        if self == Self::Phone { 8.0 } else { 24.0 }
    }

    /// Where the body of a chart begins, below its title if it has one.
    pub(super) fn top(self) -> f64 {
        if self == Self::File { 84.0 } else { 12.0 }
    }
}

const TITLE: f64 = 20.0;
const LINE: f64 = 18.0;

/// A place in units: one is a pixel of the SVG.
pub(super) type Place = (f64, f64);

/// The side on which a text lies about its place; it is centred on its height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Anchor {
    /// It begins there.
    Right,
    /// Its middle is there.
    Middle,
    /// It ends there.
    Left,
    /// Its middle is there and it is read upwards.
    MiddleUp,
}

/// Something drawn.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Mark {
    /// A line of text in letters of that size.
    Text {
        text: String,
        at: Place,
        size: f64,
        colour: RGBColor,
        anchor: Anchor,
    },
    /// A line through these places.
    Line {
        through: Vec<Place>,
        width: f64,
        colour: RGBColor,
    },
    /// A rectangle between two corners.
    Fill {
        from: Place,
        to: Place,
        colour: RGBColor,
    },
    /// A circle.
    Dot {
        at: Place,
        radius: f64,
        colour: RGBColor,
    },
    /// The area that these places enclose, which is transparent.
    Area {
        around: Vec<Place>,
        colour: RGBColor,
    },
}

/// A chart.
pub(super) struct Sheet {
    pub(super) form: Form,
    pub(super) height: f64,
    pub(super) marks: Vec<Mark>,
}

impl Sheet {
    /// A sheet with its head, if it has one.
    pub(super) fn new(form: Form, title: &str, standings: &Standings) -> Self {
        let facts = facts(standings, standings.seed);
        Self::headed(form, &standings.name, title, &facts)
    }

    /// The same of anything with a name and facts about it.
    pub(super) fn headed(form: Form, name: &str, title: &str, facts: &str) -> Self {
        let mut sheet = Self {
            form,
            height: form.top(),
            marks: Vec::new(),
        };
        if form == Form::File {
            let (room, margin) = (form.width() - 2.0 * form.margin(), form.margin());
            let what = format!(": {title}");
            let name = fit(name, TITLE, room - text_width(&what, TITLE));
            sheet.text(&(name + &what), (margin, 30.0), TITLE, INK, Anchor::Right);
            let facts = fit(facts, TEXT, room);
            sheet.text(&facts, (margin, 57.0), TEXT, FAINT, Anchor::Right);
        }
        sheet
    }

    /// The sheet with its foot, whose body ends at `bottom`.
    pub(super) fn foot(mut self, bottom: f64, footnote: &str) -> Self {
        let margin = self.form.margin();
        let lines = wrap(footnote, SMALL, self.form.width() - 2.0 * margin);
        for (index, line) in lines.iter().enumerate() {
            let place = (margin, bottom + 22.0 + LINE * index as f64);
            self.text(line, place, SMALL, FAINT, Anchor::Right);
        }
        self.height = (bottom + 22.0 + LINE * lines.len() as f64).ceil();
        self
    }

    pub(super) fn text(
        &mut self,
        text: &str,
        at: Place,
        size: f64,
        colour: RGBColor,
        anchor: Anchor,
    ) {
        self.marks.push(Mark::Text {
            text: text.into(),
            at,
            size,
            colour,
            anchor,
        });
    }

    /// An axis at the bottom with lines up to the top at its ticks, their labels as far as there is room, and what it measures.
    pub(super) fn x_axis(
        &mut self,
        axis: &Axis,
        [left, right]: [f64; 2],
        [top, bottom]: [f64; 2],
        measure: &str,
    ) {
        let mut free = 0.0;
        for (tick, label) in &axis.ticks {
            let x = left + (right - left) * axis.share(*tick);
            let half = text_width(label, SMALL) / 2.0;
            self.line((x, top), (x, bottom + 4.0), 1.0, RULE);
            if x - half >= free {
                self.text(label, (x, bottom + 15.0), SMALL, FAINT, Anchor::Middle);
                free = x + half + GAP / 3.0;
            }
        }
        self.line((left, bottom), (right, bottom), 1.0, FAINT);
        let middle = f64::midpoint(left, right);
        let measure = fit(measure, TEXT, 2.0 * middle.min(self.form.width() - middle));
        self.text(&measure, (middle, bottom + 37.0), TEXT, INK, Anchor::Middle);
    }

    pub(super) fn line(&mut self, from: Place, to: Place, width: f64, colour: RGBColor) {
        self.path(vec![from, to], width, colour);
    }

    pub(super) fn path(&mut self, through: Vec<Place>, width: f64, colour: RGBColor) {
        self.marks.push(Mark::Line {
            through,
            width,
            colour,
        });
    }

    pub(super) fn fill(&mut self, from: Place, to: Place, colour: RGBColor) {
        self.marks.push(Mark::Fill { from, to, colour });
    }

    pub(super) fn dot(&mut self, at: Place, radius: f64, colour: RGBColor) {
        self.marks.push(Mark::Dot { at, radius, colour });
    }

    pub(super) fn area(&mut self, around: Vec<Place>, colour: RGBColor) {
        self.marks.push(Mark::Area { around, colour });
    }

    /// An error bar along a row, with an end to each side.
    pub(super) fn whisker(&mut self, [low, high]: [f64; 2], y: f64, colour: RGBColor) {
        self.line((low, y), (high, y), 2.0, colour);
        for end in [low, high] {
            self.line((end, y - 5.0), (end, y + 5.0), 2.0, colour);
        }
    }

    /// Colours and what they stand for, one beside the other from the left margin on. Returns the place of the next line.
    pub(super) fn legend(&mut self, kinds: &[(RGBColor, String)], top: f64) -> f64 {
        let margin = self.form.margin();
        let (mut x, mut y) = (margin, top + 8.0);
        for (colour, kind) in kinds {
            let needed = 20.0 + text_width(kind, TEXT) + 18.0;
            if x + needed - 18.0 > self.form.width() - margin && x > margin {
                (x, y) = (margin, y + 22.0);
            }
            self.fill((x, y - 7.0), (x + 14.0, y + 7.0), *colour);
            self.text(kind, (x + 20.0, y), TEXT, INK, Anchor::Right);
            x += needed;
        }
        y + 18.0
    }
}
