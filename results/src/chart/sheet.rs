//! A chart as a list of marks on a sheet with a uniform head and foot, independent of the output format.

use plotters::style::RGBColor;

use super::axis::Axis;
use super::font::{fit, text_width, wrap};
use super::palette::{FAINT, INK, RULE};
use crate::table::facts;
use arena_statistics::standings::Standings;

/// Font size of most texts.
pub(super) const TEXT: f64 = 14.0;
/// Font size of the smallest texts.
pub(super) const SMALL: f64 = 13.0;
/// Distance between a name and the mark that it labels.
pub(super) const GAP: f64 = 12.0;

/// Form in which a chart is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Separate file, with a title.
    File,
    /// Page that shows the title itself, on a wide screen.
    Page,
    /// Page that shows the title itself, on a phone.
    Phone,
}

impl Form {
    /// Returns the width, in units.
    pub(super) fn width(self) -> f64 {
        if self == Self::Phone { 400.0 } else { 900.0 }
    }

    /// Returns the space that stays free at each side, in units.
    pub(super) fn margin(self) -> f64 {
        if self == Self::Phone { 8.0 } else { 24.0 }
    }

    /// Returns the top of the chart's body, below the title if there is one.
    pub(super) fn top(self) -> f64 {
        if self == Self::File { 84.0 } else { 12.0 }
    }
}

const TITLE: f64 = 20.0;
const LINE: f64 = 18.0;

/// Position in units; one unit is a pixel of the SVG.
pub(super) type Place = (f64, f64);

/// Placement of a text relative to its position; the height of the text is centred there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Anchor {
    /// The text begins at the position.
    Right,
    /// The text is centred on the position.
    Middle,
    /// The text ends at the position.
    Left,
    /// The text is centred on the position and rotated to be read upwards.
    MiddleUp,
}

/// Element of a drawing.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Mark {
    /// Line of text.
    Text {
        text: String,
        at: Place,
        size: f64,
        colour: RGBColor,
        anchor: Anchor,
    },
    /// Line through these positions.
    Line {
        through: Vec<Place>,
        width: f64,
        colour: RGBColor,
    },
    /// Filled rectangle between two corners.
    Fill {
        from: Place,
        to: Place,
        colour: RGBColor,
    },
    /// Filled circle.
    Dot {
        at: Place,
        radius: f64,
        colour: RGBColor,
    },
    /// Transparent area that these positions enclose.
    Area {
        around: Vec<Place>,
        colour: RGBColor,
    },
}

/// Chart as a list of marks.
pub(super) struct Sheet {
    pub(super) form: Form,
    pub(super) height: f64,
    pub(super) marks: Vec<Mark>,
}

impl Sheet {
    /// Creates a sheet headed by a tournament's name and facts, if the form has a head.
    pub(super) fn new(form: Form, title: &str, standings: &Standings) -> Self {
        let facts = facts(standings, standings.seed);
        Self::headed(form, &standings.name, title, &facts)
    }

    /// Creates a sheet headed by a name, a title and facts, if the form has a head.
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

    /// Adds the foot to a sheet whose body ends at `bottom`.
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

    /// Draws an axis at the bottom: grid lines at its ticks, labels where there is room, and the name of the quantity.
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

    /// Draws a horizontal error bar with a cap at each end.
    pub(super) fn whisker(&mut self, [low, high]: [f64; 2], y: f64, colour: RGBColor) {
        self.line((low, y), (high, y), 2.0, colour);
        for end in [low, high] {
            self.line((end, y - 5.0), (end, y + 5.0), 2.0, colour);
        }
    }

    /// Draws a legend of colours, side by side from the left margin. Returns the y coordinate of the next line.
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
