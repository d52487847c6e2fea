//! Laws of the ledger: what is written is read back, and foreign or damaged content is reported.

use super::*;
use crate::repair::repair;
use crate::verify::{Verified, verify};
use arena_engine::chance::{Chance, Seed};
use arena_tournament::sample;

fn all(ledger: &Ledger) -> Vec<Played> {
    let mut all = Vec::new();
    let collected: Result<(), LedgerError> = ledger.each(|played| {
        all.push(played);
        Ok(())
    });
    collected.unwrap();
    all
}

#[test]
fn what_goes_in_comes_out_in_order_and_doubles_are_harmless() {
    let folder = tempfile::tempdir().unwrap();
    let (tournament, played) = sample::small();
    let mut ledger = Ledger::create(folder.path(), &tournament).unwrap();
    ledger
        .append(&[played[2].clone(), played[0].clone()])
        .unwrap();
    ledger
        .append(&[played[1].clone(), played[2].clone()])
        .unwrap();
    let mut altered = played[1].clone();
    altered.bots.reverse();
    ledger.append(&[altered]).unwrap();

    assert_eq!(all(&ledger), played[..3]);
    assert_eq!(ledger.count().unwrap(), 3);
    assert!(ledger.has(0, &[1, 0]).unwrap() && !ledger.has(1, &[1, 0]).unwrap());
    assert_eq!(
        ledger.find(&played[1].id()).unwrap().as_ref(),
        Some(&played[1])
    );
    assert_eq!(ledger.find("none").unwrap(), None);

    let reader = Ledger::open_read_only(folder.path()).unwrap();
    assert_eq!(reader.spec(), &tournament);
    ledger.append(&played[3..]).unwrap();
    assert_eq!(all(&reader), played);
    drop((ledger, reader));
    assert_eq!(all(&Ledger::open(folder.path()).unwrap()), played);
}

/// Checks that a match has the same summary before and after it is saved. During play, a comparison decides by the summary from before; its
/// report uses the one from after.
#[test]
fn a_match_is_summarised_alike_before_and_after_it_is_saved() {
    let folder = tempfile::tempdir().unwrap();
    let (tournament, played) = sample::small();
    let mut ledger = Ledger::create(folder.path(), &tournament).unwrap();
    ledger.append(&played).unwrap();
    let mut read = Vec::new();
    let taken = ledger.scores(|scored| {
        read.push(scored);
        Ok::<_, LedgerError>(())
    });
    taken.unwrap();
    let names = tournament.names();
    let before = played.iter().map(|played| played.scored(&names).unwrap());
    assert_eq!(read, before.collect::<Vec<_>>());
    assert!(read.iter().all(|scored| scored.transcript != 0));
}

#[test]
fn a_ledger_that_cannot_change_is_read_whatever_its_folder_is_called() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("50% #1? yes");
    let (tournament, played) = sample::small();
    Ledger::create(&folder, &tournament)
        .unwrap()
        .append(&played)
        .unwrap();
    let path = immutable(&folder.join(FILE));
    let mut connection = connect(
        &path,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI,
    )
    .unwrap();
    let found = described(&mut connection, &path, &folder).unwrap();
    assert_eq!(found.spec, tournament);
    assert_eq!(
        all(&Ledger::new(connection, found, &folder, (None, None))),
        played
    );
}

#[test]
fn a_match_of_strangers_is_refused_and_nothing_is_added() {
    let folder = tempfile::tempdir().unwrap();
    let (tournament, played) = sample::small();
    let mut ledger = Ledger::create(folder.path(), &tournament).unwrap();
    let mut other = played[0].clone();
    other.bots[1] = "eve".into();
    assert!(matches!(
        ledger.append(&[played[0].clone(), other]),
        Err(LedgerError::Stranger(_))
    ));
    assert_eq!(ledger.count().unwrap(), 0);
}

#[test]
fn one_may_write_and_all_may_read() {
    let folder = tempfile::tempdir().unwrap();
    let (tournament, played) = sample::small();
    let mut ledger = Ledger::create(folder.path(), &tournament).unwrap();
    ledger.append(&played).unwrap();
    let shown = Ledger::open(folder.path()).err().unwrap().to_string();
    assert!(
        shown.contains(&format!(
            "in use by another arena (process {})",
            std::process::id()
        )),
        "{shown}"
    );
    assert_eq!(all(&Ledger::open_read_only(folder.path()).unwrap()), played);
    assert!(Lock::is_held(folder.path()));
    drop(ledger);
    assert!(!Lock::is_held(folder.path()));
    assert_eq!(Ledger::open(folder.path()).unwrap().spec(), &tournament);
}

#[test]
fn rows_and_records_that_changed_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let (tournament, played) = sample::small();
    Ledger::create(folder.path(), &tournament)
        .unwrap()
        .append(&played)
        .unwrap();
    let spoil = |change: &str| {
        let connection = Connection::open(folder.path().join(FILE)).unwrap();
        assert_eq!(connection.execute(change, []).unwrap(), 1);
    };
    let shown = || {
        let ledger = Ledger::open_read_only(folder.path()).unwrap();
        let rows: Result<(), LedgerError> = ledger.scores(|_| Ok(()));
        let records: Result<(), LedgerError> = ledger.each(|_| Ok(()));
        [rows, records].map(|read| {
            read.err()
                .map(|error| error.to_string().split(':').next().unwrap().to_owned())
        })
    };
    assert_eq!(shown(), [None, None]);
    spoil(
        "UPDATE records SET entry = CAST(substr(entry, 1, 40) || x'00' || substr(entry, 42) AS BLOB) WHERE number = 2",
    );
    let record = "the ledger is damaged (record 2)".to_owned();
    assert_eq!(shown(), [None, Some(record)]);
    spoil(
        "UPDATE scores SET seats = CAST(x'00' || substr(seats, 2) AS BLOB) WHERE deal = 1 AND bots = x'00000001'",
    );
    assert_eq!(
        shown()[0],
        Some("the ledger is damaged (a row of deal 1)".to_owned())
    );
}

#[test]
fn what_is_no_ledger_of_ours_is_recognised() {
    let folder = tempfile::tempdir().unwrap();
    let shown = |opened: Result<Ledger, LedgerError>| match opened {
        Ok(_) => "opened".to_owned(),
        Err(error) => error
            .to_string()
            .replace(folder.path().to_str().unwrap(), "FOLDER"),
    };
    let (tournament, _) = sample::small();
    let open = || shown(Ledger::open(folder.path()));
    assert_eq!(
        open(),
        "no tournament has begun in FOLDER: name the folder or the file of one, or begin it with `arena run`"
    );

    // The file left by a process that was killed before the first commit is refused as well.
    let path = folder.path().join(FILE);
    std::fs::write(&path, "").unwrap();
    for change in ["PRAGMA user_version = 0", "PRAGMA journal_mode = WAL"] {
        let connection = Connection::open(&path).unwrap();
        let changed: Result<(), _> = connection.execute_batch(change);
        drop((changed.unwrap(), connection));
        assert_eq!(
            open(),
            "no tournament has begun in FOLDER: name the folder or the file of one, or begin it with `arena run`"
        );
    }
    assert_eq!(shown(Ledger::create(folder.path(), &tournament)), "opened");
    assert_eq!(
        shown(Ledger::create(folder.path(), &tournament)),
        "FOLDER already holds a ledger"
    );

    let connection = Connection::open(folder.path().join(FILE)).unwrap();
    connection
        .execute("UPDATE meta SET value = '9' WHERE key = 'format'", [])
        .unwrap();
    assert_eq!(
        open(),
        "FOLDER/ledger.sqlite is a ledger of format 9, this program reads format 8: use the version of the \
         arena that wrote it, or start over with `arena reset`"
    );
    connection.execute_batch("DROP TABLE meta").unwrap();
    assert_eq!(
        open(),
        "FOLDER/ledger.sqlite is not a ledger of this arena, or its beginning is lost"
    );
    drop(connection);
    std::fs::write(folder.path().join(FILE), "something else".repeat(100)).unwrap();
    assert_eq!(
        open(),
        "FOLDER/ledger.sqlite is not a ledger of this arena, or its beginning is lost"
    );
}

#[test]
fn a_forged_ledger_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (tournament, played) = sample::small();
    Ledger::create(folder.path(), &tournament)
        .and_then(|mut ledger| ledger.append(&played))
        .unwrap();
    let path = folder.path().join(FILE);
    let whole = std::fs::read(&path).unwrap();
    let endless = "AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS key, i AS value FROM n";
    let insert = "PRAGMA writable_schema = ON; INSERT INTO sqlite_master VALUES";
    let forgeries = [
        format!("DROP TABLE meta; CREATE VIEW meta {endless}"),
        format!("DROP TABLE scores; CREATE VIEW scores {endless}"),
        format!(
            "{insert} ('view', 'sqlite_schema', 'sqlite_schema', 0, 'CREATE VIEW sqlite_schema {endless}')"
        ),
        format!("{insert} ('table', 'x', 'x', 0, 'CREATE VIRTUAL TABLE x USING nothing')"),
        "CREATE VIEW more AS SELECT 1".into(),
        "CREATE TABLE more (x)".into(),
        "CREATE INDEX more ON scores (sum)".into(),
        "CREATE TRIGGER more AFTER INSERT ON scores BEGIN DELETE FROM records; END".into(),
        "ALTER TABLE records ADD COLUMN more AS (zeroblob(1000000000))".into(),
        "DROP TABLE meta; CREATE TABLE meta (key TEXT PRIMARY KEY, value BLOB NOT NULL)".into(),
        "DROP TABLE records".into(),
        "UPDATE meta SET value = char(27) || '[31m' WHERE key = 'format'".into(),
    ];
    for forgery in forgeries {
        std::fs::write(&path, &whole).unwrap();
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch(&forgery).unwrap();
        drop(connection);
        for opened in [
            Ledger::open(folder.path()),
            Ledger::open_read_only(folder.path()),
        ] {
            let error = opened.err().expect(&forgery);
            assert!(
                matches!(error, LedgerError::Foreign(_) | LedgerError::Unreadable(_)),
                "{forgery}: {error}"
            );
        }
    }
}

/// Checks that an extremely long or deeply nested description costs little memory and time.
#[test]
fn a_forged_description_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (tournament, _) = sample::small();
    drop(Ledger::create(folder.path(), &tournament).unwrap());
    for text in [" ".repeat(1 << 27), "[".repeat(1 << 20)] {
        let entry = record::of_json(text.as_bytes()).unwrap();
        let connection = Connection::open(folder.path().join(FILE)).unwrap();
        let update = "UPDATE meta SET value = ?1 WHERE key = 'about'";
        assert_eq!(connection.execute(update, [entry]).unwrap(), 1);
        let opened = Ledger::open_read_only(folder.path());
        assert!(matches!(opened, Err(LedgerError::Unreadable(_))));
    }
}

#[test]
fn what_is_whole_is_kept_and_what_is_lost_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (tournament, played) = sample::small();
    Ledger::create(folder.path(), &tournament)
        .unwrap()
        .append(&played)
        .unwrap();
    let verified = || verify(&Ledger::open_read_only(folder.path()).unwrap()).unwrap();
    assert_eq!(
        verified(),
        Verified {
            whole: 4,
            ..Verified::default()
        }
    );
    let spoil = |change: &str| {
        let connection = Connection::open(folder.path().join(FILE)).unwrap();
        connection
            .pragma_update(None, "secure_delete", true)
            .unwrap();
        connection.execute(change, []).unwrap()
    };
    spoil(
        "UPDATE records SET entry = CAST(substr(entry, 1, 40) || x'00' || substr(entry, 42) AS BLOB) WHERE number = 2",
    );
    spoil(
        "UPDATE scores SET seats = CAST(x'00' || substr(seats, 2) AS BLOB) WHERE deal = 1 AND bots = x'00000001'",
    );
    spoil("DELETE FROM records WHERE number = 1");
    spoil("DELETE FROM scores WHERE deal = 1 AND bots = x'00010000'");
    let found = verified();
    let shown: Vec<(&str, &str, bool)> = found
        .damaged
        .iter()
        .map(|damage| (damage.r#match.as_str(), damage.why.as_str(), damage.lost))
        .collect();
    let expected = [
        ("d0/ann/bob", "its record is missing or damaged", true),
        ("d0/bob/ann", "its record is missing or damaged", true),
        ("d1/ann/bob", "its row is damaged", false),
        ("d1/bob/ann", "its row is missing", false),
    ];
    assert_eq!((found.whole, shown.as_slice()), (0, &expected[..]));
    let (kept, aside) = repair(folder.path()).unwrap();
    assert_eq!((kept, aside.exists()), (2, true));
    assert_eq!(
        verified(),
        Verified {
            whole: 2,
            ..Verified::default()
        }
    );
    let mut ledger = Ledger::open(folder.path()).unwrap();
    assert_eq!(
        (all(&ledger).as_slice(), ledger.spec()),
        (&played[2..], &tournament)
    );
    ledger.append(&played).unwrap();
    assert_eq!(all(&ledger), played);
}

#[test]
fn a_record_that_does_not_give_its_row_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let (tournament, mut played) = sample::small();
    let wrong =
        serde_json::to_string(&played[1].verdict)
            .unwrap()
            .replacen("\"hits\":", "\"hits\":9", 1);
    played[1].verdict = serde_json::from_str(&wrong).unwrap();
    played[2].deal = 5;
    Ledger::create(folder.path(), &tournament)
        .unwrap()
        .append(&played)
        .unwrap();
    let found = verify(&Ledger::open_read_only(folder.path()).unwrap()).unwrap();
    let shown: Vec<String> = found
        .damaged
        .iter()
        .map(|damage| format!("{}: {}", damage.r#match, damage.why))
        .collect();
    assert!(
        shown[0].starts_with("d0/bob/ann: match d0/bob/ann: the record ends with"),
        "{shown:?}"
    );
    assert_eq!(shown[1], "d5/ann/bob: its record belongs to another deal");
    assert_eq!((found.whole, shown.len()), (2, 2));
}

/// Damages the files of a killed process in any way. Checks that either all its matches are there, or the check reports the missing ones.
#[test]
fn nothing_that_was_saved_is_missing_in_silence() {
    let [folder, torn] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let (tournament, played) = sample::small();
    let mut ledger = Ledger::create(folder.path(), &tournament).unwrap();
    let files = [
        FILE.to_owned(),
        FILE.to_owned() + "-wal",
        FILE.to_owned() + "-shm",
        saved::FILE.to_owned(),
    ];
    let left = || {
        files
            .clone()
            .map(|file| std::fs::read(folder.path().join(file)).unwrap_or_default())
    };
    let created = left();
    played
        .iter()
        .for_each(|one| ledger.append(std::slice::from_ref(one)).unwrap());
    let killed = left();
    let write = |bytes: &[Vec<u8>]| {
        for (file, bytes) in files.iter().zip(bytes) {
            let path = torn.path().join(file);
            if bytes.is_empty() {
                drop(std::fs::remove_file(path));
            } else {
                std::fs::write(path, bytes).unwrap();
            }
        }
    };
    let read = || {
        Ledger::open_read_only(torn.path())
            .and_then(|ledger| Ok((verify(&ledger)?, ledger.missing()?)))
    };
    // A copy of only the main file is a tournament without its matches.
    write(&created[..1]);
    assert_eq!(read().unwrap().0, Verified::default());
    write(&killed);
    assert_eq!(
        read().unwrap(),
        (
            Verified {
                whole: 4,
                ..Verified::default()
            },
            Some(0)
        )
    );
    let mut chance = chance("killed");
    for (number, file) in [1, 1, 1, 0].into_iter().cycle().take(240).enumerate() {
        let (mut spoilt, length) = (killed.clone(), killed[file].len() as u32);
        let at = chance.below(length) as usize;
        match number % 5 {
            0 | 1 => spoilt[file][at] ^= 1 << (at % 8),
            2 => spoilt[file].truncate(at),
            3 => spoilt[file]
                .iter_mut()
                .skip(at)
                .take(8_192)
                .for_each(|byte| *byte = 0),
            _ => spoilt[1..3].iter_mut().for_each(Vec::clear),
        }
        write(&spoilt);
        let Ok((found, missing)) = read() else {
            continue;
        };
        let named = missing.unwrap_or(0) + found.damaged.len() as u64;
        assert!(
            found.whole == 4 || found.whole + named >= 4 && !found.is_whole(),
            "{number}, byte {at}: {found:?}"
        );
    }
    // The loss is reported again when the tournament continues, but not once it is complete.
    let mut spoilt = killed;
    spoilt[1].truncate(0);
    write(&spoilt);
    let mut again = Ledger::open(torn.path()).unwrap();
    assert_eq!(again.give_up_missing().unwrap(), Some(4));
    again.append(&played[..2]).unwrap();
    drop(again);
    assert_eq!(
        read().unwrap(),
        (
            Verified {
                whole: 2,
                ..Verified::default()
            },
            Some(0)
        )
    );
}

/// Checks that removed matches do not count as missing.
#[test]
fn what_is_removed_is_not_missing() {
    let folder = tempfile::tempdir().unwrap();
    let (tournament, played) = sample::small();
    let mut ledger = Ledger::create(folder.path(), &tournament).unwrap();
    ledger.append(&played).unwrap();
    let before = Ledger::open_read_only(folder.path()).unwrap();
    ledger
        .change(|connection, _| Ok(connection.execute("DELETE FROM scores WHERE deal = 1", [])?))
        .unwrap();
    let after = Ledger::open_read_only(folder.path()).unwrap();
    assert!(after.count().unwrap() < 4);
    assert_eq!(
        [&before, &after, &ledger].map(|ledger| ledger.missing().unwrap()),
        [Some(0); 3]
    );
}

/// Checks, for every changed byte, that reads return only data that was written, and that losses are reported.
#[test]
fn nothing_is_invented_whatever_byte_changes() {
    let folder = tempfile::tempdir().unwrap();
    let (tournament, played) = sample::small();
    let mut ledger = Ledger::create(folder.path(), &tournament).unwrap();
    ledger.append(&played).unwrap();
    ledger.close().unwrap();
    let path = folder.path().join(FILE);
    let whole = std::fs::read(&path).unwrap();
    for at in (0..whole.len()).step_by(61) {
        let mut spoilt = whole.clone();
        spoilt[at] ^= 0x55;
        std::fs::write(&path, &spoilt).unwrap();
        let Ok(ledger) = Ledger::open_read_only(folder.path()) else {
            continue;
        };
        let same = ledger.spec() == &tournament;
        let Ok(verified) = verify(&ledger) else {
            continue;
        };
        let mut kept = Vec::new();
        let read = ledger.each(|played| {
            kept.push(played);
            Ok::<_, LedgerError>(())
        });
        assert!(
            !same || kept.iter().all(|one| played.contains(one)),
            "byte {at}"
        );
        assert!(
            kept.len() == 4 || read.is_err() || !verified.is_whole(),
            "byte {at}: {verified:?}"
        );
    }
}

/// Returns a ledger of 300 matches as bytes, saved in batches of this size, with the matches in order.
fn three_hundred(at_once: usize) -> (Spec, Vec<Played>, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    let spec = sample::tournament(&["ann", "bob"], 2, 150);
    let seats = [["ann", "bob"], ["bob", "ann"]];
    let really = |deal: u32| {
        seats.map(|bots| Played {
            notes: Vec::new(),
            ..sample::really(9, deal, &bots, None)
        })
    };
    let played: Vec<Played> = (1..=150).flat_map(really).collect();
    let mut ledger = Ledger::create(folder.path(), &spec).unwrap();
    played
        .chunks(at_once)
        .for_each(|chunk| ledger.append(chunk).unwrap());
    ledger.close().unwrap();
    let bytes = std::fs::read(folder.path().join(FILE)).unwrap();
    (spec, played, bytes)
}

/// Returns the number of matches that a repair of this file keeps, after checking that each of them was played. `None` if the file cannot
/// be read.
fn kept(spec: &Spec, played: &[Played], bytes: &[u8]) -> Option<usize> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(FILE), bytes).unwrap();
    let (count, _) = match repair(folder.path()) {
        Err(LedgerError::Unreadable(_) | LedgerError::Foreign(_)) => return None,
        repaired => repaired.unwrap(),
    };
    let mut ledger = Ledger::open(folder.path()).unwrap();
    let kept = all(&ledger);
    assert_eq!((kept.len() as u64, ledger.spec()), (count, spec));
    assert!(kept.iter().all(|one| played.contains(one)));
    let whole = Verified {
        whole: count,
        ..Verified::default()
    };
    assert_eq!(verify(&ledger).unwrap(), whole);
    ledger.append(played).unwrap();
    assert_eq!(all(&ledger), played);
    Some(kept.len())
}

#[test]
fn holes_flipped_bytes_and_cut_ends_cost_few_matches() {
    let mut chance = chance("holes");
    let (spec, played, whole) = three_hundred(50);
    let length = whole.len();
    // The first pages contain the tables and the tournament.
    for at in (3 * 4_096..length).step_by(50_000) {
        let mut hole = whole.clone();
        hole[at..(at + 4_096).min(length)].fill(0xa5);
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << chance.below(8);
        for (kind, bytes) in [hole, flipped].into_iter().enumerate() {
            let kept = kept(&spec, &played, &bytes);
            assert!(
                kept.is_some_and(|kept| kept > 240),
                "{kind}, byte {at}: {kept:?}"
            );
        }
    }
}

fn chance(name: &str) -> Chance {
    Seed::try_from(11).unwrap().stream(name, 0)
}

/// Damages a file at random.
fn damage(bytes: &mut Vec<u8>, chance: &mut Chance) {
    let mut at = |length: usize| chance.below(length as u32 + 1) as usize;
    let (start, length) = (at(bytes.len()), at(20_000));
    let end = (start + length).min(bytes.len());
    match at(5) {
        0 => bytes[start..end].fill(0),
        1 => bytes[start..end]
            .iter_mut()
            .for_each(|byte| *byte = at(255) as u8),
        2 => bytes.truncate(start),
        3 => _ = bytes.drain(start..end),
        4 => bytes[start..end].reverse(),
        _ => bytes.rotate_left(start),
    }
}

/// Damages the file in any way. Checks that nothing panics, no match is invented, and a repaired ledger can be continued.
#[test]
fn whatever_is_left_is_repaired_or_refused() {
    let mut chance = chance("damage");
    let (spec, played, whole) = three_hundred(50);
    let mut repaired = 0;
    for _ in 0..24 {
        let mut file = whole.clone();
        let mut tail = file.split_off(3 * 4_096);
        damage(&mut tail, &mut chance);
        file.extend(tail);
        repaired += usize::from(kept(&spec, &played, &file).is_some());
    }
    assert!(repaired > 10, "{repaired}");
}

#[test]
fn days_survive_a_repair_and_long_matches_too() {
    let folder = tempfile::tempdir().unwrap();
    let (tournament, mut played) = sample::small();
    let mut chance = chance("notes");
    played[1].notes[0].text = (0..9_000)
        .map(|_| char::from(b'!' + chance.below(90) as u8))
        .collect();
    let mut ledger = Ledger::create(folder.path(), &tournament).unwrap();
    ledger.append(&played).unwrap();
    ledger.played_today().unwrap();
    let played_on = ledger.days().cloned();
    assert_eq!(
        ledger.find(&played[1].id()).unwrap().as_ref(),
        Some(&played[1])
    );
    ledger.close().unwrap();
    repair(folder.path()).unwrap();
    let ledger = Ledger::open(folder.path()).unwrap();
    assert_eq!(all(&ledger), played);
    assert!(played_on.is_some() && ledger.days() == played_on.as_ref());
}

#[test]
fn pauses_are_counted_by_bot_and_stay() {
    let folder = tempfile::tempdir().unwrap();
    let mut ledger =
        Ledger::create(folder.path(), &sample::tournament(&["ann", "bob"], 2, 1)).unwrap();
    for why in ["no route", "no money"] {
        ledger.note_pause("ann", why).unwrap();
    }
    let read = Ledger::open_read_only(folder.path()).unwrap();
    let pauses: Vec<_> = read
        .pauses()
        .iter()
        .map(|(bot, Pauses { times, why })| (&**bot, *times, &**why))
        .collect();
    assert_eq!(pauses, [("ann", 2, "no money")]);
}
