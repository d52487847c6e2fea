use arena_tournament::entrant::{Bot, Program};

use super::*;
use crate::chart;
use crate::faults::Words;
use arena_ledger::ledger::Ledger;
use arena_statistics::crosstable::{Cell, Crosstable};
use arena_tournament::sample;

/// Renders the report of a tournament between these bots, some of which failed.
fn report(bots: &[&str], deals: u32) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (mut tournament, mut all) = sample::cup(bots, deals);
    tournament.name = bots[0].into();
    tournament.bots.iter_mut().for_each(|bot| {
        let command = vec!["python3".into(), bot.name.clone()];
        bot.bot = Bot::Program(Program {
            command,
            ..Program::default()
        });
    });
    for played in all
        .iter_mut()
        .filter(|played| played.verdict.faults.iter().any(Option::is_some))
    {
        let seat = arena_engine::seat::Seat(1);
        let received = vec![bots[0].to_owned()];
        let evidence = arena_tournament::played::Evidence {
            seat,
            received,
            stderr: bots.join("\n"),
            ..Default::default()
        };
        played.evidence.push(evidence);
    }
    let mut ledger = Ledger::create(folder.path(), &tournament).unwrap();
    ledger.append(&all).unwrap();
    let analysis = Analysis::from_ledger(&ledger).unwrap();
    let forfeits = crate::faults::first_forfeits(&ledger, MAX_FORFEITS, None).unwrap();
    let charts = chart::draw(&ledger, &analysis).unwrap();
    let file = bots.join("\n");
    let report = Contents {
        tournament: &tournament,
        analysis: &analysis,
        forfeits: &forfeits,
        matches: &instructive(
            &ledger,
            &candidates(&ledger, &analysis).unwrap(),
            None,
            &forfeits,
            Words::All,
        )
        .unwrap(),
        charts: &charts,
        days: None,
        status: &Status::from_ledger(&ledger).unwrap().public(false),
        file: &file,
    };
    html(&report)
}

/// Checks that elements are closed in the right order, as far as HTML requires.
fn check_nesting(page: &str) {
    let mut open: Vec<&str> = Vec::new();
    let body = &page[page.find("</style>").unwrap() + 8..];
    for tag in body.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').unwrap();
        let name = tag
            .split([' ', '\n', '/'])
            .find(|part| !part.is_empty())
            .unwrap();
        match tag.starts_with('/') {
            true if name == "head" || name == "html" => {}
            true => assert_eq!(open.pop(), Some(name), "{open:?}"),
            false if tag.ends_with('/') || name == "br" => {}
            false => open.push(name),
        }
    }
    assert_eq!(open, Vec::<&str>::new());
}

#[test]
fn hostile_names_are_text_and_nothing_else() {
    let page = report(&sample::HOSTILE, 4);
    check_nesting(&page);
    let own = page.matches("<script type=\"module\">").count()
        + page.matches("<script id=\"match-").count();
    assert_eq!(page.matches("<script").count(), own);
    for markup in [
        "<img",
        "onload=x>",
        "</title></details>",
        "\x1b",
        "\u{202e}",
    ] {
        let found = page.find(markup).map(|at| &page[at.saturating_sub(80)..]);
        assert_eq!(
            found.map(|text| text.chars().take(200).collect::<String>()),
            None,
            "{markup}"
        );
    }
    assert!(
        page.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && page.contains("日本語🦀🦀"),
        "{page}"
    );
    assert!(
        page.chars()
            .all(|c| c == '\n' || !arena_tournament::printable::unsafe_to_show(c))
    );
    assert!(page.contains("Content-Security-Policy") && !page.contains("href=\"http"));
}

#[test]
fn a_report_is_the_same_to_the_byte_each_time() {
    let page = report(&["ann", "bob", "cy"], 34);
    assert_eq!(page, report(&["ann", "bob", "cy"], 34));
    for part in [
        "standings",
        "crosstable",
        "pairs",
        "faults",
        "again",
        "method",
    ] {
        assert!(page.contains(&format!("<section id=\"{part}\"")), "{part}");
    }
    assert!(
        page.contains("exited with code 1") && page.contains("python3 ann"),
        "{page}"
    );
    assert!(page.contains("arena run tournament.toml") && !page.contains("NaN"));
}

#[test]
fn there_is_a_report_before_the_first_match() {
    let page = report(&["ann", "bob"], 0);
    check_nesting(&page);
    assert!(page.contains("No match is finished yet."));
}

#[test]
fn a_large_or_thin_field_lists_opponents_instead_of_a_matrix() {
    let crosstable = |bots: usize, met: fn(usize, usize) -> bool| {
        let row = |bot: usize| {
            let cell = |other: usize| {
                (bot != other && met(bot.min(other), bot.max(other))).then_some(Cell {
                    matches: 2,
                    wins: 2,
                    draws: 0,
                    losses: 0,
                    score: Some(1.0),
                    points: None,
                })
            };
            (0..bots).map(cell).collect()
        };
        Crosstable {
            bots: (0..bots).map(|bot| format!("b{bot}")).collect(),
            cells: (0..bots).map(row).collect(),
        }
    };
    assert!(!parts::is_sparse(&crosstable(4, |_, _| true)));
    assert!(parts::is_sparse(&crosstable(41, |_, _| true)));
    let thin = crosstable(5, |one, other| one == 0 && other < 4);
    assert!(parts::is_sparse(&thin));
    let listed = parts::opponents("met", &thin).into_string();
    assert!(
        listed.contains("<td><bdi>b1</bdi> 100.0, <bdi>b2</bdi> 100.0, <bdi>b3</bdi> 100.0</td>"),
        "{listed}"
    );
    let all = parts::opponents("met", &crosstable(601, |_, _| true)).into_string();
    assert!(
        all.contains(", and 570 more</td>") && all.len() < 600_000,
        "{}",
        all.len()
    );
}
