//! The options of a person at a terminal: numbered lines, and typed words that become an action.

use arena_engine::form::FieldKind;
use serde_json::{Map, Value};

use arena_runner::offer::{Choice, Input, Offer, scalar, words};

/// Whole numbers in a row are shown by their ends from this many on.
const RANGE: usize = 5;

/// The options that a person can choose from.
pub struct Options<'a>(pub &'a [Offer]);

/// What follows from the words that were typed so far.
#[derive(Debug, PartialEq)]
pub enum Step {
    /// The question for the next missing word.
    Ask(String),
    /// The action is complete.
    Action(Value),
    /// They make no action, for this reason.
    Wrong(String),
}

impl Options<'_> {
    /// A line for each option.
    pub fn lines(&self) -> Vec<String> {
        let line = |(offer, number): (&Offer, usize)| {
            let fields: Vec<String> = offer
                .inputs
                .iter()
                .map(|input| format!("{} {}", input.title, legal(input)))
                .collect();
            let colon = if fields.is_empty() { "" } else { ": " };
            format!(
                "  {number}) {}{colon}{}",
                words(&offer.action),
                fields.join(", ")
            )
        };
        self.0.iter().zip(1..).map(line).collect()
    }

    /// The next step after these words. A field with one possible value needs no word.
    pub fn step(&self, words: &[String]) -> Step {
        let mut words = words.iter().map(String::as_str).peekable();
        let offer = match self.0 {
            [only] => {
                words.next_if(|word| *word == only.action);
                only
            }
            several => match words.next() {
                None => return Step::Ask(format!("option ({})?", joined(1..=several.len()))),
                Some(word) => match self.find(word) {
                    Some(offer) => offer,
                    None => {
                        return Step::Wrong(format!(
                            "{word} is not an option: choose {}",
                            joined(1..=several.len())
                        ));
                    }
                },
            },
        };
        let fields = match take_all(&offer.inputs, &mut words) {
            Ok(fields) => fields,
            Err(question) => return Step::Ask(question),
        };
        match words.next() {
            Some(word) => Step::Wrong(format!(
                "{word} is too much: {} is complete without it",
                offer.action
            )),
            None => Step::Action(Value::Object(Map::from_iter([(
                offer.action.clone(),
                fields,
            )]))),
        }
    }

    /// The option of this number, or the only one of this action.
    fn find(&self, word: &str) -> Option<&Offer> {
        if let Ok(number) = word.parse::<usize>() {
            return self.0.get(number.checked_sub(1)?);
        }
        let mut of_action = self.0.iter().filter(|offer| offer.action == word);
        of_action.next().filter(|_| of_action.next().is_none())
    }
}

/// The legal values of a field in words.
fn legal(input: &Input) -> String {
    let first = input.values.first().map_or(&[][..], Vec::as_slice);
    match input.kind {
        FieldKind::Each => format!("{} of {}", input.values.len(), shown(input.kind, first)),
        FieldKind::Text(_) => format!("such as {}", shown(input.kind, first)),
        FieldKind::List | FieldKind::Player | FieldKind::Place(_) => shown(input.kind, first),
    }
}

fn take_all<'w>(
    inputs: &[Input],
    words: &mut impl Iterator<Item = &'w str>,
) -> Result<Value, String> {
    inputs
        .iter()
        .map(|input| Ok((input.name.clone(), take(input, words)?)))
        .collect::<Result<Map<_, _>, _>>()
        .map(Value::Object)
}

/// Takes the words of a field; the error is the question for a missing one. Values that are not legal are taken as they are, and
/// refused by the match.
fn take<'w>(input: &Input, words: &mut impl Iterator<Item = &'w str>) -> Result<Value, String> {
    let Input {
        title,
        values: lists,
        ..
    } = input;
    match input.kind {
        FieldKind::Each => {
            let mut taken: Vec<Value> = Vec::new();
            while let Some(values) = lists.get(taken.len()) {
                let Some(word) = words.next() else {
                    let at = taken.len() + 1;
                    return Err(format!(
                        "{title} {at} of {} ({})?",
                        lists.len(),
                        shown(input.kind, values)
                    ));
                };
                let run_together =
                    taken.is_empty() && word.chars().count() == lists.len() && is_short(lists);
                if run_together && lists.len() > 1 {
                    let letters = word.chars().zip(lists);
                    taken = letters
                        .map(|(letter, values)| meant(&letter.to_string(), values))
                        .collect();
                } else {
                    taken.push(meant(word, values));
                }
            }
            Ok(taken.into())
        }
        FieldKind::List | FieldKind::Player | FieldKind::Place(_) | FieldKind::Text(_) => {
            match input.decided() {
                Some(only) => Ok(only.value.clone()),
                None => {
                    let word = words
                        .next()
                        .ok_or_else(|| format!("{title} ({})?", legal(input)))?;
                    Ok(meant(word, lists.first().map_or(&[][..], Vec::as_slice)))
                }
            }
        }
    }
}

/// True if all values are of one letter, so that they can be written without blanks.
fn is_short(lists: &[Vec<Choice>]) -> bool {
    lists
        .iter()
        .flatten()
        .all(|choice| choice.text.chars().count() == 1)
}

/// The value of a word: the legal one that is written like it, or else the word itself.
fn meant(word: &str, values: &[Choice]) -> Value {
    let by_value = values
        .iter()
        .find(|choice| scalar(&choice.value).eq_ignore_ascii_case(word));
    let by_text = || {
        values
            .iter()
            .find(|choice| choice.text.eq_ignore_ascii_case(word))
    };
    let like_it = by_value.or_else(by_text).map(|choice| choice.value.clone());
    let is_number = || values.iter().any(|choice| choice.value.is_number());
    let number = || {
        word.parse::<u64>()
            .ok()
            .filter(|_| is_number())
            .map(Value::from)
    };
    like_it.or_else(number).unwrap_or_else(|| word.into())
}

/// Values for people, long rows of numbers by their ends.
fn shown(kind: FieldKind, values: &[Choice]) -> String {
    if matches!(kind, FieldKind::Player) {
        return joined(
            values
                .iter()
                .map(|choice| format!("{} ({})", scalar(&choice.value), choice.text)),
        );
    }
    let number = |choice: &Choice| choice.text.parse::<i64>().ok();
    let follows = |first: &Choice, second: &Choice| {
        number(first).is_some_and(|first| number(second) == Some(first + 1))
    };
    joined(values.chunk_by(follows).map(|row| match row {
        [first, .., last] if row.len() >= RANGE => format!("{} … {}", first.text, last.text),
        row => joined(row.iter().map(|choice| &choice.text)),
    }))
}

fn joined(words: impl Iterator<Item = impl ToString>) -> String {
    words
        .map(|word| word.to_string())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena_engine::by_name;
    use arena_engine::chance::Seed;
    use arena_engine::form::Form;
    use arena_engine::game::{Game, Rules as _};
    use arena_engine::games::{
        self, coda::Coda, crack_the_code::CrackTheCode, digit_code::DigitCode,
    };
    use arena_engine::machine::Match;
    use arena_engine::record::Reply;
    use arena_engine::seat::BySeat;
    use arena_runner::offer::offers;
    use serde_json::json;

    fn offered(prompt: &Value, forms: &[Form]) -> Vec<Offer> {
        offers(
            prompt,
            forms,
            &BySeat::new(5, |seat| {
                ["me", "rival", "c", "d", "e"][seat.index()].to_owned()
            }),
        )
    }

    fn check_of<G: Game>(prompt: &Value, typed: &str, expected: &Step) {
        let words: Vec<String> = typed.split_whitespace().map(str::to_owned).collect();
        assert_eq!(
            Options(&offered(prompt, G::FORMS)).step(&words),
            *expected,
            "{typed}"
        );
    }

    fn ask(question: &str) -> Step {
        Step::Ask(question.into())
    }

    #[test]
    fn words_become_actions_and_what_is_missing_is_asked_for() {
        let attack =
            json!({"seat": [1], "position": [0, 1, 3], "face": ["0", "1", "2", "3", "4", "-"]});
        let prompt = json!([{"attack": attack}, {"stop": {}}]);
        let check = check_of::<Coda>;
        let lines = [
            "  1) attack: seat 1 (rival), position 0 1 3, face 0 … 4 -",
            "  2) stop",
        ];
        assert_eq!(Options(&offered(&prompt, Coda::FORMS)).lines(), lines);
        check(&prompt, "", &ask("option (1 2)?"));
        check(
            &prompt,
            "7",
            &Step::Wrong("7 is not an option: choose 1 2".into()),
        );
        check(&prompt, "stop", &Step::Action(json!({"stop": {}})));
        check(
            &prompt,
            "2 3",
            &Step::Wrong("3 is too much: stop is complete without it".into()),
        );
        check(&prompt, "1", &ask("position (0 1 3)?"));
        check(&prompt, "attack 1", &ask("face (0 … 4 -)?"));
        check(
            &prompt,
            "1 3 4",
            &Step::Action(json!({"attack": {"seat": 1, "position": 3, "face": "4"}})),
        );
        check(
            &prompt,
            "1 9 x",
            &Step::Action(json!({"attack": {"seat": 1, "position": 9, "face": "x"}})),
        );
    }

    #[test]
    fn codes_are_lists_or_samples() {
        let check = check_of::<CrackTheCode>;
        let hide = json!([{"hide": {"code": [[1, 2, 3], [1, 2, 3]]}}]);
        let hidden = || Step::Action(json!({"hide": {"code": [3, 1]}}));
        check(&hide, "", &ask("code 1 of 2 (1 2 3)?"));
        check(&hide, "3", &ask("code 2 of 2 (1 2 3)?"));
        check(&hide, "3 1", &hidden());
        check(&hide, "31", &hidden());
        let declare = json!([{"declare": {"code": ["914492", "618747"]}}]);
        check_of::<DigitCode>(&declare, "", &ask("code (such as 914492 618747)?"));
        check_of::<DigitCode>(
            &declare,
            "123456",
            &Step::Action(json!({"declare": {"code": "123456"}})),
        );
        check(&hide, "hide 3 1", &hidden());
        check(
            &json!([{"pass": {}}]),
            "",
            &Step::Action(json!({"pass": {}})),
        );
    }
    /// The words that a person types for an action.
    fn typed(offers: &[Offer], action: &Value) -> Vec<String> {
        fn of(input: &Input, value: &Value) -> Vec<String> {
            match (input.decided(), value) {
                (Some(_), _) => Vec::new(),
                (None, Value::Array(values)) => values.iter().map(scalar).collect(),
                (None, value) => vec![scalar(value)],
            }
        }
        let (name, values) = action.as_object().unwrap().iter().next().unwrap();
        let is_it = |offer: &&Offer| {
            let fits = |input: &Input| {
                input
                    .decided()
                    .is_none_or(|only| only.value == values[&input.name])
            };
            offer.action == *name && offer.inputs.iter().all(fits)
        };
        let (number, offer) = (1..).zip(offers).find(|(_, offer)| is_it(offer)).unwrap();
        let option = (offers.len() > 1).then(|| number.to_string());
        option
            .into_iter()
            .chain(
                offer
                    .inputs
                    .iter()
                    .flat_map(|input| of(input, &values[&input.name])),
            )
            .collect()
    }

    #[test]
    fn every_action_of_every_game_can_be_typed() {
        fn check<G: Game>(rules: &G::Rules, seats: usize) {
            let seed = Seed::try_from(seats as u64).unwrap();
            let mut chance = seed.stream("typed", 0);
            let mut table = Match::<G>::new(rules, seats, seed).unwrap();
            while let Some(seat) = table.to_act().first() {
                let action = table.game().sample(seat, &mut chance);
                let (prompt, wanted) = (json!(table.prompt(seat)), json!(action));
                let offers = offered(&prompt, G::FORMS);
                let words = typed(&offers, &wanted);
                assert_eq!(
                    Options(&offers).step(&words),
                    Step::Action(wanted),
                    "{}: {words:?}",
                    G::NAME
                );
                table.reply(seat, Reply::Act(action)).unwrap();
            }
        }
        fn all<G: Game>() {
            for (rules, seats) in G::Rules::variants()
                .iter()
                .flat_map(|rules| G::SEATS.map(move |seats| (rules, seats)))
            {
                if rules.check(seats).is_ok() {
                    check::<G>(rules, seats);
                }
            }
        }
        for game in games::all() {
            by_name!(game, G => all::<G>()).unwrap();
        }
    }
}
