//! Laws of all charts.

use std::collections::BTreeMap;

use arena_engine::seat::Seat;
use arena_tournament::entrant::{Bot, Program};
use arena_tournament::spec::Spec;

use super::*;
use arena_tournament::played::{MoveTime, Played};
use arena_tournament::sample::{self, decided, verdict};

const HOSTILE: [&str; 5] = [
    "</svg><script>\"&amp;",
    "a\u{202e}b\u{1}\u{ffff}]]>",
    "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW",
    "日本語 🤖",
    "e\u{301}mile",
];

/// Returns a tournament with random points; its last bot is a program that crashes now and then.
fn tournament(names: &[&str], seats: usize, deals: u32) -> (Spec, Vec<Played>) {
    let mut tournament = sample::tournament(names, seats, deals);
    tournament.bots.last_mut().unwrap().bot = Bot::Program(Program::default());
    let mut chance = tournament.plan.seed.stream("charts", u64::from(deals));
    let mut played = Vec::new();
    for deal in 1..=deals {
        for first in 0..names.len() {
            for step in 1..names.len() {
                let table: Vec<&str> = (0..seats)
                    .map(|seat| names[(first + seat * step) % names.len()])
                    .collect();
                if (1..seats).any(|seat| table[..seat].contains(&table[seat])) {
                    continue;
                }
                let points: Vec<i32> = table.iter().map(|_| chance.below(40) as i32).collect();
                let place =
                    |mine: i32| 1 + points.iter().filter(|points| **points > mine).count() as u8;
                let scores: Vec<(u8, i32)> =
                    points.iter().map(|mine| (place(*mine), *mine)).collect();
                let crasher = table
                    .iter()
                    .position(|bot| Some(bot) == names.last())
                    .filter(|_| chance.below(5) == 0);
                let crashed: Vec<u8> = crasher.map(|seat| seat as u8).into_iter().collect();
                let mut one = decided(deal, &table, verdict(&scores, &crashed));
                let seats = (0..seats as u8)
                    .filter(|seat| table[usize::from(*seat)] == names[names.len() - 1]);
                let time = |seat| MoveTime {
                    turn: 0,
                    seat: Seat(seat),
                    wall_us: chance.below(90_000).into(),
                    cpu_us: None,
                };
                one.times.moves = seats.map(time).collect();
                played.push(one);
            }
        }
    }
    (tournament, played)
}

/// Calls `act` with a folder, the ledger and the analysis of a tournament.
fn with<T>(
    (tournament, played): (Spec, Vec<Played>),
    act: impl FnOnce(&Path, &Ledger, &Analysis) -> T,
) -> T {
    let folder = tempfile::tempdir().unwrap();
    let mut ledger = Ledger::create(folder.path(), &tournament).unwrap();
    ledger.append(&played).unwrap();
    let analysis = Analysis::from_ledger(&ledger).unwrap();
    act(&folder.path().join("charts"), &ledger, &analysis)
}

fn drawn(names: &[&str], seats: usize, deals: u32) -> Vec<Drawn> {
    with(tournament(names, seats, deals), |_, ledger, analysis| {
        draw(ledger, analysis).unwrap()
    })
}

fn names(charts: &[Drawn]) -> Vec<&str> {
    charts.iter().map(|chart| chart.labels.name).collect()
}

#[test]
fn charts_are_the_same_to_the_byte_each_time() {
    let contents = || {
        with(
            tournament(&["ann", "bob", "cy"], 2, 10),
            |folder, ledger, analysis| {
                write_all(folder, ledger, analysis).unwrap();
                let files = std::fs::read_dir(folder)
                    .unwrap()
                    .map(|entry| entry.unwrap().path());
                files
                    .map(|file| (file.clone(), std::fs::read(file).unwrap()))
                    .collect::<BTreeMap<_, _>>()
            },
        )
    };
    let first: Vec<Vec<u8>> = contents().into_values().collect();
    assert_eq!(first, contents().into_values().collect::<Vec<_>>());
    assert!(first.len() == 6 && first.iter().all(|chart| chart.starts_with(b"<svg")));
}

#[test]
fn charts_are_drawn_where_they_say_something() {
    let all = [
        "points",
        "ratings",
        "distribution",
        "convergence",
        "first-seat",
        "times",
    ];
    let without = |left_out: &[&str]| {
        all.into_iter()
            .filter(|name| !left_out.contains(name))
            .collect::<Vec<_>>()
    };
    let charts = drawn(&["ann", "bob", "cy"], 2, 10);
    assert_eq!(names(&charts), all);
    // None of these deals is finished.
    assert_eq!(
        names(&drawn(&["ann", "bob", "cy", "dee"], 3, 10)),
        without(&["ratings", "first-seat"])
    );
    let begun = (sample::tournament(&["a", "b"], 2, 5), Vec::new());
    let begun = with(begun, |_, ledger, analysis| draw(ledger, analysis).unwrap());
    assert_eq!(names(&begun), ["points"]);
}

#[test]
fn no_name_breaks_a_drawing_or_leaves_it() {
    with(tournament(&HOSTILE, 2, 10), |_, ledger, analysis| {
        for chart in charts(ledger, analysis).unwrap() {
            for form in [Form::File, Form::Page, Form::Phone] {
                check_drawing(
                    chart.labels.name,
                    &(chart.draw)(form).unwrap(),
                    form.width(),
                );
            }
            assert!(!chart.labels.caption.is_empty() && !chart.labels.alt.is_empty());
        }
    });
}

fn check_drawing(name: &str, drawing: &str, expected: u32) {
    let svg = roxmltree::Document::parse(drawing).unwrap();
    let width: f64 = svg
        .root_element()
        .attribute("width")
        .unwrap()
        .parse()
        .unwrap();
    assert_eq!(width, f64::from(expected));
    let allowed = [
        "svg", "rect", "text", "circle", "line", "polyline", "polygon", "path",
    ];
    for element in svg.descendants().filter(roxmltree::Node::is_element) {
        let tag = element.tag_name().name();
        assert!(allowed.contains(&tag), "{name}: <{tag}>");
        check_text(&element, width);
    }
    assert!(!drawing.contains('\u{202e}'));
}

#[test]
fn a_page_has_the_title_of_a_chart_itself() {
    with(
        tournament(&["ann", "bob", "cy"], 2, 10),
        |_, ledger, analysis| {
            for chart in charts(ledger, analysis).unwrap() {
                let titled = |form| {
                    (chart.draw)(form)
                        .unwrap()
                        .contains(&format!(": {}", chart.labels.title))
                };
                assert_eq!(
                    [Form::File, Form::Page, Form::Phone].map(titled),
                    [true, false, false],
                    "{}",
                    chart.labels.name
                );
            }
        },
    );
}

#[test]
fn bots_with_the_same_points_are_both_named() {
    let (spec, mut played) = tournament(&["ann", "bob"], 2, 12);
    played
        .iter_mut()
        .for_each(|one| one.verdict = verdict(&[(1, 7), (1, 7)], &[]));
    let charts = with((spec, played), |_, ledger, analysis| {
        draw(ledger, analysis).unwrap()
    });
    let chart = charts
        .iter()
        .find(|chart| chart.labels.name == "convergence")
        .unwrap();
    assert!(
        ["ann", "bob"]
            .iter()
            .all(|name| chart.svg.contains(name) && chart.narrow.contains(name))
    );
}

/// Checks that a text is large enough and, as far as the known font widths tell, ends on the sheet.
fn check_text(element: &roxmltree::Node<'_, '_>, width: f64) {
    let (Some(text), "text") = (element.text(), element.tag_name().name()) else {
        return;
    };
    let number = |name: &str| element.attribute(name).unwrap().parse::<f64>().unwrap();
    let (x, size) = (number("x"), number("font-size"));
    assert!(size >= 12.9, "{text}: {size}");
    if element.attribute("transform").is_none() {
        let room = layout::text_width(text.trim(), size);
        let left = match element.attribute("text-anchor") {
            Some("start") => x,
            Some("middle") => x - room / 2.0,
            _ => x - room,
        };
        assert!(
            left >= 0.0 && left + room <= width,
            "{text}: {left} to {}",
            left + room
        );
    }
}

#[test]
fn many_bots_are_cut_to_the_best() {
    let bots: Vec<String> = (0..45).map(|index| format!("bot number {index}")).collect();
    let bots: Vec<&str> = bots.iter().map(String::as_str).collect();
    let charts = drawn(&bots, 2, 1);
    assert!(
        charts
            .iter()
            .find(|chart| chart.labels.name == "points")
            .unwrap()
            .svg
            .contains("only the best 40 of 45 bots")
    );
    for chart in charts {
        let svg = roxmltree::Document::parse(&chart.svg).unwrap();
        let height: f64 = svg
            .root_element()
            .attribute("height")
            .unwrap()
            .parse()
            .unwrap();
        assert!(height < 1300.0, "{}: {height}", chart.labels.name);
    }
}
