use super::*;

/// Returns seats with these places and points, of which those in `faults` have forfeited.
fn seats(scores: &[(u8, i32)], faults: &[usize]) -> Vec<SeatResult> {
    let fault = |seat| faults.contains(&seat).then_some(Cause::Crash);
    let seated = |(seat, (place, points)): (usize, &(u8, i32))| SeatResult {
        place: *place,
        points: *points,
        fault: fault(seat),
        counts: vec![],
    };
    scores.iter().enumerate().map(seated).collect()
}

fn scored(deal: u32, bots: &[usize], seats: Vec<SeatResult>) -> Scored {
    Scored {
        deal,
        bots: bots.to_vec(),
        seats,
        transcript: 0,
    }
}

#[test]
fn a_match_is_won_alone_drawn_together_and_lost_by_forfeit() {
    let all = |scores, faults| [0, 1, 2].map(|seat| in_match(&seats(scores, faults), seat));
    assert_eq!(
        all(&[(1, 9), (2, 5), (3, 1)], &[]),
        [Wdl::Win, Wdl::Loss, Wdl::Loss]
    );
    assert_eq!(
        all(&[(1, 9), (1, 9), (3, 1)], &[]),
        [Wdl::Draw, Wdl::Draw, Wdl::Loss]
    );
    assert_eq!(
        all(&[(1, 9), (1, 9), (1, 9)], &[0, 1, 2]),
        [Wdl::Loss, Wdl::Loss, Wdl::Loss]
    );
}

#[test]
fn seats_meet_by_place_and_forfeits_lose() {
    use Versus::{BothForfeited, Draw, Loss, Win};
    let meet = |faults: &[usize]| {
        let seats = seats(&[(1, 9), (2, 5), (2, 5)], faults);
        [(0, 1), (1, 0), (1, 2), (2, 1)].map(|(a, b)| versus(&seats[a], &seats[b]))
    };
    assert_eq!(meet(&[]), [Win, Loss, Draw, Draw]);
    assert_eq!(meet(&[2]), [Win, Loss, Win, Loss]);
    assert_eq!(meet(&[1, 2]), [Win, Loss, BothForfeited, BothForfeited]);
    assert_eq!(
        meet(&[0, 1]),
        [BothForfeited, BothForfeited, Loss, Win],
        "whoever was the first to forfeit"
    );
    assert_eq!(BothForfeited.halves(), None, "nothing for either");
}

#[test]
fn blocks_add_up_what_each_bot_made() {
    let mut deals = Deals::new(2, Some(4));
    assert_eq!(
        deals.add(scored(1, &[2, 0], seats(&[(1, 7), (2, 3)], &[]))),
        None
    );
    assert_eq!(
        deals.add(scored(1, &[0, 2], seats(&[(1, 0), (1, 0)], &[0, 1]))),
        None
    );
    assert_eq!(
        deals.add(scored(1, &[1, 2], seats(&[(2, 1), (1, 4)], &[1]))),
        None
    );
    let deal = deals
        .add(scored(2, &[1, 2], seats(&[(1, 1), (1, 1)], &[])))
        .unwrap();
    assert!(!deal.finished && deal.counted().next().is_none());
    let block = |bots: [usize; 2], matches, halves: [u32; 2], points: [i64; 2]| Block {
        deal: 1,
        bots: bots.to_vec(),
        matches,
        halves: halves.to_vec(),
        points: points.to_vec(),
        finished: matches == 2,
    };
    assert_eq!(
        deal.blocks,
        [
            block([0, 2], 2, [0, 2], [3, 7]),
            block([1, 2], 1, [2, 0], [1, 4])
        ]
    );
    let tables: Vec<Vec<&[usize]>> = deal
        .tables()
        .map(|(_, matches)| matches.iter().map(|scored| &scored.bots[..]).collect())
        .collect();
    assert_eq!(tables, [vec![&[2, 0][..], &[0, 2]], vec![&[1, 2]]]);
    assert_eq!(deals.end().map(|deal| deal.number), Some(2));
    assert_eq!(deals.end(), None);
}

#[test]
fn where_deals_differ_their_finished_blocks_count() {
    let mut deals = Deals::new(2, None);
    let one = |deal, bots: [usize; 2]| scored(deal, &bots, seats(&[(1, 7), (2, 3)], &[]));
    [[0, 1], [1, 0], [2, 3]]
        .into_iter()
        .for_each(|bots| assert_eq!(deals.add(one(1, bots)), None));
    let deal = deals.add(one(2, [0, 1])).unwrap();
    assert!(!deal.finished);
    assert_eq!(
        deal.counted()
            .map(|(block, _)| block.bots.clone())
            .collect::<Vec<_>>(),
        [[0, 1]]
    );
    deals.add(one(2, [1, 0]));
    assert!(deals.end().unwrap().finished);
}

#[test]
fn deals_of_known_size_are_finished_in_any_order() {
    let mut deals = Deals::new(2, Some(2));
    let mut add = |deal, bots: [usize; 2]| {
        let finished = deals.add_in_any_order(scored(deal, &bots, seats(&[(1, 7), (2, 3)], &[])));
        finished.map(|deal| (deal.number, deal.finished))
    };
    assert_eq!(
        [add(2, [0, 1]), add(1, [1, 0]), add(2, [1, 0])],
        [None, None, Some((2, true))]
    );
}
