use super::*;

#[test]
fn what_a_bot_wrote_is_shown_without_harm() {
    assert_eq!(
        plain("a \"b\" \u{1b}[2Jc\u{202e}\r"),
        "a \"b\" \\u{1b}[2Jc\\u{202e}"
    );
    assert_eq!(
        plain(&"x".repeat(1_000)),
        format!("{}… (600 characters more)", "x".repeat(MAX_TEXT_CHARS))
    );
}

#[test]
fn paragraphs_are_broken_at_blanks() {
    for (columns, width) in [(80, 80), (500, MAX_WIDTH)] {
        let text = paragraph("help: ", &"word ".repeat(50), columns);
        assert!(
            text.lines().count() > 1 && text.lines().all(|line| line.chars().count() <= width),
            "{text}"
        );
    }
}

#[test]
fn a_long_fact_stays_in_its_column() {
    let fact = "matches and turns and much more than there is room for".into();
    let step = Step {
        number: 3,
        title: "coda".into(),
        mark: Mark::Ok,
        fact,
        findings: Vec::new(),
    };
    let text = step.in_words(80);
    let column = text.find("matches").unwrap();
    assert!(
        text.lines()
            .skip(1)
            .all(|line| line.len() - line.trim_start().len() == column),
        "{text}"
    );
    assert!(
        text.lines().all(|line| line.len() <= 80) && text.contains("  ok      matches"),
        "{text}"
    );
}
