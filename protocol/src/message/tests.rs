//! Tests of valid and invalid lines in both directions.

use super::*;
use arena_engine::fault::Cause;
use arena_engine::games::coda::types::Action;

/// Reads a line while the turns `open` are unanswered and `last` is the last id. Returns an answer, the id of a late answer, or a fault.
fn read(line: &str, open: &[u64], last: u64) -> Result<Result<Answer<Action>, u64>, BotFault> {
    match route(line, open, last)? {
        Routed::Open(id) => {
            let note = parse_answer(line, id, last)?.note;
            let action = read_action(table::find("coda").unwrap(), line, id, last)?;
            Ok(Ok(Answer {
                id,
                action: action.read().unwrap(),
                note,
            }))
        }
        Routed::Stale(id) => Ok(Err(id)),
        Routed::Pause(_) => panic!("{line} asks for a pause"),
    }
}

fn parsed(line: &str) -> Result<Result<Answer<Action>, u64>, String> {
    read(line, &[8], 8).map_err(|why| why.to_string())
}

#[test]
fn answers_are_known_by_their_id() {
    let Ok(Ok(answer)) = parsed(r#"{"id":8,"action":{"stop":{}},"mood":"good"}"#) else {
        panic!()
    };
    assert_eq!(
        answer,
        Answer {
            id: 8,
            action: Action::Stop {},
            note: None
        }
    );
    assert_eq!(parsed(r#"{"id":7,"action":{"stop":{}}}"#), Ok(Err(7)));
    assert_eq!(
        parsed(r#"{"id":7,"action":"something of another game"}"#),
        Ok(Err(7))
    );
    assert!(
        parsed(r#"{"id":9,"action":{"stop":{}}}"#)
            .unwrap_err()
            .contains("not that of an open turn")
    );
}

#[test]
fn of_several_turns_the_one_that_is_meant_is_found() {
    let routed = |line: &str| route(line, &[3, 8], 8);
    assert_eq!(
        routed(r#"{"id":3,"action":{"stop":{}}}"#),
        Ok(Routed::Open(3))
    );
    assert_eq!(
        routed(r#"{"id":3,"action":{"stop":1}}"#),
        Ok(Routed::Open(3))
    );
    assert!(parse_answer(r#"{"id":3,"action":{"stop":1}}"#, 3, 8).is_ok());
    assert_eq!(
        routed(r#"{"id":7,"action":{"stop":{}}}"#),
        Ok(Routed::Stale(7))
    );
    assert!(
        routed(r#"{"id":9,"action":{"stop":{}}}"#)
            .unwrap_err()
            .to_string()
            .contains("that of an open turn")
    );
    assert!(
        route(r#"{"id":9,"action":{"stop":{}}}"#, &[], 8)
            .unwrap_err()
            .to_string()
            .contains("no turn")
    );
}

#[test]
fn what_is_no_answer_is_explained() {
    assert!(
        parsed("thinking...")
            .unwrap_err()
            .contains("print everything else to stderr")
    );
    assert!(parsed(&format!("{}8", "[".repeat(60_000))).is_err());
    for (line, expected) in [
        (r#"{"ok":true}"#, Flaw::Everything),
        (r#"{"action":{"stop":{}}}"#, Flaw::NoId),
        (r#"{"id":"8","action":{"stop":{}}}"#, Flaw::Id),
    ] {
        let Err(Violation::Unfit { flaw, .. }) = route(line, &[8], 8) else {
            panic!("{line}")
        };
        assert_eq!(flaw, expected, "{line}");
    }
    for line in ["[]", "8", "null", r#"[8,{"stop":{}}]"#] {
        assert!(
            parsed(line).unwrap_err().contains("a message is an object"),
            "{line}"
        );
    }
}

#[test]
fn an_action_that_cannot_be_used_is_illegal_and_all_else_is_no_answer() {
    let cause = |rest: &str| match read(&format!(r#"{{"id":8{rest}}}"#), &[8], 8) {
        Err(fault) => (fault.cause(), fault.to_string()),
        other => panic!("{rest}: {other:?}"),
    };
    for (action, sentence) in [
        ("null", "; not null"),
        ("7", "; not 7"),
        ("[]", "; not []"),
        (r#""stop""#, "; not \"stop\""),
        ("{}", "; not {}"),
        (r#"{"stop":{},"draw":{}}"#, "one key of these: set_up, "),
        (r#"{"stop":{},"stop":{}}"#, "the form of its kind"),
        (r#"{"guess":{"code":[1,2]}}"#, "; not \"guess\""),
        (r#"{"stop":[]}"#, "an empty object"),
        (r#"{"stop":null}"#, "an empty object"),
        (r#"{"attack":[1,0,"0"]}"#, "the keys seat, position, face"),
        (
            r#"{"attack":{"seat":1,"position":0}}"#,
            "lacks the key face",
        ),
        (
            r#"{"attack":{"seat":1,"seat":1,"position":0,"face":"0"}}"#,
            "the key seat appears twice",
        ),
        (
            r#"{"attack":{"seat":1,"position":300,"face":"0"}}"#,
            "not 300",
        ),
        (
            r#"{"attack":{"seat":1,"position":-1,"face":"0"}}"#,
            "not -1",
        ),
        (
            r#"{"attack":{"seat":1,"position":1.0,"face":"0"}}"#,
            "not 1.0",
        ),
        (
            r#"{"attack":{"seat":1,"position":1e999,"face":"0"}}"#,
            "too large",
        ),
        (
            r#"{"attack":{"seat":"1","position":0,"face":"0"}}"#,
            "seat in \"attack\" needs a whole number",
        ),
        (
            r#"{"attack":{"seat":1,"position":0,"face":0}}"#,
            "a text in quotes, not 0",
        ),
        (
            r#"{"attack":{"seat":1,"position":0,"face":"12"}}"#,
            "\"12\" is not a face",
        ),
        (r#"{"draw":{"colour":"red"}}"#, "one of \"dark\", \"light\""),
    ] {
        let (cause, why) = cause(&format!(r#","action":{action}"#));
        assert_eq!(cause, Cause::Illegal, "{action}: {why}");
        assert!(why.contains(sentence), "{action}: {why}");
        let rust = [
            "invalid type",
            "variant",
            "struct",
            "u8",
            "Action::",
            "expected",
            "column",
        ];
        assert!(
            rust.iter().all(|word| !why.contains(word)),
            "{action}: {why}"
        );
    }
    for (rest, sentence) in [
        ("", "has no action"),
        (r#","note":"stop""#, "has no action"),
        (
            r#","action":{"stop":{}},"action":{"stop":{}}"#,
            "the key action appears twice",
        ),
        (
            r#","action":{"stop":{}},"note":7"#,
            "its note is not a string",
        ),
        (r#","action":{"draw":{"colour":"\ud800"}}"#, "is not JSON"),
        (r#","action":{stop:{}}"#, "is not JSON"),
    ] {
        let line = format!(r#"{{"id":8{rest}}}"#);
        let why = match read(&line, &[8], 8) {
            Err(BotFault::Protocol(why)) => why.to_string(),
            other => panic!("{line}: {other:?}"),
        };
        assert!(why.contains(sentence), "{line}: {why}");
    }
}

#[test]
fn faults_do_not_depend_on_ids() {
    let fault = |id: u64, line: &str| {
        let line = line.replace("ID", &id.to_string());
        read(&line, &[id], id).unwrap_err().to_string()
    };
    for line in [
        r#"{"id":ID,"action":{"attack":{}}}"#,
        r#"{"id":ID,"action":{"attack":{"seat":"ID"}}}"#,
        r#"{"id":"ID","action":{"stop":{}}}"#,
        r#"{"id":-ID,"action":{"stop":{}}}"#,
        r#"{"id":ID.5,"action":7}"#,
        r#"{"id":ID,"action":7}"#,
        r#"{"id":ID0,"action":{"stop":{}}}"#,
        r#"{"id":ID,"action"#,
        "[ID,1]",
        "ID?",
    ] {
        let [long, short] = [987_654_321, 45_678].map(|id| fault(id, line));
        assert_eq!(long, short);
        assert!(!short.contains("45678"), "{short}");
    }
    let why = fault(45_678, r#"{"id":ID,"note":7}"#);
    assert!(why.contains(r#"it has no action: {"id":…,"note""#), "{why}");
}

#[test]
fn numbers_and_texts_that_cannot_be_read_are_called_so() {
    let number = parsed(r#"{"id":1e999,"action":{"stop":{}}}"#).unwrap_err();
    assert!(
        number.contains("does not fit the protocol: its id is not the whole number that was sent"),
        "{number}"
    );
    let surrogate = parsed(r#"{"id":8,"action":{"stop":{}},"note":"\ud800"}"#).unwrap_err();
    assert!(
        surrogate.contains("is not JSON: unexpected end of hex escape"),
        "{surrogate}"
    );
}

#[test]
fn nesting_is_bounded_wherever_it_is() {
    let nested = |depth: usize| {
        let (open, close) = ("[".repeat(depth - 1), "]".repeat(depth - 1));
        format!(r#"{{"id":8,"action":{{"stop":{{}}}},"mood":{open}{close}}}"#)
    };
    assert!(matches!(parsed(&nested(MAX_NESTING)), Ok(Ok(_))));
    for depth in [MAX_NESTING + 1, 30_000] {
        let why = parsed(&nested(depth)).unwrap_err();
        assert!(
            why.starts_with("sent a line that is nested more than 127 levels deep: {"),
            "{why}"
        );
    }
    let text = format!(
        r#"{{"id":8,"action":{{"stop":{{}}}},"note":"\"{}"}}"#,
        "[{".repeat(1_000)
    );
    assert!(matches!(parsed(&text), Ok(Ok(_))));
    assert!(
        parse_first(&format!(
            r#"{{"ready":{{"mood":{}}}}}"#,
            nested(MAX_NESTING)
        ))
        .is_err()
    );
}

#[test]
fn what_a_bot_wrote_is_quoted_without_harm() {
    let why = parsed(&format!(
        r#"{{"id":8,"action":{{"\u001b[2J{}":{{}}}}}}"#,
        "x".repeat(60_000)
    ))
    .unwrap_err();
    assert!(
        why.len() < 700 && why.contains("one key of these: set_up") && !why.contains('\u{1b}'),
        "{why}"
    );
    assert!(why.contains(r"[2Jxx"), "{why}");
}

#[test]
fn long_notes_are_cut_at_a_letter() {
    let line = format!(
        r#"{{"id":8,"action":{{"stop":{{}}}},"note":"x{}"}}"#,
        "ü".repeat(MAX_NOTE_BYTES)
    );
    let Ok(Ok(answer)) = parsed(&line) else {
        panic!()
    };
    assert_eq!(answer.note.unwrap().len(), MAX_NOTE_BYTES - 1);
}

#[test]
fn ready_may_be_empty() {
    assert_eq!(
        parse_first(r#"{"ready":{}}"#),
        Ok(FromBot::Ready(Ready::default()))
    );
    assert!(parse_first(r#"{"redy":{}}"#).is_err());
    assert!(parse_first("Loading model...").is_err());
    assert!(
        parse_first(r#"{"ready":[]}"#)
            .unwrap_err()
            .to_string()
            .contains("\"ready\" needs an object with the keys ")
    );
    for (matches, fits) in [
        (0, false),
        (1, true),
        (MAX_MATCHES, true),
        (MAX_MATCHES + 1, false),
    ] {
        let ready = parse_first(&format!(r#"{{"ready":{{"matches":{matches}}}}}"#));
        assert_eq!(ready.is_ok(), fits, "{ready:?}");
        assert!(
            fits || ready
                .unwrap_err()
                .to_string()
                .contains("matches must be from 1 to 256, not ")
        );
    }
    assert!(parse_first(r#"{"ready":{"protocol":1}}"#).is_ok());
    assert!(
        parse_first(r#"{"ready":{"protocol":2}}"#)
            .unwrap_err()
            .to_string()
            .contains("version 2")
    );
}

#[test]
fn a_pause_stands_in_place_of_ready_or_of_an_answer() {
    let line = r#"{"pause":{"why":"no route to the server"}}"#;
    let pause = || Pause {
        why: "no route to the server".into(),
    };
    assert_eq!(parse_first(line), Ok(FromBot::Pause(pause())));
    assert_eq!(route(line, &[8], 8), Ok(Routed::Pause(pause())));
    // An object with an id is an answer; a pause without a reason is invalid.
    assert_eq!(
        route(r#"{"id":8,"pause":{"why":"x"}}"#, &[8], 8),
        Ok(Routed::Open(8))
    );
    for line in [r#"{"pause":{}}"#, r#"{"pause":["x"]}"#, r#"{"pause":"x"}"#] {
        assert!(
            route(line, &[8], 8).is_err() && parse_first(line).is_err(),
            "{line}"
        );
    }
    assert!(
        refused_pause(line)
            .to_string()
            .contains("asks for a pause, which it may not")
    );
}

#[test]
fn what_is_wrong_with_the_first_line_is_said_in_the_words_of_json() {
    let ready = |line: &str| {
        table::flaw::<FromBot>("the first message", &serde_json::from_str(line).unwrap())
    };
    assert_eq!(
        ready(r#"{"redy":{}}"#).unwrap(),
        r#"the first message needs an object with one key of these: ready, pause; not "redy""#
    );
    assert_eq!(
        ready(r#"{"ready":{"games":"coda"}}"#).unwrap(),
        r#"games in "ready" needs a list, not "coda""#
    );
    assert_eq!(ready(r#"{"ready":{"games":null,"matches":3}}"#), None);
}
