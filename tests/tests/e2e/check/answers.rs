//! Answers that are wrong, late or missing.

use arena_tests::shell::{READY, answering};

use super::{FAILED, shell};

#[test]
fn lines_that_are_no_answer() {
    shell(
        &answering("I think"),
        FAILED,
        &["debug text on standard output", "echo … >&2", "| I think"],
    );
    shell(
        &answering("{'id': $id}"),
        FAILED,
        &["a line is not JSON: key must be a string", "double quotes"],
    );
    shell(&answering("8"), FAILED, &["JSON but not an object"]);
    shell(
        &answering("{\\\"id\\\":$id,\\\"action\\\":{\\\"fly\\\":{}}}"),
        FAILED,
        &[
            "illegal action: the action needs an object with one key of these",
            "not \"fly\"",
            "\"fly\" is not offered, but \"set_up\": it wrote {\"fly\":{}}; a right answer is, for example, {\"set_up\":{\"dark\":0}}",
        ],
    );
    shell(
        &answering("{\\\"id\\\":${id}9,\\\"action\\\":{\\\"set_up\\\":{\\\"dark\\\":1}}}"),
        FAILED,
        &["wrong id: the id of the answer"],
    );
    shell(
        &answering("{\\\"action\\\":{\\\"set_up\\\":{\\\"dark\\\":1}}}"),
        FAILED,
        &["the answer has no id"],
    );
    shell(
        &answering("{\\\"ok\\\":true}"),
        FAILED,
        &[
            "neither an id nor an action",
            "none for start, end and error",
        ],
    );
    shell(
        &answering("{\\\"id\\\":$id,\\\"action\\\":{\\\"set_up\\\":{\\\"dark\\\":7}}}"),
        FAILED,
        &[
            "illegal action: dark = 7 is not legal here",
            "what was offered: | [{\"set_up\":{\"dark\":[0,1,2,3,4]}}]",
        ],
    );
    shell(
        &format!("{READY} printf '\\377\\n'; cat > /dev/null"),
        FAILED,
        &["not UTF-8", "set the encoding"],
    );
    shell(
        &format!("{READY} yes | tr '\\n' x"),
        FAILED,
        &["without a newline", "at most 65536 bytes"],
    );
}

#[test]
fn an_id_of_another_turn() {
    shell(
        &format!(
            "{READY} echo '{{\"id\":0,\"action\":{{\"set_up\":{{\"dark\":1}}}}}}'; cat > /dev/null"
        ),
        FAILED,
        &[
            "wrong id: it did not answer the turn",
            "a reply with the id 0 came while",
            "repeat the id of that turn",
        ],
    );
}

#[test]
fn terminal_codes_are_shown_without_harm() {
    shell(
        &format!("{READY} printf '\\033[2Jboo\\n'; cat > /dev/null"),
        FAILED,
        &["| \\u{1b}[2Jboo"],
    );
}

#[test]
fn bots_that_end_too_early() {
    shell(
        &format!("{READY} kill -SEGV $$"),
        FAILED,
        &[
            "it crashed: it was ended by signal",
            "SEGV",
            "memory was misused",
        ],
    );
    shell(
        &format!("{READY} no-such-command-here"),
        FAILED,
        &["exited with code 127", "PATH"],
    );
    shell(
        &format!("{READY} exit 0"),
        FAILED,
        &[
            "it exited with code 0 when it had to answer",
            "keep reading lines",
        ],
    );
}

#[test]
fn answers_that_do_not_come_in_time() {
    shell(
        &format!("{READY} while read -r line; do :; done"),
        FAILED,
        &["no answer: it did not answer the turn within 300 ms"],
    );
    shell(
        &format!("{READY} printf '{{'; cat > /dev/null"),
        FAILED,
        &["its output has no newline at the end"],
    );
}
