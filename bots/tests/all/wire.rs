//! Tests of the built-in bots' side of the protocol.

use arena_bots::wire;

/// Returns the lines of the protocol's transcript that begin with a mark: `<` for lines to the bot, `>` for lines from it.
fn lines(mark: &str) -> impl Iterator<Item = &str> {
    let page = include_str!("../../../protocol/PROTOCOL.md");
    let shown = page
        .split("```transcript\n")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    shown
        .lines()
        .filter_map(move |line| line.strip_prefix(mark)?.strip_prefix(' '))
}

fn answers(input: &str) -> Result<String, wire::ServeError> {
    let mut output = Vec::new();
    wire::serve("exact", 1, input.as_bytes(), &mut output)?;
    Ok(String::from_utf8(output).unwrap())
}

#[test]
fn messages_of_unknown_kinds_and_unknown_fields_are_ignored() {
    let known = |line: &str| {
        line.replacen(":{", ":{\"news\":[null,{}],", 1)
            .replace(",}", "}")
    };
    let input: String = lines("<")
        .map(|line| format!("{{\"news\":{{\"of\":[1]}}}}\n{}\n", known(line)))
        .collect();
    assert!(answers(&input).unwrap().lines().eq(lines(">")));
}

#[test]
fn a_known_message_that_cannot_be_read_is_an_error() {
    let started: String = lines("<").take(2).map(|line| format!("{line}\n")).collect();
    for wrong in ["{\"turn\":{\"id\":1}}", "{\"start\":{}}", "turn"] {
        assert!(
            matches!(
                answers(&format!("{started}{wrong}\n")),
                Err(wire::ServeError::Line(_))
            ),
            "{wrong}"
        );
    }
}
