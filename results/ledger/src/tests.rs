//! What goes into a ledger comes out again, and what is none is shown apart.

use super::*;
use crate::mend;
use crate::stored::Store;
use crate::verify::{Verified, verify};
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
    ledger.append(&[played[2].clone(), played[0].clone()]).unwrap();
    ledger.append(&[played[1].clone(), played[2].clone()]).unwrap();
    let mut altered = played[1].clone();
    altered.bots.reverse();
    ledger.append(&[altered]).unwrap();

    assert_eq!(all(&ledger), played[..3]);
    assert_eq!(ledger.count().unwrap(), 3);
    assert!(ledger.has(0, &[1, 0]).unwrap() && !ledger.has(1, &[1, 0]).unwrap());
    assert_eq!(ledger.find(&played[1].id()).unwrap().as_ref(), Some(&played[1]));
    assert_eq!(ledger.find("none").unwrap(), None);

    let reader = Ledger::open_read_only(folder.path()).unwrap();
    assert_eq!(reader.spec(), &tournament);
    ledger.append(&played[3..]).unwrap();
    assert_eq!(all(&reader), played);
    drop((ledger, reader));
    assert_eq!(all(&Ledger::open(folder.path()).unwrap()), played);
}

#[test]
fn a_ledger_that_cannot_change_is_read_whatever_its_folder_is_called() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("50% #1? yes");
    let (tournament, played) = sample::small();
    Ledger::create(&folder, &tournament).unwrap().append(&played).unwrap();
    let path = immutable(&folder.join(FILE));
    let connection = connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI).unwrap();
    let found = description(&connection, &path, &folder).unwrap();
    assert_eq!(found.spec, tournament);
    assert_eq!(all(&Ledger::new(connection, found, None)), played);
}

#[test]
fn a_match_of_strangers_is_refused_and_nothing_is_added() {
    let folder = tempfile::tempdir().unwrap();
    let (tournament, played) = sample::small();
    let mut ledger = Ledger::create(folder.path(), &tournament).unwrap();
    let mut other = played[0].clone();
    other.bots[1] = "eve".into();
    assert!(matches!(ledger.append(&[played[0].clone(), other]), Err(LedgerError::Stranger { .. })));
    assert_eq!(ledger.count().unwrap(), 0);
}

#[test]
fn one_may_write_and_all_may_read() {
    let folder = tempfile::tempdir().unwrap();
    let (tournament, played) = sample::small();
    let mut ledger = Ledger::create(folder.path(), &tournament).unwrap();
    ledger.append(&played).unwrap();
    let shown = Ledger::open(folder.path()).err().unwrap().to_string();
    assert!(shown.contains(&format!("in use by another arena (process {})", std::process::id())), "{shown}");
    assert_eq!(all(&Ledger::open_read_only(folder.path()).unwrap()), played);
    assert!(Lock::is_held(folder.path()));
    drop(ledger);
    assert!(!Lock::is_held(folder.path()));
    assert_eq!(Ledger::open(folder.path()).unwrap().spec(), &tournament);
}

#[test]
fn rows_and_bodies_that_changed_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let (tournament, played) = sample::small();
    Ledger::create(folder.path(), &tournament).unwrap().append(&played).unwrap();
    let spoil = |change: &str| {
        let connection = Connection::open(folder.path().join(FILE)).unwrap();
        assert_eq!(connection.execute(change, []).unwrap(), 1);
    };
    let shown = || {
        let ledger = Ledger::open_read_only(folder.path()).unwrap();
        let rows: Result<(), LedgerError> = ledger.scores(|_| Ok(()));
        let bodies: Result<(), LedgerError> = ledger.each(|_| Ok(()));
        [rows, bodies].map(|read| read.err().map(|error| error.to_string().split(':').next().unwrap().to_owned()))
    };
    assert_eq!(shown(), [None, None]);
    spoil("UPDATE bodies SET body = CAST(substr(body, 1, 40) || x'00' || substr(body, 42) AS BLOB) WHERE number = 2");
    let body = "the ledger is damaged (the record of a match on deal 0)".to_owned();
    assert_eq!(shown(), [None, Some(body)]);
    spoil("UPDATE scores SET seats = CAST(x'00' || substr(seats, 2) AS BLOB) WHERE deal = 1 AND bots = x'00000001'");
    assert_eq!(shown()[0], Some("the ledger is damaged (a row of deal 1)".to_owned()));
}

#[test]
fn what_is_no_ledger_of_ours_is_recognised() {
    let folder = tempfile::tempdir().unwrap();
    let shown = |opened: Result<Ledger, LedgerError>| match opened {
        Ok(_) => "opened".to_owned(),
        Err(error) => error.to_string().replace(folder.path().to_str().unwrap(), "FOLDER"),
    };
    let (tournament, _) = sample::small();
    let open = || shown(Ledger::open(folder.path()));
    assert_eq!(open(), "there is no ledger in FOLDER");

    std::fs::write(folder.path().join(FILE), "").unwrap();
    assert_eq!(open(), "there is no ledger in FOLDER");
    assert_eq!(shown(Ledger::create(folder.path(), &tournament)), "opened");
    assert_eq!(shown(Ledger::create(folder.path(), &tournament)), "there is a ledger in FOLDER already");

    let connection = Connection::open(folder.path().join(FILE)).unwrap();
    connection.execute("UPDATE meta SET value = '9' WHERE key = 'format'", []).unwrap();
    assert_eq!(
        open(),
        "FOLDER/ledger.sqlite is a ledger of format 9, this program reads format 4: use the version of the \
         arena that wrote it, or begin anew with `arena reset`"
    );
    connection.execute_batch("DROP TABLE meta").unwrap();
    assert_eq!(open(), "FOLDER/ledger.sqlite is not a ledger of this arena");
    drop(connection);
    std::fs::write(folder.path().join(FILE), "something else".repeat(100)).unwrap();
    assert_eq!(open(), "FOLDER/ledger.sqlite is not a ledger of this arena");
}

#[test]
fn what_is_whole_is_kept_and_what_is_lost_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (tournament, played) = sample::small();
    Ledger::create(folder.path(), &tournament).unwrap().append(&played).unwrap();
    let verified = || verify(&mut Ledger::open_read_only(folder.path()).unwrap(), |_| Ok(())).unwrap();
    assert_eq!(verified(), Verified { whole: 4, ..Verified::default() });
    let spoil = |change: &str| Connection::open(folder.path().join(FILE)).unwrap().execute(change, []).unwrap();
    spoil("UPDATE bodies SET body = CAST(substr(body, 1, 40) || x'00' || substr(body, 42) AS BLOB) WHERE number = 2");
    spoil("UPDATE scores SET seats = CAST(x'00' || substr(seats, 2) AS BLOB) WHERE deal = 1 AND bots = x'00000001'");
    spoil("DELETE FROM bodies WHERE number = 1");
    spoil("DELETE FROM scores WHERE deal = 1 AND bots = x'00010000'");
    let found = verified();
    let shown: Vec<(&str, &str, bool)> =
        found.damaged.iter().map(|damage| (damage.r#match.as_str(), damage.why.as_str(), damage.lost)).collect();
    let expected = [
        ("d0/ann/bob", "its record is missing", true),
        ("d0/bob/ann", "its record is damaged", true),
        ("d1/ann/bob", "its row is damaged", false),
        ("d1/bob/ann", "its row is missing", false),
    ];
    assert_eq!((found.whole, shown.as_slice()), (0, &expected[..]));
    let (mended, aside) = mend::mend(folder.path(), None).unwrap();
    assert_eq!((mended.lost(), mended.damaged.len(), aside.exists()), (2, 4, true));
    assert_eq!(verified(), Verified { whole: 2, ..Verified::default() });
    let mut ledger = Ledger::open(folder.path()).unwrap();
    assert_eq!((all(&ledger).as_slice(), ledger.spec()), (&played[2..], &tournament));
    ledger.append(&played).unwrap();
    assert_eq!(all(&ledger), played);
}

#[test]
fn a_record_that_does_not_give_its_row_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let (tournament, mut played) = sample::small();
    let wrong = serde_json::to_string(&played[1].verdict).unwrap().replacen("\"hits\":", "\"hits\":9", 1);
    played[1].verdict = serde_json::from_str(&wrong).unwrap();
    played[2].deal = 5;
    Ledger::create(folder.path(), &tournament).unwrap().append(&played).unwrap();
    let found = verify(&mut Ledger::open_read_only(folder.path()).unwrap(), |_| Ok(())).unwrap();
    let shown: Vec<String> = found.damaged.iter().map(|damage| format!("{}: {}", damage.r#match, damage.why)).collect();
    assert!(shown[0].starts_with("d0/bob/ann: match d0/bob/ann: the record ends with"), "{shown:?}");
    assert_eq!(shown[1], "d5/ann/bob: its record is of another deal");
    assert_eq!((found.whole, shown.len()), (2, 2));
}

#[test]
fn what_stands_in_the_log_only_is_kept_too() {
    let [folder, torn] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let (tournament, played) = sample::small();
    let mut ledger = Ledger::create(folder.path(), &tournament).unwrap();
    ledger.append(&played).unwrap();
    // As a killed process leaves it.
    for ending in ["", "-wal"] {
        let file = FILE.to_owned() + ending;
        std::fs::copy(folder.path().join(&file), torn.path().join(&file)).unwrap();
    }
    std::fs::write(torn.path().join(FILE), [0xa5; 5_000]).unwrap();
    mend::mend(torn.path(), None).unwrap();
    assert_eq!(all(&Ledger::open(torn.path()).unwrap()), played);
}

/// Whatever byte of the file changes: what is read is what was written, and what is not is shown.
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
        let mut remains = mend::Remains::find(folder.path(), None).unwrap();
        let (kept, _) = whole_of(&mut remains).unwrap();
        assert!(remains.spec() == &tournament && kept.iter().all(|one| played.contains(one)), "byte {at}");
        let Ok(mut ledger) = Ledger::open_read_only(folder.path()) else { continue };
        let same = ledger.spec() == &tournament;
        let Ok((kept, verified)) = whole_of(&mut ledger) else { continue };
        assert!(!same || kept.iter().all(|one| played.contains(one)), "byte {at}");
        assert!(kept.len() == 4 || verified.lost() > 0 || !verified.file.is_empty(), "byte {at}: {verified:?}");
    }
}

/// The matches whose records are whole, and what was found.
fn whole_of(store: &mut impl Store) -> Result<(Vec<Played>, Verified), LedgerError> {
    let mut kept = Vec::new();
    let verified = verify(store, |good| {
        kept.extend_from_slice(good);
        Ok(())
    })?;
    Ok((kept, verified))
}
