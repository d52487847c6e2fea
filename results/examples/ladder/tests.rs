//! Checks the documented ladder with fewer deals.

use super::*;

const PAGE: &str = include_str!("../../../bots/LADDER.md");

/// Returns the rows of a game's table on the page: each bot, with the cells of its row.
fn rows(game: &str) -> Vec<(&'static str, Vec<&'static str>)> {
    let table = PAGE
        .lines()
        .skip_while(|line| !line.starts_with(&format!("| {game} |")))
        .skip(2);
    let rows = table.take_while(|line| line.starts_with('|')).map(|line| {
        let mut cells = line.trim_matches('|').split('|').map(str::trim);
        (cells.next().unwrap().trim_matches('`'), cells.collect())
    });
    rows.collect()
}

/// Returns the ends of the interval in a cell, in percent.
fn ends(cell: &str) -> [f64; 2] {
    let (low, high) = cell
        .split_once('(')
        .unwrap()
        .1
        .split_once(')')
        .unwrap()
        .0
        .split_once('–')
        .unwrap();
    [low.parse().unwrap(), high.parse().unwrap()]
}

#[test]
fn the_page_shows_every_bot_and_scores_that_come_out_again() {
    let seed = Seed::try_from(7).unwrap();
    for game in arena_engine::table::names() {
        let rows = rows(game);
        let names: Vec<&str> = roster::names(game).collect();
        assert!(
            rows.iter()
                .rev()
                .map(|(name, _)| *name)
                .eq(names.iter().copied()),
            "{game}: {rows:?}"
        );
        for (pair, (name, cells)) in names.windows(2).rev().zip(&rows) {
            let tables = Tables {
                upper: pair[1],
                lower: pair[0],
                deals: 10,
                seed,
            };
            // Slow bots are not played at large tables.
            let is_slow = cells.iter().any(|cell| cell.ends_with("ms"));
            let rung = tables.rung_of(game, is_slow.then_some(2..=2));
            for (cell, page) in rung.cells.iter().zip(cells) {
                let ([low, high], [from, to]) = (cell.interval.unwrap(), ends(page));
                assert!(
                    100.0 * low <= to && from <= 100.0 * high,
                    "{game}, {name}: {cell}, the page says {page}"
                );
            }
        }
    }
}

#[test]
fn times_have_two_digits() {
    for (micros, said) in [
        (0.4, "below 1 µs"),
        (1.23, "1.2 µs"),
        (34.5, "34 µs"),
        (456.0, "460 µs"),
        (2345.0, "2.3 ms"),
    ] {
        assert_eq!(time(micros), said);
    }
}
