//! Tests of the headlines of each format, for made-up results with known answers.

use arena_engine::outcome::Verdict;
use arena_tournament::formats::Choice;
use arena_tournament::formats::gauntlet::Gauntlet;
use arena_tournament::formats::knockout::Knockout;
use arena_tournament::formats::ladder::Ladder;
use arena_tournament::formats::swiss::Swiss;

use super::*;
use crate::sample::{of_format, scored};
use crate::text;

/// Gives more points to the bot that is earlier in the list. The further apart the two are, the larger is the difference.
fn graded(deal: u32, seats: [usize; 2]) -> Verdict {
    scored(seats.map(|bot| 20 - 3 * bot as i32 + (deal * 5 + bot as u32) as i32 % 3))
}

/// Checks the headline; on failure, shows the tables as well.
fn check(analysis: &Analysis, expected: &str) {
    let found = headline(analysis);
    assert_eq!(found, expected, "{}", text::standings(analysis, 120, true));
}

#[test]
fn a_round_robin_is_won_by_points() {
    let bots = ["ann", "bob", "cy"];
    check(
        &of_format(Choice::default(), &bots, 20, graded),
        "ann is ahead of all others.",
    );
    check(
        &of_format(Choice::default(), &bots, 3, graded),
        "ann, bob and cy have too few deals to be told apart; ann has the most points.",
    );
    let found = headline(&of_format(Choice::default(), &bots, 20, |_, _| {
        scored([5, 5])
    }));
    assert!(
        found == "ann, bob and cy play exactly alike; they are level.",
        "{found}"
    );
    check(
        &of_format(Choice::default(), &bots, 0, graded),
        "No match is finished yet.",
    );
}

#[test]
fn copies_are_named_and_not_compared() {
    let twins = |deal: u32, seats: [usize; 2]| graded(deal, seats.map(|bot| 2 * (bot / 2)));
    let analysis = of_format(Choice::default(), &["ann", "bea", "cy"], 20, twins);
    let found = headline(&analysis);
    assert_eq!(
        found,
        "ann and bea lead: they play exactly alike, and both are ahead of cy."
    );
    assert!(text::standings(&analysis, 200, true).contains("\nann and bea play exactly alike"));
    let analysis = of_format(Choice::default(), &["ann", "bea", "cy", "dan"], 20, twins);
    let found = text::standings(&analysis, 200, true);
    assert!(
        found.contains("\n2 groups of bots play exactly alike: the same moves in the same place, in all matches: "),
        "{found}"
    );
    assert!(
        found.contains("ann and bea; cy and dan")
            && found.matches("play exactly alike: ").count() == 1,
        "{found}"
    );
}

#[test]
fn a_headline_says_nothing_else_than_the_warnings() {
    let quits = |_: u32, seats: [usize; 2]| scored(seats.map(|bot| if bot == 1 { -1 } else { 5 }));
    check(
        &of_format(Choice::default(), &["ann", "quit"], 20, quits),
        "Only ann has played a match to its end. quit forfeited every match.",
    );
    let twins = |deal: u32, seats: [usize; 2]| graded(deal, seats.map(|bot| 2 * (bot / 2)));
    check(
        &of_format(Choice::default(), &["ann", "bea", "cy"], 3, twins),
        "ann, bea and cy have too few deals to be told apart, and ann and bea play exactly alike; ann and bea have the most points.",
    );
}

#[test]
fn a_gauntlet_tells_of_its_challenger() {
    let format = Choice::Gauntlet(Gauntlet {
        challengers: vec!["bob".into()],
    });
    let analysis = of_format(format, &["ann", "bob", "cy", "dan"], 20, graded);
    check(&analysis, "bob is ahead of cy and dan and is behind ann.");
    let rows = analysis.standings.standings.iter();
    let ranks: Vec<_> = rows.map(|row| (row.bot.as_str(), row.ranks)).collect();
    let all = [
        ("ann", [1, 1]),
        ("bob", [2, 2]),
        ("cy", [3, 3]),
        ("dan", [4, 4]),
    ];
    assert_eq!(ranks, all, "the others made unequal points against bob");
}

#[test]
fn a_ladder_goes_by_elo() {
    let format = Choice::Ladder(Ladder {
        rounds: 8,
        pairs: 2,
    });
    let found = headline(&of_format(format, &["ann", "bob", "cy", "dan"], 4, graded));
    assert_eq!(
        found,
        "ann is ahead of bob and dan and has too few deals to be told from cy."
    );
}

#[test]
fn a_swiss_goes_by_its_score() {
    let starts = |result: fn(u32, [usize; 2]) -> Verdict, expected: &str| {
        let analysis = of_format(
            Choice::Swiss(Swiss { rounds: 3 }),
            &["ann", "bob", "cy", "dan", "eve"],
            4,
            result,
        );
        let found = headline(&analysis);
        assert!(found.starts_with(expected), "{found}");
        assert_eq!(analysis.standings.basis, Basis::Placing);
    };
    starts(
        graded,
        "ann is first by swiss score: 24.0 after 3 rounds of 4 deals each. ",
    );
    // A bye scores as much as a round of these draws.
    let level = |result: fn(u32, [usize; 2]) -> Verdict| {
        let format = Choice::Swiss(Swiss { rounds: 3 });
        headline(&of_format(format, &["ann", "bob", "cy"], 4, result))
    };
    let shared = " share first place by swiss score: 12.0 after 3 rounds of 4 deals each.";
    let found = level(|_, _| scored([5, 5]));
    assert!(found.contains(shared), "{found}");
    let placed = |cells: [[f64; 4]; 3]| {
        let format = Choice::Swiss(Swiss { rounds: 3 });
        let mut analysis = of_format(format, &["ann", "bob", "cy"], 4, graded);
        let placings = analysis.placings.as_mut().unwrap();
        let rows = placings.rows.iter_mut().zip(cells);
        rows.for_each(|(row, cells)| row.cells = cells.to_vec());
        headline(&analysis)
    };
    for (cells, by) in [
        (
            [[9.0, 5.0, 3.0, 0.0], [9.0, 4.0, 9.0, 1.0], [9.0; 4]],
            ", ahead of 2 with the same score by Buchholz. ",
        ),
        (
            [[9.0, 5.0, 3.0, 0.0], [9.0, 5.0, 2.0, 1.0], [9.0; 4]],
            ", ahead of 1 with the same score and Buchholz by points. ",
        ),
    ] {
        let found = placed(cells);
        assert!(
            found.contains(&format!(" after 3 rounds of 4 deals each{by}")),
            "{found}"
        );
    }
}

#[test]
fn a_knockout_is_won() {
    let found = headline(&of_format(
        Choice::Knockout(Knockout::default()),
        &["ann", "bob", "cy"],
        2,
        graded,
    ));
    assert!(
        found.starts_with("ann has won the knockout of 2 rounds, 2 deals each. "),
        "{found}"
    );
    let broken = of_format(
        Choice::Knockout(Knockout::default()),
        &["ann", "bob"],
        2,
        |_, _| scored([-1, -1]),
    );
    assert_eq!(
        broken
            .placings
            .as_ref()
            .and_then(|placings| placings.leader.clone()),
        None,
        "nobody wins a tournament of forfeits"
    );
    assert_eq!(
        headline(&broken),
        "No bot has played a match to its end. ann and bob forfeited every match."
    );
    assert_eq!(broken.pairs[0].estimate, None);
}

#[test]
fn bots_that_both_forfeit_get_nothing() {
    let broken = |deal: u32, seats: [usize; 2]| {
        let points = |bot: usize| {
            if bot > 1 {
                -1
            } else {
                5 + (deal + bot as u32) as i32 % 3
            }
        };
        scored(seats.map(points))
    };
    let bots = ["ann", "bob", "cy", "dan"];
    let analysis = of_format(Choice::Swiss(Swiss { rounds: 3 }), &bots, 2, broken);
    let placings = analysis.placings.as_ref().unwrap();
    let score = |bot: usize| {
        placings
            .rows
            .iter()
            .find(|row| row.bot == bots[bot])
            .unwrap()
            .cells[0]
    };
    assert_eq!([score(2), score(3)], [0.0, 0.0]);
    let found = headline(&analysis);
    assert!(
        found.starts_with("bob is first by swiss score: 12.0 after 3 rounds of 2 deals each. "),
        "{found}"
    );
    assert!(
        found.ends_with(" cy and dan forfeited every match."),
        "{found}"
    );
    let both = "left out of scores and ratings: 4 results of two bots that both forfeited";
    assert!(
        text::standings(&analysis, 200, true).contains(both),
        "{}",
        text::standings(&analysis, 200, true)
    );
}

/// Checks the headline of a course of 25 bots on few deals, every third of which never gets ready.
#[test]
fn a_course_with_many_that_fail_makes_sense() {
    let names: Vec<String> = (1..=25).map(|bot| format!("s{bot:02}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let course = |deal: u32, seats: [usize; 2]| {
        let points = |bot: usize| {
            if bot % 3 == 2 {
                -1
            } else {
                30 - bot as i32 + (deal as usize * 7 + bot * 5) as i32 % 23
            }
        };
        scored(seats.map(points))
    };
    let found = headline(&of_format(
        Choice::Swiss(Swiss { rounds: 6 }),
        &names,
        2,
        course,
    ));
    let expected = "s02 is first by swiss score: 22.0 after 6 rounds of 2 deals each. ";
    assert!(
        found.starts_with(expected)
            && found.ends_with(" s12, s15 and 6 others forfeited every match."),
        "{found}"
    );
    let found = headline(&of_format(Choice::default(), &names, 12, course));
    assert!(
        found.starts_with(
            "s02, s01 and 15 others have too few deals to be told apart; s02 has the most points. "
        ),
        "{found}"
    );
    assert!(
        found.ends_with(" and 6 others forfeited every match."),
        "{found}"
    );
}
