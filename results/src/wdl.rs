//! Wins, draws and losses: for a seat in its match, and for one seat against another.

use std::fmt;

use crate::scored::Seated;

/// Won, drawn or lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wdl {
    /// Won.
    Win,
    /// Drawn.
    Draw,
    /// Lost.
    Loss,
}

impl Wdl {
    /// Its half points: 2 for a win, 1 for a draw.
    pub fn halves(self) -> u32 {
        match self {
            Wdl::Win => 2,
            Wdl::Draw => 1,
            Wdl::Loss => 0,
        }
    }
}

impl fmt::Display for Wdl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Wdl::Win => "win",
            Wdl::Draw => "draw",
            Wdl::Loss => "loss",
        })
    }
}

/// How the match went for a seat: the only best seat wins, several best seats draw, all others lose, and so does
/// every seat that forfeited.
pub fn in_match(seats: &[Seated], seat: usize) -> Wdl {
    let best = seats.iter().filter(|other| other.place == 1).count();
    match seats[seat].place {
        1 if seats[seat].fault.is_some() => Wdl::Loss,
        1 if best == 1 => Wdl::Win,
        1 => Wdl::Draw,
        _ => Wdl::Loss,
    }
}

/// How the match went for a seat against another one: the better place wins and equal places draw, except that a seat
/// that forfeited loses to every seat that did not, and of two that forfeited at the same time both lose.
pub fn against(seat: &Seated, other: &Seated) -> Wdl {
    match (seat.fault.is_some(), other.fault.is_some()) {
        (true, false) => Wdl::Loss,
        (false, true) => Wdl::Win,
        (true, true) if seat.place == other.place => Wdl::Loss,
        _ if seat.place < other.place => Wdl::Win,
        _ if seat.place == other.place => Wdl::Draw,
        _ => Wdl::Loss,
    }
}

#[cfg(test)]
mod tests {
    use arena_engine::outcome::Verdict;

    use super::*;
    use crate::sample::verdict;

    #[test]
    fn a_match_is_won_alone_drawn_together_and_lost_by_forfeit() {
        let all = |verdict: &Verdict| [0, 1, 2].map(|seat| in_match(&Seated::all(verdict), seat));
        assert_eq!(all(&verdict(&[(1, 9), (2, 5), (3, 1)], &[])), [Wdl::Win, Wdl::Loss, Wdl::Loss]);
        assert_eq!(all(&verdict(&[(1, 9), (1, 9), (3, 1)], &[])), [Wdl::Draw, Wdl::Draw, Wdl::Loss]);
        assert_eq!(all(&verdict(&[(1, 9), (1, 9), (1, 9)], &[0, 1, 2])), [Wdl::Loss, Wdl::Loss, Wdl::Loss]);
    }

    #[test]
    fn seats_meet_by_place_and_forfeits_lose() {
        let meet = |faults: &[u8]| {
            let seats = Seated::all(&verdict(&[(1, 9), (2, 5), (2, 5)], faults));
            [(0, 1), (1, 0), (1, 2), (2, 1)].map(|(a, b)| against(&seats[a], &seats[b]))
        };
        use Wdl::{Draw, Loss, Win};
        assert_eq!(meet(&[]), [Win, Loss, Draw, Draw]);
        assert_eq!(meet(&[2]), [Win, Loss, Win, Loss]);
        assert_eq!(meet(&[1, 2]), [Win, Loss, Loss, Loss]);
    }
}
