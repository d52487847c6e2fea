//! Which bots are certainly ahead of which: the one thing that ranks, marks and headlines ask.

/// For each pair of bots whether one is certainly ahead of the other, right for all of them together with a chance of 95 %.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ahead {
    bots: usize,
    cells: Vec<bool>,
}

impl Ahead {
    /// Of this many bots, as `ahead` says of a bot and another one.
    pub fn new(bots: usize, ahead: impl Fn(usize, usize) -> bool) -> Self {
        let cell = |cell: usize| cell / bots != cell % bots && ahead(cell / bots, cell % bots);
        Self {
            bots,
            cells: (0..bots * bots).map(cell).collect(),
        }
    }

    /// True if the bot is certainly ahead of the other one.
    pub fn is(&self, bot: usize, other: usize) -> bool {
        self.cells[bot * self.bots + other]
    }

    /// The best and the worst rank that a bot can have, with a chance of 95 % for all bots together (Klein, Wright and Wieczorek
    /// 2020, "A joint confidence region for an overall ranking of populations", Journal of the Royal Statistical Society C 69).
    pub fn ranks(&self, bot: usize) -> [usize; 2] {
        let count = |is: &dyn Fn(usize) -> bool| (0..self.bots).filter(|other| is(*other)).count();
        [
            1 + count(&|other| self.is(other, bot)),
            self.bots - count(&|other| self.is(bot, other)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_as_wide_as_what_is_not_certain() {
        let ahead = Ahead::new(4, |bot, other| bot == 0 && other != 1);
        assert_eq!(
            (0..4).map(|bot| ahead.ranks(bot)).collect::<Vec<_>>(),
            [[1, 2], [1, 4], [2, 4], [2, 4]]
        );
        assert!(ahead.is(0, 2) && !ahead.is(0, 1) && !ahead.is(0, 0));
    }
}
