//! The verdict of a confidence sequence.

use arena_tournament::test::Sequence;

use super::Verdict;
use crate::stats::betting::Peek;

/// The verdict of a sequence on a difference.
pub(super) fn verdict(sequence: &Sequence, peek: Peek) -> Verdict {
    let [low, high] = peek.interval;
    match sequence.margin {
        _ if low > 0.0 => Verdict::First,
        _ if high < 0.0 => Verdict::Second,
        Some(margin) if -margin <= low && high <= margin => Verdict::Equal,
        _ => Verdict::Running,
    }
}
