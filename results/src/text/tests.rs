use tabled::grid::util::string::get_string_width;

use super::*;
use crate::sample::{self, scored};
use arena_tournament::formats::Choice;
use arena_tournament::printable::unsafe_to_show;
use arena_tournament::sample::HOSTILE;

fn check_width(bots: &[&str], deals: u32, width: usize) -> String {
    let analysis = sample::analysis(bots, deals);
    let text = standings(&analysis, width, false)
        + &standings(&analysis, width, true)
        + &pairs(&analysis, width);
    // Lines to paste are not wrapped.
    let mut folded = text.lines().filter(|line| !line.contains("Ptnml"));
    assert!(folded.all(|line| get_string_width(line) <= width), "{text}");
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    text
}

#[test]
fn tables_fit_the_terminal() {
    check_width(&["ann", "bob"], 2, 80);
    let long = [
        "a-very-long-name-indeed-that-goes-on-for-ever-and-ever",
        "bob",
        "日本語のとても長い名前のボット",
    ];
    let text = check_width(&long, 100, 80);
    assert!(text.contains("a-very-long-name-indee…"), "{text}");
    assert!(check_width(&long, 100, 200).contains(&format!("{}  ", long[0])));
    let many: Vec<String> = (0..14).map(|index| format!("bot number {index}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    check_width(&many, 2, 80);
    let text = crosstable(&sample::standings(&many, 2), WIDTH);
    assert!(
        text.lines().all(|line| get_string_width(line) <= WIDTH),
        "{text}"
    );
}

#[test]
fn numbers_are_never_cut() {
    for width in [40, 60, 80] {
        let analysis = sample::analysis(&["a-long-name-of-a-bot", "another-long-name"], 12);
        let text = standings(&analysis, width, true);
        let rows = text
            .lines()
            .filter(|line| line.starts_with("1 ") || line.starts_with("2 "));
        assert!(
            rows.clone().count() >= 4 && rows.into_iter().all(|row| !row.trim_end().ends_with('…')),
            "{text}"
        );
    }
}

#[test]
fn columns_go_before_names_are_cut_short() {
    let analysis = sample::analysis(&["sharp-shooter", "counter", "random"], 100);
    for width in [40, 50, 60] {
        let text = standings(&analysis, width, false);
        for name in ["sharp-s…", "counter", "random"] {
            let kept = name.trim_end_matches('…');
            assert!(
                text.lines().any(|row| row.contains(kept)
                    && row.ends_with(|c: char| c.is_ascii_digit() || c == '–')),
                "{width}: {text}"
            );
        }
        assert!(
            text.lines().all(|line| get_string_width(line) <= width),
            "{text}"
        );
    }
}

#[test]
fn tables_look_like_this() {
    let analysis = sample::analysis(&["sharp-shooter", "counter", "random"], 40);
    let rule = "\n".to_owned() + &"=".repeat(WIDTH) + "\n\n";
    let text = [
        standings(&analysis, WIDTH, false),
        standings(&analysis, WIDTH, true),
        pairs(&analysis, WIDTH),
    ]
    .join(&rule);
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/tables.txt");
    arena_golden::check(golden, &text);
}

#[test]
fn hostile_names_are_only_names() {
    let text = check_width(&HOSTILE, 3, 80);
    assert!(
        text.chars().all(|c| c == '\n' || !unsafe_to_show(c)),
        "{text:?}"
    );
    assert!(text.contains("…") && text.contains("日本語🦀"), "{text}");
}

#[test]
fn a_tournament_that_hardly_began_has_tables_without_numbers() {
    for deals in [0, 1] {
        let text = check_width(&["ann", "bob"], deals, 80);
        assert!(text.contains('–'), "{text}");
    }
}

#[test]
fn a_run_ends_with_the_first_bots_of_a_large_field_and_the_anchor() {
    let names: Vec<String> = (0..MAX_ROWS + 5).map(|bot| format!("bot{bot}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut analysis = sample::analysis(&names, 1);
    let rows = |text: &str| -> Vec<String> {
        let words = text.lines().map(|line| line.split_whitespace());
        let rows = words.filter_map(|mut words| {
            let rank: Option<usize> = words.next()?.parse().ok();
            rank.and(words.next())
        });
        rows.map(str::to_owned).collect()
    };
    let (text, is_cut) = first_bots(&analysis, 120);
    let all = rows(&standings(&analysis, 120, false));
    assert_eq!(all.len(), 45, "{all:?}");
    assert!(is_cut && text.contains("these are 40 of 45 bots; `arena show` prints all"));
    assert_eq!(rows(&text), all[..MAX_ROWS], "{text}");
    analysis.ratings.anchor = all.last().cloned();
    let (text, _) = first_bots(&analysis, 120);
    assert_eq!(rows(&text).last(), all.last());
    assert!(text.contains("these are 41 of 45 bots"), "{text}");
    let small = sample::analysis(&names[..MAX_ROWS], 1);
    assert_eq!(
        first_bots(&small, 120),
        (standings(&small, 120, false), false)
    );
}

#[test]
fn an_order_by_elo_that_is_not_that_by_points_is_explained() {
    let orders = |other_points: i32| {
        let result = |deal: u32, seats: [usize; 2]| {
            // The first bot wins most matches, but its matches bring few points.
            let points = if seats.contains(&0) { 5 } else { other_points };
            let wins = |mine: usize, other: usize| (mine < other) != deal.is_multiple_of(4);
            let [one, other] = seats;
            scored([
                points - i32::from(!wins(one, other)),
                points - i32::from(!wins(other, one)),
            ])
        };
        let analysis = sample::of_format(Choice::default(), &["ann", "bob", "cy"], 20, result);
        standings(&analysis, 200, false)
    };
    let why = "the order by Elo is not the order by points: points count how high a match is won";
    assert!(orders(50).contains(why), "{}", orders(50));
    assert!(!orders(5).contains("by Elo"), "{}", orders(5));
}
