//! Tests of the lattice, the codes and the questions by counting.

use crate::games::digit_code::question::{Kind, Question};

use super::*;

#[test]
fn the_digits_are_drawn_with_seven_segments() {
    let (above, below) = (
        [
            ".#.....#.",
            "#.#..#..#",
            ".......#.",
            "#.#..##..",
            ".#.....#.",
        ],
        [
            ".#.....#.",
            "..##.##..",
            ".#..#..#.",
            "..#..#..#",
            ".#.....#.",
        ],
    );
    assert_eq!(drawing(code("012345")), [above, below].concat());
    let text = code("012345").drawn();
    assert!(text.starts_with("       A B C D E F G H I\n     J . # . . . . . # .\n"));
    assert!(text.ends_with("     S . # . . . . . # .\n"), "{text}");
    let below = [
        ".#..#..#.",
        "#....##.#",
        ".#.....#.",
        "#.#..##.#",
        ".#.....#.",
    ];
    assert_eq!(drawing(code("678123"))[..5], below);
    assert_eq!(
        drawing(code("904123"))[..5],
        [
            ".#..#....",
            "#.##.##.#",
            ".#.....#.",
            "..##.#..#",
            ".#..#...."
        ]
    );
}

#[test]
fn a_line_counts_what_is_drawn_on_it() {
    for hidden in Code::all().step_by(997) {
        let drawn = drawing(hidden);
        for (at, row) in Line::rows().into_iter().enumerate() {
            assert_eq!(
                usize::from(hidden.filled(row)),
                drawn[at].matches('#').count()
            );
        }
        for (at, column) in Line::columns().into_iter().enumerate() {
            let count = drawn
                .iter()
                .filter(|row| row.as_bytes()[at] == b'#')
                .count();
            assert_eq!(usize::from(hidden.filled(column)), count);
        }
    }
}

#[test]
fn there_are_465_120_legal_codes() {
    assert_eq!(Code::all().count(), 465_120);
    assert!(Code::all().is_sorted_by(|low, high| low < high));
    let why = |text: &str| text.parse::<Code>().unwrap_err();
    assert_eq!(
        why("11223"),
        "\"11223\" is not a code: a code is a string of six digits, such as \"204817\""
    );
    assert_eq!(
        why("12345x"),
        "\"12345x\" is not a code: a code is a string of six digits, such as \"204817\""
    );
    assert_eq!(
        why("112345"),
        "112345 is not a legal code: the neighbours TU are equal"
    );
    assert_eq!(
        why("123156"),
        "123156 is not a legal code: the neighbours TW are equal"
    );
    assert_eq!(
        why("121216"),
        "121216 is not a legal code: the digit 1 occurs 3 times, and at most twice is allowed"
    );
    // Equal digits are not adjacent if they touch only at a corner or not at all.
    assert_eq!(code("123415").to_string(), "123415");
    assert_eq!(code("121434").to_string(), "121434");
}

#[test]
fn random_codes_are_legal_and_even() {
    let mut chance = seed(3).stream("codes", 0);
    let codes: Vec<Code> = (0..10_000).map(|_| Code::random(&mut chance)).collect();
    for digit in Digit::ALL {
        for value in 0..10 {
            let count = codes
                .iter()
                .filter(|code| code.value(digit) == value)
                .count();
            assert!(
                (900..1100).contains(&count),
                "{digit} is {value} {count} times"
            );
        }
    }
}

#[test]
fn the_lines_hold_at_most_so_many() {
    let most = |line: Line| Code::all().map(|code| code.filled(line)).max().unwrap();
    let expected = "A4 B6 C4 D4 E6 F4 G4 H6 I4 J3 K6 L3 M6 N3 O3 P6 Q3 R6 S3";
    let found: Vec<String> = Line::ALL.map(|line| format!("{line}{}", most(line))).into();
    assert_eq!(found.join(" "), expected);
}

#[test]
fn the_example_of_the_box_leaves_6_232_codes() {
    let answers = [
        (Question::Line(Line::P), 6),
        (Question::Parity(Digit::W), 0),
        (Question::Larger(Pair::UV), 1),
        (Question::Place(Line::F, Line::M), 1),
    ];
    let fits = |code: &Code| {
        answers
            .iter()
            .all(|(question, answer)| question.answer(*code) == *answer)
    };
    let left: Vec<Code> = Code::all().filter(fits).collect();
    assert_eq!(left.len(), 6_232);
    for code in left {
        assert!(
            [Digit::W, Digit::X, Digit::Y]
                .iter()
                .all(|digit| [0, 4, 8, 9].contains(&code.value(*digit)))
        );
        assert!(code.value(Digit::W) % 2 == 0 && code.value(Digit::V) > code.value(Digit::U));
        assert_ne!(code.value(Digit::U), 2, "only the 2 has no segment there");
    }
}

#[test]
fn there_are_122_questions_and_48_places_are_never_filled() {
    assert_eq!(Question::all().count(), 19 + 6 + 7 + 90);
    let sample: Vec<Code> = Code::all().step_by(101).collect();
    let never = |question: &Question| {
        question.kind() == Kind::Place && sample.iter().all(|code| question.answer(*code) == 0)
    };
    assert_eq!(Question::all().filter(never).count(), 6 * 8);
    let mut table = two(&Rules::default(), ["012345", "012345"]);
    act(
        &mut table,
        0,
        Action::AskPlace {
            column: Line::A,
            row: Line::J,
        },
    );
    let last = *table.events().last().unwrap();
    assert_eq!(
        last,
        Event::AskedPlace {
            seat: Seat(0),
            column: Line::A,
            row: Line::J,
            filled: false
        }
    );
}
