//! Colours that colour-blind readers can distinguish, after Okabe and Ito 2008, "Color Universal Design". Some are darker than theirs, so
//! that they are visible on white.

use plotters::style::RGBColor;

const BLACK: RGBColor = RGBColor(0, 0, 0);
pub(super) const INK: RGBColor = RGBColor(34, 34, 34);
pub(super) const FAINT: RGBColor = RGBColor(95, 95, 95);
pub(super) const RULE: RGBColor = RGBColor(225, 225, 225);
pub(super) const PAPER: RGBColor = RGBColor(255, 255, 255);

pub(super) const BLUE: RGBColor = RGBColor(0, 114, 178);
pub(super) const PALE: RGBColor = RGBColor(128, 199, 238);
const SKY: RGBColor = RGBColor(50, 150, 210);
pub(super) const VERMILION: RGBColor = RGBColor(213, 94, 0);

/// Colours for different kinds of marks, in order of use. Yellow is left out, because it is not visible on white.
pub(super) const KINDS: [RGBColor; 8] = [
    BLUE,
    RGBColor(196, 126, 0),
    RGBColor(0, 150, 109),
    RGBColor(196, 108, 156),
    VERMILION,
    SKY,
    RGBColor(110, 110, 110),
    BLACK,
];

/// Colours of the charts, each with its replacement on dark pages, which has the same contrast.
const DARK: [(RGBColor, RGBColor); 13] = [
    (INK, RGBColor(230, 233, 237)),
    (FAINT, RGBColor(174, 182, 193)),
    (RULE, RGBColor(52, 59, 67)),
    (PAPER, DARK_PAPER),
    (BLUE, RGBColor(74, 163, 223)),
    (PALE, RGBColor(42, 90, 124)),
    (SKY, RGBColor(150, 212, 250)),
    (KINDS[1], RGBColor(240, 178, 50)),
    (KINDS[2], RGBColor(32, 190, 142)),
    (KINDS[3], RGBColor(219, 146, 187)),
    (VERMILION, RGBColor(237, 118, 34)),
    (KINDS[6], RGBColor(150, 150, 150)),
    (BLACK, RGBColor(255, 255, 255)),
];
/// Background of a dark page.
const DARK_PAPER: RGBColor = RGBColor(20, 23, 27);

/// Diverging palette from 0 to 1 with ½ in the middle: orange, white, blue (Brewer's PuOr and RdBu 2003).
const DIVERGING: [RGBColor; 5] = [
    RGBColor(179, 88, 6),
    RGBColor(241, 163, 64),
    RGBColor(247, 247, 247),
    RGBColor(103, 169, 207),
    RGBColor(33, 102, 172),
];

/// Diverging palette for dark pages.
const DIVERGING_DARK: [RGBColor; 5] = [
    RGBColor(217, 121, 38),
    RGBColor(122, 68, 20),
    RGBColor(42, 48, 56),
    RGBColor(29, 80, 121),
    RGBColor(79, 155, 217),
];

/// Number of steps of the diverging palette: pages have the classes `heat-0` to `heat-20`.
const STEPS: usize = 20;

/// Returns the class of the diverging palette for a fraction in 0 … 1.
pub(crate) fn heat_class(share: f64) -> String {
    format!("heat-{}", (share.clamp(0.0, 1.0) * STEPS as f64).round())
}

/// Returns the CSS rules that colour cells by their scores, and the charts on dark pages.
pub(crate) fn style() -> String {
    let heat = |palette: &[RGBColor; 5]| {
        let rule = |step: usize| {
            let ground = on(palette, step as f64 / STEPS as f64);
            format!(
                ".heat-{step}{{background:{};color:{}}}",
                hex(ground),
                hex(legible_on(ground))
            )
        };
        (0..=STEPS).map(rule).collect::<String>()
    };
    let dark = DARK.map(|(light, dark)| {
        let (light, dark) = (hex(light), hex(dark));
        format!(
            ".chart [fill=\"{light}\"]{{fill:{dark}}}.chart [stroke=\"{light}\"]{{stroke:{dark}}}"
        )
    });
    let dark = dark.concat() + &heat(&DIVERGING_DARK);
    format!(
        "{}@media screen and (prefers-color-scheme:dark){{{dark}}}",
        heat(&DIVERGING)
    )
}

/// Formats a colour as the drawing library writes it into SVG.
fn hex(RGBColor(red, green, blue): RGBColor) -> String {
    format!("#{red:02X}{green:02X}{blue:02X}")
}

/// Returns the colour of a palette for a fraction in 0 … 1.
fn on(palette: &[RGBColor; 5], share: f64) -> RGBColor {
    let place = share.clamp(0.0, 1.0) * (palette.len() - 1) as f64;
    let below = (place.floor() as usize).min(palette.len() - 2);
    mixed(palette[below], palette[below + 1], place - below as f64)
}

/// Interpolates between two colours. A fraction of 0 yields the first one, and 1 the second.
fn mixed(low: RGBColor, high: RGBColor, share: f64) -> RGBColor {
    let mix = |low: u8, high: u8| {
        (f64::from(low) + share * (f64::from(high) - f64::from(low))).round() as u8
    };
    RGBColor(mix(low.0, high.0), mix(low.1, high.1), mix(low.2, high.2))
}

/// Returns black or white, whichever has more contrast with the colour (WCAG 2).
fn legible_on(colour: RGBColor) -> RGBColor {
    // At this luminance, white and black have the same contrast: (1 + 0.05) / (luminance + 0.05) equals (luminance + 0.05) / 0.05.
    if luminance(colour) < 0.1791 {
        PAPER
    } else {
        BLACK
    }
}

/// Returns the relative luminance of a colour (WCAG 2).
fn luminance(RGBColor(red, green, blue): RGBColor) -> f64 {
    let linear = |part: u8| {
        let part = f64::from(part) / 255.0;
        if part <= 0.04045 {
            part / 12.92
        } else {
            ((part + 0.055) / 1.055).powf(2.4)
        }
    };
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the contrast of two colours, in 1 … 21 (WCAG 2).
    fn contrast(a: RGBColor, b: RGBColor) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn figures_are_legible_on_every_colour() {
        let heat = (0..=100).map(|percent| on(&DIVERGING, f64::from(percent) / 100.0));
        for ground in heat.chain(KINDS) {
            assert!(contrast(ground, legible_on(ground)) >= 4.5, "{ground:?}");
        }
        for share in 0..=100 {
            let ground = on(&DIVERGING_DARK, f64::from(share) / 100.0);
            assert!(contrast(ground, legible_on(ground)) >= 4.5, "{ground:?}");
        }
        assert!(contrast(FAINT, PAPER) >= 4.5 && contrast(DARK[1].1, DARK_PAPER) >= 4.5);
    }

    #[test]
    fn every_colour_has_one_for_dark_pages_that_shows() {
        for colour in [INK, FAINT, PALE].into_iter().chain(KINDS) {
            let (_, dark) = DARK
                .into_iter()
                .find(|(light, _)| *light == colour)
                .unwrap();
            let shows = contrast(dark, DARK_PAPER).min(contrast(colour, PAPER)) >= 3.0;
            assert!(colour == PALE || shows, "{colour:?}");
        }
        for (place, (light, _)) in DARK.into_iter().enumerate() {
            assert_eq!(
                DARK.iter().position(|(other, _)| *other == light),
                Some(place)
            );
        }
    }
}
