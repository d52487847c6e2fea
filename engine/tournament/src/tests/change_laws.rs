//! Laws of changes: a tournament that has begun adopts what a file leaves open.

use super::{
    at_random, balanced, entrant, field, gauntlet, knockout, ladder, play, round_robin, swiss,
};
use crate::difference::differences;
use crate::formats::Choice;

/// Returns each format with numbers of bots and seats.
fn all() -> Vec<(Choice, usize, usize)> {
    vec![
        (round_robin(), 5, 2),
        (round_robin(), 6, 4),
        (gauntlet(&[0, 2]), 5, 2),
        (balanced(3), 7, 3),
        (swiss(4), 7, 2),
        (knockout(), 6, 2),
        (ladder(4, 2), 5, 2),
    ]
}

#[test]
fn a_withdrawn_bot_changes_no_round_that_has_begun() {
    for (format, bots, seats) in all() {
        let spec = field(format, bots, seats, 4, 5);
        let mut changed = spec.clone();
        changed.bots[bots - 2].withdrawn = Some(1);
        assert_eq!(changed.extends(&spec, 1), Ok(()));
        assert_eq!(changed.meetings(1, &[]), spec.meetings(1, &[]));
        if spec.rounds() == 1 {
            assert_eq!(changed.matches(), spec.matches());
        }
        let rounds = play(&changed, at_random).0;
        if spec.plan.format.listed().newcomers {
            let mut later = rounds[1..].iter().flatten();
            assert!(later.all(|meeting| !meeting.bots.contains(&(bots - 2))));
        }
    }
}

#[test]
fn a_file_may_mark_a_withdrawn_bot_or_leave_it_out() {
    for (format, bots, seats) in all() {
        let file = field(format, bots, seats, 4, 5);
        let mut now = file.clone();
        now.bots[3].withdrawn = Some(2);
        now.bots[4].joined = 2;
        let mut marked = file.clone();
        marked.bots[3].withdrawn = Some(0);
        let mut shorter = file.clone();
        shorter.bots.remove(3);
        for mut read in [marked, shorter] {
            read.adopt(&now);
            assert_eq!(differences(&now, &read), Vec::<String>::new());
            assert_eq!(read, now);
            // A newcomer may be listed after the others. It does not enter if it is already withdrawn.
            read.bots.push(entrant("late", 1, None));
            read.bots.push(entrant("never", 1, Some(0)));
            read.adopt(&now);
            assert_eq!(read.bots.len(), bots + 1);
        }
        // A file that does not mention the withdrawal asks for the bot back.
        let mut read = file.clone();
        read.adopt(&now);
        assert_eq!(
            differences(&now, &read),
            ["bot bot-3: it is withdrawn in the folder"]
        );
    }
}
