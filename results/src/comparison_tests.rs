//! Tests of comparisons with made-up matches.

use arena_engine::chance::Seed;
use arena_tournament::deals::{Scored, SeatResult};
use arena_tournament::formats::Choice;
use arena_tournament::formats::gauntlet::Gauntlet;
use arena_tournament::spec::Spec;
use serde_json::json;

use crate::comparison::{ComparisonReport, Gate, GateAnswer, Wanted};
use arena_statistics::compare::Comparison;
use arena_statistics::sprt::TestVerdict;
use arena_tournament::sample;

fn tournament(bots: &[&str], deals: u32, test: &serde_json::Value) -> Spec {
    let mut tournament = sample::tournament(bots, 2, deals);
    tournament.plan.test = Some(serde_json::from_value(test.clone()).unwrap());
    // With more than two bots, the first two meet the others. Otherwise they meet each other.
    if bots.len() > 2 {
        let challengers = bots[..2].iter().map(|bot| (*bot).to_owned()).collect();
        tournament.plan.format = Choice::Gauntlet(Gauntlet { challengers });
    }
    tournament
}

fn sprt() -> serde_json::Value {
    json!({"sprt": {"elo0": 0.0, "elo1": 100.0, "alpha": 0.05, "beta": 0.05}})
}

/// Returns a match with these points.
fn scored(deal: u32, bots: [usize; 2], points: [i32; 2]) -> Scored {
    let seat = |mine: i32, other: i32| SeatResult {
        place: 1 + u8::from(other > mine),
        points: mine,
        fault: None,
        counts: vec![mine, 0, 0, 0],
    };
    let seats = vec![seat(points[0], points[1]), seat(points[1], points[0])];
    Scored {
        deal,
        bots: bots.to_vec(),
        seats,
        transcript: deal * 10 + bots[0] as u32,
    }
}

/// Returns both matches of each deal; the first bot is `better` points stronger on average.
fn matches(deals: u32, better: u32) -> Vec<Scored> {
    let mut chance = Seed::try_from(3).unwrap().stream("points", better.into());
    let mut all = Vec::new();
    for deal in 1..=deals {
        for bots in [[0, 1], [1, 0]] {
            let points =
                bots.map(|bot| (chance.below(100) + if bot == 0 { better } else { 0 }) as i32);
            all.push(scored(deal, bots, points));
        }
    }
    all
}

fn report(tournament: &Spec, matches: &[Scored]) -> String {
    let mut comparison = Comparison::new(tournament).unwrap();
    matches
        .iter()
        .for_each(|scored| comparison.add(scored.clone()).unwrap());
    serde_json::to_string(&ComparisonReport::new(&comparison, tournament)).unwrap()
}

#[test]
fn the_order_in_which_matches_end_changes_nothing() {
    let tournament = tournament(&["a", "b"], 1000, &sprt());
    let matches = matches(200, 40);
    let first = report(&tournament, &matches);
    assert!(first.contains("\"accept_elo1\""), "{first}");
    let mut chance = Seed::try_from(5).unwrap().stream("order", 0);
    for _ in 0..20 {
        let mut shuffled = matches.clone();
        chance.shuffle(&mut shuffled);
        assert_eq!(first, report(&tournament, &shuffled));
    }
    // Matches after the decision do not change it, and are counted separately.
    let mut comparison = Comparison::new(&tournament).unwrap();
    matches
        .iter()
        .for_each(|scored| comparison.add(scored.clone()).unwrap());
    assert_eq!(comparison.beyond() + 2 * u64::from(comparison.deals), 400);
    assert!(comparison.deals < 200);
    let needed = &matches[..2 * comparison.deals as usize];
    assert_eq!(first, report(&tournament, needed));
    let before = report(&tournament, &needed[..needed.len() - 1]);
    assert!(before.contains("\"running\""), "{before}");
}

#[test]
fn a_deal_counts_only_when_all_before_it_do() {
    let tournament = tournament(&["a", "b"], 1000, &sprt());
    let mut matches = matches(100, 40);
    let missing = matches.remove(9);
    let mut comparison = Comparison::new(&tournament).unwrap();
    matches
        .iter()
        .for_each(|scored| comparison.add(scored.clone()).unwrap());
    assert_eq!(
        (comparison.deals, comparison.verdict),
        (4, TestVerdict::Running)
    );
    comparison.add(missing).unwrap();
    assert_eq!(comparison.verdict, TestVerdict::AcceptElo1);
}

#[test]
fn every_test_comes_to_each_of_its_verdicts() {
    let check = |test: serde_json::Value, better: u32, most: u32| {
        let tournament = tournament(&["a", "b"], most, &test);
        let mut comparison = Comparison::new(&tournament).unwrap();
        matches(most, better)
            .into_iter()
            .for_each(|scored| comparison.add(scored).unwrap());
        let text = crate::text::comparison(&ComparisonReport::new(&comparison, &tournament));
        let is_short = |line: &str| line.chars().count() <= 80 || line.starts_with("Elo ");
        assert!(text.lines().all(is_short), "{text}");
        assert!(text.contains(", 95 % at all times\n"), "{text}");
        assert!(
            text.contains("naive estimate") && text.contains(", biased by stopping early\n"),
            "{text}"
        );
        comparison.verdict
    };
    let points = json!({"points": {"alpha": 0.05}});
    let near = json!({"points": {"alpha": 0.05, "margin": 20.0}});
    assert_eq!(check(sprt(), 40, 300), TestVerdict::AcceptElo1);
    assert_eq!(check(sprt(), 0, 300), TestVerdict::AcceptElo0);
    assert_eq!(check(sprt(), 0, 3), TestVerdict::Undecided);
    assert_eq!(check(points.clone(), 40, 300), TestVerdict::First);
    assert_eq!(check(points, 0, 300), TestVerdict::Undecided);
    assert_eq!(check(near, 0, 3000), TestVerdict::Equal);
}

/// Checks that naive estimates are always labelled as biased, and come with an interval that is valid whenever the test stops.
#[test]
fn what_is_biased_by_the_stop_is_always_told_and_labelled() {
    let text = |test: serde_json::Value, points: &[[i32; 2]]| {
        let tournament = tournament(&["a", "b"], 4000, &test);
        let mut comparison = Comparison::new(&tournament).unwrap();
        for (deal, points) in (1..).zip(points) {
            comparison.add(scored(deal, [0, 1], *points)).unwrap();
            comparison
                .add(scored(deal, [1, 0], [points[1], points[0]]))
                .unwrap();
        }
        crate::text::comparison(&ComparisonReport::new(&comparison, &tournament))
    };
    let started = text(sprt(), &[]);
    assert!(
        started.contains("Elo          between no bound and no bound, 95 % at all times"),
        "{started}"
    );
    assert!(!started.contains("naive"), "{started}");
    let won = text(sprt(), &[[9, 4]; 60]);
    assert!(
        won.contains("H1 accepted") && won.contains("\nElo ≥ 178, nElo –, LOS 100.0 %, draws 0 %,"),
        "{won}"
    );
    assert!(
        !won.contains("deals saved"),
        "the spread of deals that are all alike is not known: {won}"
    );
    let level = text(sprt(), &[[9, 4], [4, 9]].repeat(200));
    assert!(
        level.contains("\nElo 0.0 ± ") && level.contains("\nto paste, biased by stopping early:\n"),
        "{level}"
    );
    let points = text(json!({"points": {"alpha": 0.07}}), &[[9, 9]; 30]);
    assert!(
        points.contains(" a match, 93 % at all times\n             naive estimate 0.00, biased"),
        "{points}"
    );
    assert!(!points.contains("\nElo  "), "{points}");
    for text in [started, won, level, points] {
        let odd = [
            "NaN", "inf", "-0 ", "-0,", "-0.0 ", "-0.00 ", "+0.0 ", "+0.0,", "+0.00 ", "+0.00,",
        ];
        assert!(odd.iter().all(|odd| !text.contains(odd)), "{text}");
    }
}

/// Checks that the line repeats numbers that the report shows elsewhere.
#[test]
fn the_line_to_paste_is_that_of_match_runners() {
    let tournament = tournament(&["a", "b"], 1000, &sprt());
    let mut comparison = Comparison::new(&tournament).unwrap();
    matches(200, 40)
        .into_iter()
        .for_each(|scored| comparison.add(scored).unwrap());
    let report = ComparisonReport::new(&comparison, &tournament);
    let text = crate::text::comparison(&report);
    let line = text.lines().last().unwrap();
    let (llr, counts) = (report.llr.unwrap(), report.pentanomial.unwrap());
    let end = format!(" %, Ptnml(0-2) {counts:?}, LLR {llr:.2} (-2.94, 2.94) [0.00, 100.00]");
    assert!(line.starts_with("Elo ") && line.ends_with(&end), "{text}");
}

#[test]
fn words_name_the_side_of_a_hypothesis_that_is_known() {
    let words = |better: u32, [elo0, elo1]: [f64; 2]| {
        let test = json!({"sprt": {"elo0": elo0, "elo1": elo1, "alpha": 0.05, "beta": 0.05}});
        let tournament = tournament(&["a", "b"], 5000, &test);
        let mut comparison = Comparison::new(&tournament).unwrap();
        matches(5000, better)
            .into_iter()
            .for_each(|scored| comparison.add(scored).unwrap());
        let words = ComparisonReport::new(&comparison, &tournament).words;
        words.split_once(" (").unwrap().0.to_owned()
    };
    assert_eq!(words(40, [-50.0, 0.0]), "a is not weaker than b by 50 Elo");
    assert_eq!(
        words(10, [-90.0, 80.0]),
        "a is at most 90 Elo weaker than b"
    );
    assert_eq!(
        words(0, [100.0, 200.0]),
        "a is not stronger than b by 200 Elo or more"
    );
}

/// Checks bots that play alike on all deals but one, against each other or against a field.
#[test]
fn exact_copies_are_equal_after_fifty_deals() {
    let field = json!({"score": {"alpha": 0.05}});
    let points = json!({"points": {"alpha": 0.05}});
    let close = json!({"sprt": {"elo0": 0.0, "elo1": 10.0, "alpha": 0.05, "beta": 0.05}});
    for (bots, test) in [
        (&["a", "b"][..], close),
        (&["a", "b"], points),
        (&["a", "b", "x"], field),
    ] {
        let found = |other: u32| {
            let tournament = tournament(bots, 1000, &test);
            let mut all = Vec::new();
            for deal in 1..=80 {
                let seats: &[[usize; 2]] = match bots.len() {
                    2 => &[[0, 1], [1, 0]],
                    _ => &[[0, 2], [2, 0], [1, 2], [2, 1]],
                };
                all.extend(seats.iter().map(|seats| Scored {
                    transcript: deal * 10
                        + u32::from(seats[0] == 2)
                        + u32::from(deal == other && seats[0] == 1),
                    ..scored(deal, *seats, [9, 4])
                }));
            }
            Seed::try_from(8)
                .unwrap()
                .stream("order", 0)
                .shuffle(&mut all);
            let mut comparison = Comparison::new(&tournament).unwrap();
            all.into_iter()
                .for_each(|scored| comparison.add(scored).unwrap());
            let words = ComparisonReport::new(&comparison, &tournament).words;
            (comparison.verdict, comparison.deals, words)
        };
        let words = "a and b play exactly alike: the same moves in all 100 matches";
        assert_eq!(found(60), (TestVerdict::Equal, 50, words.to_owned()));
        assert!(!found(50).2.contains("alike"));
    }
    let answer = |wanted| Gate::new(wanted, TestVerdict::Equal).answer;
    assert_eq!(answer(Wanted::NotWorse), GateAnswer::Passed);
    assert_eq!(answer(Wanted::Better), GateAnswer::Failed);
}

#[test]
fn a_field_is_met_by_both_and_compared_deal_by_deal() {
    let tournament = tournament(
        &["a", "b", "x", "y"],
        400,
        &json!({"score": {"alpha": 0.05}}),
    );
    let mut chance = Seed::try_from(9).unwrap().stream("field", 0);
    let mut comparison = Comparison::new(&tournament).unwrap();
    for deal in 1..=400 {
        for bot in [0, 1] {
            for other in [2, 3] {
                for bots in [[bot, other], [other, bot]] {
                    let points =
                        bots.map(|bot| (chance.below(100) + if bot == 1 { 60 } else { 0 }) as i32);
                    comparison.add(scored(deal, bots, points)).unwrap();
                }
            }
        }
    }
    assert_eq!(comparison.verdict, TestVerdict::Second);
    assert_eq!(comparison.pentanomial(), None);
    let report = ComparisonReport::new(&comparison, &tournament);
    assert_eq!(report.field, ["x", "y"]);
    assert_eq!(report.results[1].matches, 4 * u64::from(report.deals));
    assert!(report.score_difference.interval[1] < 0.0, "{report:?}");
}

#[test]
fn what_cannot_be_tested_is_refused() {
    let refused = |tournament: &Spec| Comparison::new(tournament).err().unwrap();
    assert!(refused(&sample::tournament(&["a", "b"], 2, 9)).contains("not a comparison"));
    assert!(refused(&tournament(&["a", "b", "c"], 9, &sprt())).contains("against a field"));
    assert!(
        refused(&tournament(
            &["a", "b"],
            9,
            &json!({"points": {"alpha": 0.9}})
        ))
        .contains("alpha")
    );
    assert!(
        refused(&tournament(
            &["a", "b"],
            9,
            &json!({"score": {"alpha": 0.1, "margin": 0.001}})
        ))
        .contains("margin")
    );
}
