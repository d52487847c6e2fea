//! Golden tests of the pairings of every format. Tournaments that have begun rely on these pairings.

use super::{balanced, block, field, gauntlet, knockout, ladder, round_robin, seated, swiss};
use crate::deals::Block;
use crate::field::{Meeting, Seatings};
use crate::schedule::{SHORT_HEAT, in_heats};
use crate::spec::Spec;

fn blocks(spec: &Spec, meeting: &Meeting) -> Vec<Block> {
    let pair = [meeting.bots[0], meeting.bots[1]];
    let result = |deal: u32| {
        let mut chance = spec
            .plan
            .seed
            .child("r", deal.into())
            .stream(&format!("{}/{}", pair[0], pair[1]), 0);
        let halves = chance.below(5);
        block(
            deal,
            pair,
            [halves, 4 - halves],
            [chance.below(9).into(), chance.below(9).into()],
        )
    };
    meeting.deals.clone().map(result).collect()
}

/// Checks the bots of all meetings, round by round, and the first matches of the last round.
fn check(spec: &Spec, expected: &[&[&[usize]]], first: &[&str]) {
    let (mut before, mut last) = (Vec::new(), Vec::new());
    for (round, expected) in (1..=spec.rounds()).zip(expected) {
        last = spec.meetings(round, &before);
        assert_eq!(
            last.iter()
                .map(|meeting| &meeting.bots[..])
                .collect::<Vec<_>>(),
            *expected,
            "round {round}"
        );
        before.extend(last.iter().flat_map(|meeting| blocks(spec, meeting)));
    }
    assert_eq!(spec.rounds() as usize, expected.len());
    let ids = in_heats(spec.field(), &last, SHORT_HEAT).map(|planned| planned.id(&spec.names()));
    assert_eq!(ids.take(first.len()).collect::<Vec<_>>(), first);
}

#[test]
fn static_formats_are_drawn_as_ever() {
    check(
        &seated(field(round_robin(), 4, 3, 2, 7), Seatings::Rotations),
        &[&[&[0, 1, 2], &[0, 1, 3], &[0, 2, 3], &[1, 2, 3]]],
        &[
            "d1/bot-3/bot-1/bot-0",
            "d2/bot-2/bot-0/bot-3",
            "d1/bot-0/bot-3/bot-1",
            "d2/bot-0/bot-3/bot-1",
        ],
    );
    check(
        &field(gauntlet(&[2, 0]), 5, 2, 2, 7),
        &[&[&[1, 2], &[2, 3], &[2, 4], &[0, 1], &[0, 3], &[0, 4]]],
        &[
            "d1/bot-3/bot-2",
            "d1/bot-1/bot-0",
            "d2/bot-2/bot-1",
            "d2/bot-4/bot-0",
            "d1/bot-2/bot-1",
        ],
    );
    check(
        &field(balanced(2), 7, 3, 4, 7),
        &[&[
            &[1, 2, 3],
            &[4, 5, 6],
            &[0, 2, 4],
            &[1, 3, 6],
            &[0, 1, 5],
            &[2, 4, 6],
            &[3, 4, 5],
            &[0, 1, 6],
        ]],
        &[
            "d1/bot-2/bot-3/bot-1",
            "d1/bot-5/bot-6/bot-4",
            "d2/bot-4/bot-2/bot-0",
            "d2/bot-6/bot-3/bot-1",
        ],
    );
}

#[test]
fn rounds_are_drawn_as_ever() {
    check(
        &field(swiss(4), 7, 2, 2, 7),
        &[
            &[&[1, 6], &[0, 4], &[3, 5]],
            &[&[3, 4], &[1, 2], &[5, 6]],
            &[&[2, 4], &[0, 5], &[1, 3]],
            &[&[2, 5], &[1, 4], &[0, 6]],
        ],
        &[
            "d7/bot-2/bot-5",
            "d7/bot-1/bot-4",
            "d7/bot-0/bot-6",
            "d8/bot-5/bot-2",
        ],
    );
    check(
        &field(knockout(), 6, 2, 2, 7),
        &[&[&[3, 4], &[2, 5]], &[&[0, 3], &[1, 2]], &[&[2, 3]]],
        &[
            "d5/bot-2/bot-3",
            "d6/bot-2/bot-3",
            "d5/bot-3/bot-2",
            "d6/bot-3/bot-2",
        ],
    );
    let mut rungs = field(ladder(5, 3), 6, 2, 2, 7);
    rungs.bots[4].joined = 3;
    check(
        &rungs,
        &[
            &[&[1, 3], &[0, 3], &[2, 5]],
            &[&[1, 5], &[0, 5], &[0, 2]],
            &[&[4, 5], &[0, 1], &[2, 3]],
            &[&[2, 4], &[3, 5], &[0, 1]],
            &[&[0, 4], &[1, 2], &[3, 5]],
        ],
        &[
            "d9/bot-2/bot-1",
            "d9/bot-4/bot-0",
            "d9/bot-5/bot-3",
            "d10/bot-1/bot-2",
        ],
    );
}
