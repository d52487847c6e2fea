//! Computes the probability of every panel at the hidden places of one code quickly, with bit sets and single precision.

use arena_engine::games::coda::panel;

/// Number of panels with a number.
pub const NUMBERS: usize = 2 * panel::NUMBERS as usize;

/// Maximum number of hidden places in a code. With two seats, a code may hold half of all panels; no code has more.
pub const PLACES: usize = NUMBERS;

/// A hidden place of a code.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hidden {
    /// The panels that may stand at the place, as bits.
    pub open: u32,
    /// Those of the panels that are less likely, all by the same factor.
    pub doubted: u32,
}

/// Calls `found` with every place, every panel that may stand there in an ascending code, and its probability. If the places cannot be
/// filled, never calls `found`.
pub fn chances(places: &[Hidden], factor: f32, mut found: impl FnMut(usize, u32, f32)) {
    let all = places.iter().fold(0, |all, place| all | place.open) & ((1 << NUMBERS) - 1);
    let (low, high) = (
        all.trailing_zeros() as usize,
        (u32::BITS - all.leading_zeros()) as usize,
    );
    let weight = |place: &Hidden, panel: usize| match (
        place.open >> panel & 1,
        place.doubted >> panel & 1,
    ) {
        (0, _) => 0.0,
        (_, 0) => 1.0,
        _ => factor,
    };
    // First, an entry holds the number of ways to fill the places up to this one with this panel at it. Later, it holds the number of ways
    // to fill all places.
    let mut ways = [[0f32; NUMBERS]; PLACES];
    let mut before = [1f32; NUMBERS];
    let mut total = 0.0;
    for (row, place) in ways.iter_mut().zip(places) {
        total = 0.0;
        for panel in low..high {
            row[panel] = before[panel] * weight(place, panel);
            before[panel] = total;
            total += row[panel];
        }
    }
    if total <= 0.0 {
        return;
    }
    let mut after = [1.0 / total; NUMBERS];
    for (index, (row, place)) in ways.iter().zip(places).enumerate().rev() {
        let mut sum = 0.0;
        for panel in (low..high).rev() {
            let chance = row[panel] * after[panel];
            if chance > 0.0 {
                found(index, panel as u32, chance);
            }
            let here = after[panel] * weight(place, panel);
            after[panel] = sum;
            sum += here;
        }
    }
}
