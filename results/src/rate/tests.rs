//! Tests of sources of all kinds: which matches count, which bots are joined, and which files are refused.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use arena_ledger::ledger::Ledger;
use arena_tournament::entrant::{Bot, HashedFile, Program, SOURCES};
use arena_tournament::sample::{cup, tournament};
use arena_tournament::spec::Spec;

use super::*;
use crate::analysis::Analysis;

fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path
}

fn rated(paths: &[PathBuf]) -> Pooled {
    rate(paths, &Choices::default()).unwrap()
}

/// Rates a single file of this name and content.
fn of_file(name: &str, text: impl AsRef<[u8]>) -> Result<Pooled, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), name, text);
    let shown = format!("{}/", folder.path().display());
    let found = rate(&[path], &Choices::default());
    found.map_err(|why| why.replace(&shown, ""))
}

fn numbers(pooled: &Pooled) -> (u64, u64, usize) {
    (pooled.matches, pooled.deals, pooled.bots.len())
}

fn names(pooled: &Pooled) -> Vec<&str> {
    pooled.bots.iter().map(|row| row.bot.as_str()).collect()
}

fn game(white: &str, black: &str, result: &str, more: &str) -> String {
    format!(
        "[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n{more}\n1. e4 e5 {result}\n\n"
    )
}

/// Fills a folder with a sample tournament of bots whose copies have these hashes.
fn played(folder: &Path, name: &str, seed: u64, bots: &[(&str, &str)], deals: u32) -> PathBuf {
    let all: Vec<&str> = bots.iter().map(|(bot, _)| *bot).collect();
    let (mut spec, matches) = cup(&all, deals);
    spec.name = name.into();
    spec.plan.seed = seed.try_into().unwrap();
    for (bot, (_, copy)) in spec.bots.iter_mut().zip(bots) {
        bot.bot = Bot::Program(Program::default());
        bot.files = vec![HashedFile {
            file: SOURCES.into(),
            sha256: copy.repeat(16),
        }];
    }
    let folder = folder.join(name);
    let mut ledger = Ledger::create(&folder, &spec).unwrap();
    ledger.append(&matches).unwrap();
    folder
}

#[test]
fn one_tournament_is_rated_as_it_is_shown() {
    let scratch = tempfile::tempdir().unwrap();
    let bots = [("a", "1111"), ("b", "2222"), ("c", "3333"), ("d", "4444")];
    let folder = played(scratch.path(), "cup", 7, &bots, 40);
    let shown = Analysis::from_ledger(&Ledger::open_read_only(&folder).unwrap()).unwrap();
    let found = rated(std::slice::from_ref(&folder));
    let expected: Vec<_> = shown
        .ratings
        .bots
        .iter()
        .map(|one| (&one.bot, one.elo, one.interval))
        .collect();
    let rows: Vec<_> = found
        .bots
        .iter()
        .map(|row| (&row.bot, row.elo, row.interval))
        .collect();
    assert_eq!(rows, expected);
    for row in &found.bots {
        let standing = shown
            .standings
            .standings
            .iter()
            .find(|one| one.bot == row.bot)
            .unwrap();
        assert_eq!((row.score, row.matches), (standing.score, standing.matches));
        let sorted = |names: &[String]| names.iter().cloned().collect::<BTreeSet<_>>();
        assert_eq!(sorted(&row.ahead_of), sorted(&standing.ahead_of));
    }
    assert_eq!(found.crosstable.map(|table| table.bots.len()), Some(4));
    // The same folder given twice, and a copy with fewer deals, add no matches.
    let again = rated(&[folder.clone(), folder]);
    assert_eq!((again.repeated, &again.bots), (found.matches, &found.bots));
}

#[test]
fn matches_of_a_deal_are_one_cluster_in_all_tournaments() {
    let scratch = tempfile::tempdir().unwrap();
    let [one, other] = [["a", "b"], ["a", "c"]].map(|bots| bots.map(|bot| (bot, "1111")));
    let at = |name, seed, bots: &[(&str, &str)]| played(scratch.path(), name, seed, bots, 12);
    let paths = [
        at("one", 7, &one),
        at("other", 7, &other),
        at("third", 8, &one),
    ];
    assert_eq!(numbers(&rated(&paths[..2])), (48, 12, 3));
    assert_eq!(numbers(&rated(&paths[1..])), (48, 24, 3));
    // A folder of tournaments stands for all tournaments in it.
    assert_eq!(rated(&[scratch.path().to_owned()]).bots, rated(&paths).bots);
    assert_eq!(
        rated(&paths)
            .sources
            .iter()
            .filter(|source| source.matches > 0)
            .count(),
        3
    );
}

#[test]
fn versions_are_bots_unless_pooled() {
    let scratch = tempfile::tempdir().unwrap();
    let old = [("mine", "aaaa"), ("rival", "1111")];
    let new = [("mine", "bbbb"), ("rival", "1111")];
    let paths = [
        played(scratch.path(), "first", 1, &old, 12),
        played(scratch.path(), "second", 2, &new, 12),
        write(
            scratch.path(),
            "more.csv",
            "a,b,result\nmine,rival,1\nformer,rival,0\n",
        ),
    ];
    let with = |change: &dyn Fn(&mut Choices)| {
        let mut choices = Choices::default();
        change(&mut choices);
        let pooled = rate(&paths, &choices).map(|pooled| {
            let mut names: Vec<String> = names(&pooled).into_iter().map(str::to_owned).collect();
            names.sort();
            names.join(" ")
        });
        pooled.unwrap_or_else(|why| why)
    };
    // A file contains no versions of bots.
    assert_eq!(
        with(&|_| {}),
        "former mine mine@aaaaaaaa mine@bbbbbbbb rival rival@11111111"
    );
    assert_eq!(with(&|choices| choices.by_name = true), "former mine rival");
    let aliases = write(scratch.path(), "aliases.csv", "old;new\nformer;mine\n");
    assert_eq!(
        with(&|choices| choices.aliases = Some(aliases.clone())),
        "mine rival rival@11111111"
    );
    assert_eq!(
        with(&|choices| choices.only = vec!["mine@aaaaaaaa".into(), "rival".into()]),
        "mine rival"
    );
    assert_eq!(
        with(&|choices| choices.without = vec!["mine".into()]),
        "former rival"
    );
    let anchored = Choices {
        anchor: Some("mine".into()),
        ..Choices::default()
    };
    let why = rate(&paths[..2], &anchored).unwrap_err();
    assert!(
        why.contains("name one of mine@aaaaaaaa, mine@bbbbbbbb"),
        "{why}"
    );
    assert_eq!(
        with(&|choices| choices.anchor = Some("x".into())),
        "the anchor x has no matches"
    );
    assert_eq!(
        with(&|choices| choices.only = vec!["x".into()]),
        "no bot is called x"
    );
    assert_eq!(
        with(&|choices| choices.since = day("2026-11-22")),
        "no matches to rate: left out are 50 without a date"
    );
}

#[test]
fn games_with_reversed_colours_are_a_deal() {
    let pgn = |games: &[(&str, &str, &str)]| {
        let games = games
            .iter()
            .map(|(white, black, more)| game(white, black, "1-0", more));
        of_file("a.pgn", games.collect::<String>()).unwrap().deals
    };
    let fen = |name: &str| format!("[FEN \"{name}\"]\n");
    let round = |name: &str| format!("[Round \"{name}\"]\n");
    let [one, two] = [fen("p/1"), fen("p/2")];
    assert_eq!(pgn(&[("a", "b", &one), ("b", "a", &one)]), 1);
    assert_eq!(
        pgn(&[("a", "b", &one), ("a", "b", &one)]),
        2,
        "the same colours"
    );
    assert_eq!(
        pgn(&[("a", "b", &one), ("b", "a", &two)]),
        2,
        "another position"
    );
    // Games that run at the same time may end in any order.
    assert_eq!(
        pgn(&[
            ("a", "b", &one),
            ("a", "b", &two),
            ("b", "a", &one),
            ("b", "a", &two)
        ]),
        2
    );
    assert_eq!(
        pgn(&[("a", "b", &one), ("b", "a", &one), ("a", "b", &one)]),
        2,
        "no third"
    );
    for (first, second, deals) in [
        ("3", "3", 1),
        ("3.1", "3.2", 1),
        ("3", "4", 1),
        ("3", "5", 2),
        ("?", "?", 2),
    ] {
        let rounds = [round(first), round(second)];
        assert_eq!(
            pgn(&[("a", "b", &rounds[0]), ("b", "a", &rounds[1])]),
            deals,
            "{first} {second}"
        );
    }
    let opening = "[Opening \"Dutch\"]\n";
    assert_eq!(pgn(&[("a", "b", opening), ("b", "a", opening)]), 1);
}

#[test]
fn moves_and_comments_are_skipped() {
    let text = "\u{feff}[Event \"x\"]\r\n[White \"Ann \\\"A\\\" \\\\\"] [Black \"b\"]\r\n[Result \"1-0\"]\r\n\r\n1. e4 {a comment\r\n[White \"no\"]\r\n} \
                e5 ; [Black \"{\r\n% [White \"{\r\n1-0\r\n[White \"b\"]\n[Black \"\u{e9}\"]\n[Result \"*\"]\n\n*\n\
                [White \"b\"]\n[Black \"?\"]\n[Result \"1-0\"]\n[White \"b\"]\n[Black \"c\"]\n[Result \"1/2-1/2\"]\n[Date \"2026.11.22\"]";
    let found = of_file("a.pgn", text).unwrap();
    assert_eq!(numbers(&found), (2, 2, 3));
    assert!(names(&found).contains(&"Ann \"A\" \\"));
    let left: Vec<_> = found.left_out.into_iter().collect();
    assert_eq!(
        left,
        [
            ("without a name".to_owned(), 1),
            ("without a result".to_owned(), 1)
        ]
    );
    // PGN may be ISO 8859-1.
    let found = of_file(
        "a.pgn",
        b"[White \"Andr\xe9\"]\n[Black \"b\"]\n[Result \"0-1\"]\n",
    )
    .unwrap();
    assert!(names(&found).contains(&"André"));
}

#[test]
fn all_dialects_of_csv_say_the_same() {
    let rows = |games: &[&str]| of_file("a.csv", games.join("\n")).unwrap().bots;
    let comma = rows(&[
        "a,b,result,deal",
        "x,y,1-0,1",
        "y,x,0.5,1",
        "x,z,0,2",
        "y,z,1,",
    ]);
    for other in [
        rows(&[
            "a;b;result;deal",
            "x;y;1;1",
            "y;x;0,5;1",
            "x;z;0-1;2",
            "y;z;1-0;",
        ]),
        rows(&[
            "a\tb\tresult\tdeal",
            "x\ty\t1\t1",
            "y\tx\t½\t1",
            "x\tz\t0\t2",
            "y\tz\t1\t",
        ]),
        rows(&[
            "sep=;",
            "Deal;Result;A;B",
            "\"1\";1;x;y",
            "1;\"1/2-1/2\";y;\"x\"",
            "2;0;x;z",
            ";1;y;z",
            ";;;",
        ]),
    ] {
        assert_eq!(other, comma);
    }
    let seats = rows(&[
        "match,deal,bot,place,points",
        "1,1,x,1,9",
        "1,1,y,2,3.5",
        "2,1,y,1,",
        "2,1,x,1,",
        "3,2,x,2,",
        "3,2,z,1,",
        "4,,y,1,",
        "4,,z,2,",
    ]);
    assert_eq!(seats, comma);
    // Without places, points decide.
    let points = rows(&[
        "match;deal;bot;points",
        "1;1;x;9",
        "1;1;y;3,5",
        "2;1;y;4",
        "2;1;x;4",
        "3;2;x;2",
        "3;2;z;3",
        "4;;y;1",
        "4;;z;-2",
    ]);
    assert_eq!(points, comma);
}

#[test]
fn tables_of_seats_may_have_any_number_of_them() {
    let text = "match,bot,place\n1,x,1\n1,y,2\n1,z,2\n1,w,4\n";
    let found = of_file("a.tsv", text.replace(',', "\t")).unwrap();
    let scores: BTreeMap<&str, Option<f64>> = found
        .bots
        .iter()
        .map(|row| (row.bot.as_str(), row.score))
        .collect();
    assert_eq!(scores["x"], Some(1.0));
    assert_eq!(
        [scores["y"], scores["z"], scores["w"]],
        [Some(0.5), Some(0.5), Some(0.0)]
    );
}

#[test]
fn exports_are_read() {
    let scratch = tempfile::tempdir().unwrap();
    let seats = "id,deal,seat,bot,opponents,place,points,result,fault\nd1/'=a/b,1,0,'=a,b,1,9,win,\nd1/=a/b,1,1,b,'=a,2,3,loss,crash\n";
    let seats = seats.replace("d1/'=a", "d1/=a");
    let whole = "{\"id\":\"d1/=a/b\",\"deal\":1,\"seats\":[\"=a\",\"b\"],\"events\":[],\"outcome\":{\"seats\":[{\"place\":1},{\"place\":2}]},\"faults\":[{\"seat\":1}]}\n";
    let packed = zstd::encode_all(whole.as_bytes(), 1).unwrap();
    for path in [
        write(scratch.path(), "a.csv", seats),
        write(scratch.path(), "a.jsonl.zst", packed),
    ] {
        let found = rated(&[path]);
        assert_eq!(
            (found.bots[0].bot.as_str(), found.bots[0].score),
            ("=a", Some(1.0))
        );
    }
}

#[test]
fn the_same_file_counts_once() {
    let scratch = tempfile::tempdir().unwrap();
    let text = "a,b,result\nx,y,1\nx,y,1\n";
    let paths = [
        write(scratch.path(), "a.csv", text),
        write(scratch.path(), "b.csv", text),
    ];
    let found = rated(&paths);
    assert_eq!((found.matches, found.repeated), (2, 2));
}

#[test]
fn groups_that_never_met_are_rated_apart() {
    let text = "a,b,result\nx,y,1\nx,y,0\ny,z,1\ny,z,0\nu,v,1\nu,v,0\nu,v,1\n";
    let found = of_file("a.csv", text).unwrap();
    assert_eq!(found.groups, 2);
    let groups: Vec<(usize, &str)> = found
        .bots
        .iter()
        .map(|row| (row.group, row.bot.as_str()))
        .collect();
    assert_eq!(groups, [(1, "x"), (1, "y"), (1, "z"), (2, "u"), (2, "v")]);
    let text = crate::text::rated(&found, 80);
    assert!(
        text.contains("2 groups that no match connects are rated apart"),
        "{text}"
    );
}

#[test]
fn seasons_share_points_and_drop_the_worst() {
    let scratch = tempfile::tempdir().unwrap();
    let evening = |nth: usize, rows: &str| {
        write(
            scratch.path(),
            &format!("e{nth}.csv"),
            format!("match,bot,place\n{rows}"),
        )
    };
    let paths = [
        evening(1, "1,x,1\n1,y,2\n1,z,2\n"),
        evening(2, "1,y,1\n1,x,2\n"),
        evening(3, "2,z,1\n2,x,2\n2,y,3\n"),
    ];
    let choices = Choices {
        points: vec![10.0, 8.0, 6.0],
        best: Some(2),
        ..Choices::default()
    };
    let season = rate(&paths, &choices).unwrap().season.unwrap();
    let rows: Vec<_> = season
        .bots
        .iter()
        .map(|row| (row.rank, row.bot.as_str(), row.points, row.played))
        .collect();
    assert_eq!(
        rows,
        [(1, "x", 18.0, 3), (2, "y", 17.0, 3), (2, "z", 17.0, 2)]
    );
    assert_eq!(season.bots[2].each, [Some(7.0), None, Some(10.0)]);
    let csv = crate::csv::season(&season);
    assert_eq!(csv.lines().next(), Some("rank,bot,points,played,e1,e2,e3"));
    assert_eq!(csv.lines().last(), Some("2,z,17,2,7,,10"));
}

#[test]
fn ratings_move_over_time() {
    let text =
        "a,b,result,date\nx,y,1,2026-11-01\nx,y,0,2026-11-01\nx,y,1,2026-11-08\nx,y,1,2026.11.08\n";
    let found = of_file("a.csv", text).unwrap();
    let stands: Vec<(&str, f64)> = found
        .history
        .iter()
        .map(|stand| (stand.day.as_str(), stand.elo["x"].round()))
        .collect();
    assert_eq!(stands, [("2026-11-01", 0.0), ("2026-11-08", 95.0)]);
    let page = Frame::of_file(&found, Path::new("")).unwrap();
    for part in [
        "Rating over time",
        "chart-ratings",
        "Score of the row",
        "What was read",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn names_of_others_do_no_harm() {
    let name = "<b>\u{202e}=1\u{1b}[2J";
    let found = of_file("a.csv", format!("a,b,result\n{name},y,1\n{name},y,0\n")).unwrap();
    let page = Frame::of_file(&found, Path::new("")).unwrap();
    assert!(!page.contains("<b>\u{202e}") && page.contains("&lt;b&gt;"));
    let text = crate::text::rated(&found, 80);
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
}

#[test]
fn broken_files_are_refused_with_the_place() {
    let long = "x".repeat(1 << 20);
    let cases: Vec<(&str, Vec<u8>, &str)> = [
        (
            "a.pgn",
            "1. e4\n".to_owned(),
            "a.pgn:1:1: moves without tags",
        ),
        (
            "a.pgn",
            "[White \"a\"]\n[Black \"b\"]\n\n1. e4\n".into(),
            "a.pgn:1:1: the game that begins here has no tag Result",
        ),
        (
            "a.pgn",
            "[White \"a\"]\n[Result \"1-0\"]\n\n1. e4\n".into(),
            "a.pgn:1:1: the game that begins here has no tag Black",
        ),
        (
            "a.pgn",
            "[White \"a\"]\n[Black \"b\"]\n[Result \"2-0\"]\n".into(),
            "a.pgn:1:1: the Result of this game must be",
        ),
        (
            "a.pgn",
            "[White \"a\n".into(),
            "a.pgn:1:10: the value of this tag has no closing quote",
        ),
        (
            "a.pgn",
            "[White a]\n".into(),
            "a.pgn:1:8: this is not a tag",
        ),
        (
            "a.pgn",
            "[White \"a\"]\n[White \"b\"]\n".into(),
            "a.pgn:2:1: a second White in one game",
        ),
        (
            "a.pgn",
            format!("[White \"{long}\"]\n"),
            "a.pgn:1:4097: a line of tags has at most 4096 bytes",
        ),
        (
            "a.pgn",
            game("a", "b", "1-0", "") + "{ never\nclosed\n",
            "a.pgn:7:1: the comment that begins here has no end",
        ),
        (
            "a.pgn",
            "[White \"a\0\"]\n".into(),
            "a.pgn:1:10: a NUL byte",
        ),
        ("a.pgn", String::new(), "no matches to rate"),
        (
            "a.pgn",
            game(&"n".repeat(300), "b", "1-0", ""),
            "a.pgn:1:1: a name has 1 to 200 characters, this one 300",
        ),
        ("a.csv", String::new(), "a.csv:1:1: the file is empty"),
        (
            "a.csv",
            "x,y,z\n".into(),
            "a.csv:1:1: the first line must name the columns",
        ),
        (
            "a.csv",
            "a,b,result,a\n".into(),
            "a.csv:1:12: a second column a",
        ),
        (
            "a.csv",
            "a,b,result\nx,y\n".into(),
            "a.csv:2:4: 2 cells, but the first line has 3",
        ),
        (
            "a.csv",
            "a,b,result\nx,,1\n".into(),
            "a.csv:2:3: the cell of the column b is empty",
        ),
        (
            "a.csv",
            "a,b,result\nx,y,2\n".into(),
            "a.csv:2:5: a result is the score of bot a",
        ),
        (
            "a.csv",
            "a,b,result\n\"x,y,1\n".into(),
            "a.csv:2:1: the quote that begins here does not end",
        ),
        (
            "a.csv",
            "a,b,result\n\"x\"z,y,1\n".into(),
            "a.csv:2:4: text after a closing quote",
        ),
        (
            "a.csv",
            "a,b,result,date\né,y,1,1.2.26\n".into(),
            "a.csv:2:7: this is not a date",
        ),
        (
            "a.csv",
            format!("a,b,result\n{long},y,1\n"),
            "a.csv:2:65537: the line has more than 65536 bytes",
        ),
        (
            "a.csv",
            "match,bot,place\n1,x,1\n".into(),
            "a.csv:2:1: the match that begins here has one row",
        ),
        (
            "a.csv",
            "match,bot,place\n1,x,0\n".into(),
            "a.csv:2:5: a place is a whole number",
        ),
        (
            "a.csv",
            "match,bot,points\n1,x,inf\n".into(),
            "a.csv:2:5: points are a number",
        ),
        (
            "a.csv",
            "match,bot,place\n1,x,1\n1,y,2\n2,x,1\n2,y,1\n1,z,1\n".into(),
            "a.csv:6:1: this match has rows further up",
        ),
        (
            "a.csv",
            "match,deal,bot,place\n1,1,x,1\n1,2,y,2\n".into(),
            "a.csv:3:1: the rows of a match have different deals",
        ),
        (
            "a.jsonl",
            "{}\n".into(),
            "a.jsonl:1:1: not a match as `arena export` writes it",
        ),
        ("a.txt", "x".into(), "a.txt: the name of a file ends with"),
    ]
    .map(|(name, text, why)| (name, text.into_bytes(), why))
    .into_iter()
    .chain([
        (
            "a.csv",
            b"\xff\xfea\0,\0".to_vec(),
            "a.csv:1:1: the file is UTF-16",
        ),
        (
            "a.csv",
            b"a,b,result\nx,\xe9,1\n".to_vec(),
            "a.csv:2:3: this is not UTF-8",
        ),
        ("a.jsonl.zst", b"abc".to_vec(), "cannot read a.jsonl.zst"),
    ])
    .collect();
    for (name, text, expected) in cases {
        let found = of_file(name, text).unwrap_err();
        assert!(found.starts_with(expected), "{found}, not {expected}");
    }
}

#[test]
fn forged_ledgers_are_refused() {
    let scratch = tempfile::tempdir().unwrap();
    let forged = |name: &str, change: &dyn Fn(&mut Spec)| {
        let mut spec = tournament(&["a", "b"], 2, 1);
        change(&mut spec);
        let folder = scratch.path().join(name);
        Ledger::create(&folder, &spec).unwrap().close().unwrap();
        rate(&[folder], &Choices::default()).unwrap_err()
    };
    assert!(forged("seats", &|spec| spec.plan.seats = usize::MAX).contains("damaged"));
    assert!(forged("bots", &|spec| spec.bots.clear()).contains("damaged"));
    assert!(
        forged("name", &|spec| spec.bots[0].name = "n".repeat(1000)).contains("200 characters")
    );
    assert_eq!(forged("empty", &|_| {}), "no matches to rate");
    write(
        scratch.path(),
        "seats/ledger.sqlite",
        b"SQLite format 3\0rest",
    );
    let found = rate(&[scratch.path().join("seats")], &Choices::default()).unwrap_err();
    assert!(found.contains("is not a ledger"), "{found}");
}
