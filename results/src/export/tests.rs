//! Tests that exports have the right contents and are reproducible.

use arena_engine::chance::Seed;
use arena_engine::game::Game;
use arena_engine::games;
use arena_engine::games::coda::Coda;
use arena_engine::games::digit_code::DigitCode;
use arena_engine::machine::Match;
use arena_engine::record::{RecordOf, Reply};
use arena_engine::seat::Seat;
use serde_json::{Value, json};
use std::collections::BTreeSet;

use super::*;
use arena_tournament::sample;

const EVERYTHING: With = With {
    times: true,
    notes: true,
    views: true,
};

const TABLES: [Dataset; 4] = [
    Dataset::Matches,
    Dataset::Seats,
    Dataset::Moves,
    Dataset::Decisions,
];

fn ledger(folder: &std::path::Path, change: impl Fn(&mut Played)) -> Ledger {
    let (tournament, mut played) = sample::small();
    played.iter_mut().for_each(change);
    let mut ledger = Ledger::create(folder, &tournament).unwrap();
    played
        .iter()
        .rev()
        .for_each(|one| ledger.append(std::slice::from_ref(one)).unwrap());
    ledger
}

fn lines(with: With, change: impl Fn(&mut Played)) -> Result<String, ExportError> {
    let folder = tempfile::tempdir().unwrap();
    let mut out = Vec::new();
    full(&ledger(folder.path(), change), with, &mut out)?;
    Ok(String::from_utf8(out).unwrap())
}

fn written(which: Dataset, format: RowFormat, with: With, change: impl Fn(&mut Played)) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut out = Vec::new();
    table(
        &ledger(folder.path(), change),
        which,
        format,
        with,
        &mut out,
    )
    .unwrap();
    String::from_utf8(out).unwrap()
}

fn objects(which: Dataset, with: With, change: impl Fn(&mut Played)) -> Vec<Value> {
    written(which, RowFormat::Jsonl, with, change)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn the_same_matches_give_the_same_bytes_whatever_the_clock_said() {
    let slower = |played: &mut Played| played.times.wall_us += u64::from(played.deal) + 1;
    assert_eq!(
        lines(With::default(), |_| {}).unwrap(),
        lines(With::default(), slower).unwrap()
    );
    assert_ne!(
        lines(EVERYTHING, |_| {}).unwrap(),
        lines(EVERYTHING, slower).unwrap()
    );
    for which in TABLES {
        for format in [RowFormat::Csv, RowFormat::Jsonl] {
            let plain = |change| written(which, format, With::default(), change);
            assert_eq!(
                plain((|_| {}) as fn(&mut Played)),
                plain(slower),
                "{which:?}"
            );
        }
    }
    let timed = |change| written(Dataset::Matches, RowFormat::Csv, EVERYTHING, change);
    assert_ne!(timed((|_| {}) as fn(&mut Played)), timed(slower));
}

#[test]
fn lines_hold_what_happened() {
    let all = lines(With::default(), |_| {}).unwrap();
    let lines: Vec<Value> = all
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[2]["id"], "d1/ann/bob");
    assert_eq!(lines[2]["seats"], json!(["ann", "bob"]));
    assert_eq!(lines[2]["outcome"]["ended"], "forfeit");
    let fault = json!({"seat": 1, "bot": "bob", "cause": "crash", "detail": "exited with code 1"});
    assert_eq!(lines[2]["faults"], json!([fault]));
    assert!(lines[0]["events"].as_array().unwrap().len() > 10);
    assert!(lines[0].get("times").is_none() && lines[0].get("notes").is_none());
}

#[test]
fn a_ledger_that_contradicts_a_record_is_told() {
    let error = lines(With::default(), |played| {
        if played.id() == "d0/bob/ann" {
            let verdict = serde_json::to_string(&played.verdict).unwrap();
            let wrong = verdict.replacen("\"hits\":", "\"hits\":9", 1);
            played.verdict = serde_json::from_str(&wrong).unwrap();
        }
    });
    let error = error.unwrap_err().to_string();
    assert!(
        error.starts_with("match d0/bob/ann: the record ends with seat 1 in place"),
        "{error}"
    );
    let error = lines(With::default(), |played| {
        played.record = Json::new(&[1]);
    })
    .unwrap_err()
    .to_string();
    assert!(
        error.starts_with("match d0/ann/bob: the record cannot be read"),
        "{error}"
    );
}

#[test]
fn matches_say_how_they_ended() {
    let rows = objects(Dataset::Matches, With::default(), |played| {
        if played.deal == 0 {
            played
                .voids
                .push(arena_tournament::played::Void::new("the disk was full"));
        }
    });
    assert_eq!(rows.len(), 4);
    let row = &rows[2];
    assert_eq!(
        [&row["id"], &row["bots"], &row["winners"], &row["ended"]],
        ["d1/ann/bob", "ann/bob", "ann", "forfeit"]
    );
    assert_eq!(
        [&row["tournament"], &row["game"], &row["format"]],
        ["sample cup", "coda", "round-robin"]
    );
    assert_eq!([&row["deal"], &row["seats"], &row["voids"]], [1, 2, 0]);
    assert_eq!([&rows[0]["deal"], &rows[0]["voids"]], [0, 1]);
    assert_eq!(rows[0]["deal_seed"], rows[1]["deal_seed"]);
    assert_ne!(rows[0]["deal_seed"], rows[2]["deal_seed"]);
    let timed = objects(Dataset::Matches, EVERYTHING, |_| {});
    assert_eq!(timed[0]["wall_us"], 1234);
}

#[test]
fn seats_add_up_to_what_the_full_export_says() {
    let matches: Vec<Value> = lines(With::default(), |_| {})
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let rows = objects(Dataset::Seats, With::default(), |_| {});
    assert_eq!(rows.len(), 8);
    for (row, number) in rows.iter().zip(0..) {
        let (whole, seat) = (&matches[number / 2], number % 2);
        let score = &whole["outcome"]["seats"][seat];
        assert_eq!([&row["id"], &row["seat"]], [&whole["id"], &json!(seat)]);
        assert_eq!(
            [&row["bot"], &row["opponents"]],
            [&whole["seats"][seat], &whole["seats"][1 - seat]]
        );
        assert_eq!(
            [&row["place"], &row["points"]],
            [&score["place"], &score["points"]]
        );
        for (source, count) in score["breakdown"].as_object().unwrap() {
            assert_eq!(&row[source], count);
        }
    }
    assert_eq!([&rows[5]["result"], &rows[5]["fault"]], ["loss", "crash"]);
    assert_eq!(
        [&rows[4]["result"], &rows[4]["fault"]],
        [&json!("win"), &Value::Null]
    );
}

#[test]
fn seats_have_the_times_of_their_moves() {
    let rows = objects(Dataset::Seats, EVERYTHING, |played| {
        let mut more = played.times.moves[0].clone();
        (more.turn, more.cpu_us) = (5, if played.deal == 0 { None } else { Some(4) });
        played.times.moves.push(more);
    });
    let times = |row: usize| [&rows[row]["wall_us"], &rows[row]["cpu_us"]];
    assert_eq!(times(0), [&json!(60), &Value::Null]);
    assert_eq!(times(1), [&Value::Null, &Value::Null]);
    assert_eq!(times(4), [&json!(60), &json!(24)]);
}

#[test]
fn moves_are_the_replies_of_the_records() {
    let rows = objects(Dataset::Moves, EVERYTHING, |_| {});
    let (_, played) = sample::small();
    let mut rows = rows.iter();
    for played in &played {
        let record: RecordOf<Coda> = played.record.read().unwrap();
        for (turn, reply) in record.replies.iter().enumerate() {
            let row = rows.next().unwrap();
            assert_eq!(
                [&row["id"], &row["turn"]],
                [&json!(played.id()), &json!(turn)]
            );
            assert_eq!(row["bot"], played.bots[reply.0.index()]);
            match serde_json::to_value(reply).unwrap()[1].get("act") {
                Some(action) => {
                    let shown: Value =
                        serde_json::from_str(row["action"].as_str().unwrap()).unwrap();
                    assert_eq!(
                        [&shown, &shown[row["kind"].as_str().unwrap()]],
                        [action, &action[row["kind"].as_str().unwrap()]]
                    );
                    assert_eq!([&row["late"], &row["fault"]], [&json!(false), &Value::Null]);
                }
                None => assert_eq!(
                    [&row["kind"], &row["action"], &row["fault"]],
                    [&Value::Null, &Value::Null, &json!("crash")]
                ),
            }
            let seat = reply.0;
            let timed = seat == Seat(0) && turn == 3;
            assert_eq!(row["wall_us"], if timed { json!(30) } else { Value::Null });
            assert_eq!(row["cpu_us"], if timed { json!(20) } else { Value::Null });
            let noted = seat == Seat(0) && turn == 0;
            assert_eq!(
                row["note"],
                if noted { json!("a guess") } else { Value::Null }
            );
        }
    }
    assert!(rows.next().is_none());
}

/// Returns a match of a game in which seat 0 is always late.
fn overdue<G: Game>() -> Played {
    let seed = Seed::try_from(7).unwrap();
    let mut chance = seed.stream("players", 0);
    let mut table = Match::<G>::new(&Default::default(), 2, seed).unwrap();
    while !table.is_over() {
        for seat in table.to_act() {
            let act = Reply::Act(table.game().sample(seat, &mut chance));
            table
                .reply(seat, if seat == Seat(0) { Reply::Late } else { act })
                .unwrap();
        }
    }
    let finished = table.finish().unwrap();
    Played {
        record: Json::new(&finished.record),
        ..sample::decided(1, &["ann", "bob"], finished.verdict)
    }
}

fn overdue_rows<G: Game>(which: Dataset) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let mut tournament = sample::tournament(&["ann", "bob"], 2, 1);
    tournament.plan.game = G::NAME.into();
    let mut ledger = Ledger::create(folder.path(), &tournament).unwrap();
    ledger.append(&[overdue::<G>()]).unwrap();
    let mut out = Vec::new();
    table(&ledger, which, RowFormat::Jsonl, With::default(), &mut out).unwrap();
    String::from_utf8(out)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Checks the late moves of a seat that is always late: each is exported as late, and only the last may be a fault.
fn check_overdue<G: Game>() {
    let moves = overdue_rows::<G>(Dataset::Moves);
    let late: Vec<&Value> = moves.iter().filter(|row| row["seat"] == 0).collect();
    assert!(
        !late.is_empty()
            && late
                .iter()
                .all(|row| row["late"] == true && row["action"].is_null())
    );
    let seat = &overdue_rows::<G>(Dataset::Seats)[0];
    assert_eq!(
        [&seat["moves"], &seat["late_moves"]],
        [late.len(), late.len()]
    );
    let faults: Vec<&Value> = late
        .iter()
        .map(|row| &row["fault"])
        .filter(|fault| !fault.is_null())
        .collect();
    let expected: Vec<&Value> = [&seat["fault"]]
        .into_iter()
        .filter(|fault| !fault.is_null())
        .collect();
    assert_eq!(faults, expected, "{}", G::NAME);
    assert!(late.last().unwrap()["fault"] == seat["fault"]);
}

#[test]
fn late_moves_are_told_whether_or_not_they_cost_the_match() {
    check_overdue::<Coda>();
    check_overdue::<DigitCode>();
    let late = |rows: Vec<Value>| rows.into_iter().filter(|row| row["late"] == true).count();
    assert!(
        late(overdue_rows::<Coda>(Dataset::Moves)) > 1,
        "the first late moves cost a penalty only"
    );
    assert_eq!(late(overdue_rows::<DigitCode>(Dataset::Moves)), 1);
}

#[test]
fn no_game_has_a_source_of_points_that_is_another_column() {
    for Entry {
        name: game,
        scoring,
        ..
    } in games::ENTRIES
    {
        for which in TABLES {
            let columns = columns(which, scoring, EVERYTHING);
            assert_eq!(
                columns
                    .iter()
                    .map(|column| column.0)
                    .collect::<BTreeSet<_>>()
                    .len(),
                columns.len(),
                "{game}: {columns:?}"
            );
        }
    }
}

#[test]
fn columns_have_the_documented_order() {
    let header = |which, with| {
        written(which, RowFormat::Csv, with, |_| {})
            .lines()
            .next()
            .unwrap()
            .to_owned()
    };
    let check = |which, expected: &str, more: &str| {
        assert_eq!(header(which, With::default()), expected);
        assert_eq!(header(which, EVERYTHING), format!("{expected}{more}"));
        let object = written(which, RowFormat::Jsonl, With::default(), |_| {})
            .lines()
            .next()
            .unwrap()
            .to_owned();
        let places: Vec<Option<usize>> = expected
            .split(',')
            .map(|name| object.find(&format!("\"{name}\":")))
            .collect();
        assert!(places.is_sorted() && places[0] == Some(1), "{object}");
    };
    let matches = "id,tournament,game,rules_version,format,deal,deal_seed,round,seats,bots,ended,winners,turns,voids";
    check(Dataset::Matches, matches, ",wall_us");
    let seats = "id,deal,seat,bot,opponents,place,points,hits,exposures,round_wins,bonus,result,fault,moves,late_moves";
    check(Dataset::Seats, seats, ",wall_us,cpu_us");
    check(
        Dataset::Moves,
        "id,deal,turn,seat,bot,kind,action,late,fault",
        ",wall_us,cpu_us,note,view,prompt",
    );
    let known = "opponents,target,worlds,chance,best,expected,gained,right";
    assert_eq!(
        header(Dataset::Decisions, EVERYTHING),
        format!("{},{known}", header(Dataset::Moves, EVERYTHING))
    );
}
