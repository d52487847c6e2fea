//! Colours that the colour-blind tell apart as well, after Okabe and Ito 2008, "Color Universal Design".

use plotters::style::RGBColor;

pub(super) const BLACK: RGBColor = RGBColor(0, 0, 0);
pub(super) const INK: RGBColor = RGBColor(34, 34, 34);
pub(super) const FAINT: RGBColor = RGBColor(95, 95, 95);
pub(super) const RULE: RGBColor = RGBColor(225, 225, 225);
pub(super) const PAPER: RGBColor = RGBColor(255, 255, 255);

pub(super) const BLUE: RGBColor = RGBColor(0, 114, 178);
pub(super) const SKY: RGBColor = RGBColor(86, 180, 233);
pub(super) const VERMILION: RGBColor = RGBColor(213, 94, 0);

/// For things of different kinds, in the order in which they are taken. Yellow is left out, since it does not show on white.
pub(super) const KINDS: [RGBColor; 8] = [
    BLUE,
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    VERMILION,
    SKY,
    RGBColor(110, 110, 110),
    BLACK,
];

/// From 0 to 1 with ½ in the middle: orange, white, blue (Brewer's PuOr and RdBu 2003).
const DIVERGING: [RGBColor; 5] = [
    RGBColor(179, 88, 6),
    RGBColor(241, 163, 64),
    RGBColor(247, 247, 247),
    RGBColor(103, 169, 207),
    RGBColor(33, 102, 172),
];

/// The diverging palette's colour for a share in 0 … 1.
pub(super) fn diverging(share: f64) -> RGBColor {
    let place = share.clamp(0.0, 1.0) * (DIVERGING.len() - 1) as f64;
    let below = (place.floor() as usize).min(DIVERGING.len() - 2);
    mixed(DIVERGING[below], DIVERGING[below + 1], place - below as f64)
}

/// Between two colours: the first at a share of 0, the second at 1.
pub(super) fn mixed(low: RGBColor, high: RGBColor, share: f64) -> RGBColor {
    let mix = |low: u8, high: u8| (f64::from(low) + share * (f64::from(high) - f64::from(low))).round() as u8;
    RGBColor(mix(low.0, high.0), mix(low.1, high.1), mix(low.2, high.2))
}

/// Black or white, whichever has more contrast with the colour (WCAG 2).
pub(super) fn legible_on(colour: RGBColor) -> RGBColor {
    if contrast(colour, PAPER) > contrast(colour, BLACK) { PAPER } else { BLACK }
}

/// The contrast of two colours, in 1 … 21 (WCAG 2).
fn contrast(a: RGBColor, b: RGBColor) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Relative luminance (WCAG 2).
fn luminance(RGBColor(red, green, blue): RGBColor) -> f64 {
    let linear = |part: u8| {
        let part = f64::from(part) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_legible_on_every_colour() {
        let heat = (0..=100).map(|percent| diverging(f64::from(percent) / 100.0));
        for ground in heat.chain(KINDS) {
            assert!(contrast(ground, legible_on(ground)) >= 4.5, "{ground:?}");
        }
        assert!(contrast(FAINT, PAPER) >= 4.5);
    }
}
