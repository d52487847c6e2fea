//! Laws of human seats, over all games and variants: invalid answers cost nothing, and people are shown exactly the events of their seat.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use arena_engine::chance::{Chance, Seed};
use arena_engine::frames::frames;
use arena_engine::game::{Game, Rules as _};
use arena_engine::games::coda::Coda;
use arena_engine::games::code_777::Code777;
use arena_engine::games::crack_the_code::CrackTheCode;
use arena_engine::games::digit_code::DigitCode;
use arena_engine::record::RecordOf;
use arena_ledger::verify::check_records;
use arena_tournament::clock::TimeControl;
use arena_tournament::entrant::Bot;
use arena_tournament::played::Played;
use arena_tournament::spec::Spec;
use serde_json::{Map, Value, json};

use crate::open::{Requested, open_same};
use arena_config::read::{Flags, of_kept};
use arena_engine::fault::Fault;
use arena_engine::seat::{BySeat, Seat};
use arena_engine::table::Json;
use arena_runner::people::{Answer, AnswerFuture, News, People, Question};
use arena_runner::{Run, Starts, Stop};
use arena_sandbox::Sandbox;
use serde::Serialize;

/// Returns a match between the strongest bots, with this number of seats.
fn of_bots(game: &str, seats: usize, rules: &impl Serialize) -> Spec {
    let strongest = arena_bots::roster::strongest(game).name;
    let bot = |seat| format!("[[bots]]\nname = 'p{seat}'\nbuiltin = '{strongest}'\n");
    let bots: String = (0..seats).map(bot).collect();
    let text = format!("game = '{game}'\nseats = {seats}\nseed = 7\njobs = 1\ndeals = 1\n{bots}");
    let mut spec = of_kept(&text, Path::new("/t.toml"), &Flags::default()).unwrap();
    spec.plan.rules = serde_json::to_value(rules).unwrap();
    spec
}

/// Returns the same match between people.
fn of_people(mut spec: Spec) -> Spec {
    spec.bots.iter_mut().for_each(|bot| bot.bot = Bot::Person);
    spec
}

fn play(spec: &Spec, people: Option<&dyn People>) -> Played {
    let (stop, starts, sandbox) = (Stop::default(), Starts::default(), Sandbox::default());
    let run = Run {
        people,
        ..Run::new(spec, &stop, &starts, &sandbox)
    };
    arena_runner::play_one(run).unwrap()
}

/// The behaviour of a person who is asked for an action.
#[derive(Clone, Copy, PartialEq)]
enum Habit {
    /// Gives mostly illegal answers.
    Raves,
    /// Follows the hint.
    Obeys,
    /// Leaves.
    Leaves,
    /// Never answers.
    Sleeps,
}

/// People with the same habit, who remember everything they are shown.
struct Habitual {
    habit: Habit,
    chance: Mutex<Chance>,
    shown: Mutex<Vec<(Seat, News)>>,
    problems: Mutex<Vec<String>>,
}

impl Habitual {
    fn new(habit: Habit) -> Self {
        let chance = Mutex::new(Seed::try_from(3).unwrap().stream("people", 0));
        Self {
            habit,
            chance,
            shown: Mutex::default(),
            problems: Mutex::default(),
        }
    }
}

impl People for Habitual {
    fn show(&self, seat: Seat, news: News) {
        self.shown
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((seat, news));
    }

    fn ask(&self, _: Seat, question: Question) -> AnswerFuture<'_> {
        self.problems
            .lock()
            .unwrap()
            .extend(question.problem.clone());
        let answer = match self.habit {
            Habit::Raves => raving(&question, &mut self.chance.lock().unwrap()),
            Habit::Obeys => answer(&question.hint.as_ref().unwrap().action),
            Habit::Leaves => None,
            Habit::Sleeps => return Box::pin(std::future::pending()),
        };
        Box::pin(std::future::ready(answer))
    }

    fn clock(&self, _: Seat) -> Option<TimeControl> {
        (self.habit == Habit::Sleeps).then(|| TimeControl {
            move_ms: Some(1),
            ..TimeControl::default()
        })
    }

    fn wants_hints(&self, _: Seat) -> bool {
        self.habit == Habit::Obeys
    }
}

fn answer(action: &(impl ToString + ?Sized)) -> Option<Answer> {
    Some(Answer {
        action: action.to_string(),
        note: Some("…".into()),
    })
}

/// Returns a legal action: an option, with one value from each list.
fn legal(prompt: &Value, chance: &mut Chance) -> Value {
    one_of_each(
        chance
            .pick(prompt.as_array().unwrap())
            .clone()
            .as_object()
            .unwrap(),
        chance,
    )
}

/// Returns the object with each list replaced by one of its values, and each list of lists by a list of one value from each.
fn one_of_each(fields: &Map<String, Value>, chance: &mut Chance) -> Value {
    let mut pick = |values: &Value| match values {
        Value::Array(lists) if lists.iter().all(Value::is_array) => lists
            .iter()
            .map(|values| chance.pick(values.as_array().unwrap()).clone())
            .collect(),
        Value::Array(values) => chance.pick(values).clone(),
        group => one_of_each(group.as_object().unwrap(), chance),
    };
    fields
        .iter()
        .map(|(name, values)| (name.clone(), pick(values)))
        .collect::<Map<_, _>>()
        .into()
}

/// Returns an answer that is usually not a legal action.
fn raving(question: &Question, chance: &mut Chance) -> Option<Answer> {
    let scraps = [
        "",
        "null",
        "[]",
        "{}",
        "7",
        "\"stop\"",
        "{\"stop\":",
        "{\"fly\":{}}",
        "{\"pass\":1}",
        "\u{0}",
        "1e999",
    ];
    let values = [
        json!(null),
        json!(-1),
        json!(99),
        json!(256),
        json!(0.5),
        json!("x"),
        json!([]),
        json!([1, 2]),
        json!({}),
    ];
    let deep = "[".repeat(100_000);
    let mut action = legal(&question.prompt.value(), chance);
    let kind = action.as_object().unwrap().keys().next().unwrap().clone();
    let fields = action[&kind].as_object_mut().unwrap();
    let scrap = chance.pick(&values).clone();
    match chance.below(8) {
        0 => return answer(*chance.pick(&scraps)),
        1 => return answer(&deep),
        2 => drop(fields.insert("more".into(), scrap)),
        3 => fields
            .iter_mut()
            .for_each(|(_, value)| *value = scrap.clone()),
        4 => drop(
            fields
                .iter_mut()
                .next()
                .map(|(_, value)| value.as_array_mut().map(|list| list.push(scrap))),
        ),
        5 => fields.clear(),
        6 => return answer(&json!({ "declare": scrap, "stop": {} })),
        _ => {}
    }
    answer(&action)
}

/// A law that is tested for each game in each variant, with the habit of the people.
struct Law(fn(&str, &Spec, &Played, &Habitual), Habit);

impl Law {
    fn check<G: Game>(&self) {
        // The strongest bot gives the hints, and takes seconds to compute them.
        let variants = if self.1 == Habit::Obeys {
            2
        } else {
            usize::MAX
        };
        for rules in G::Rules::variants().into_iter().take(variants) {
            for seats in G::SEATS.filter(|seats| rules.check(*seats).is_ok()) {
                let (bots, people) = (of_bots(G::NAME, seats, &rules), Habitual::new(self.1));
                let played = play(&of_people(bots.clone()), Some(&people));
                everything_is_shown::<G>(&played, &people);
                let same = if self.1 == Habit::Obeys {
                    Some(play(&bots, None))
                } else {
                    None
                };
                assert!(
                    same.is_none_or(|same| same.record == played.record),
                    "{}",
                    G::NAME
                );
                (self.0)(G::NAME, &of_people(bots), &played, &people);
            }
        }
    }
}

/// Checks that the news of each seat are its events in order, and that they end with the seat's view and the verdict.
fn everything_is_shown<G: Game>(played: &Played, people: &Habitual) {
    let record: RecordOf<G> = played.record.read().unwrap();
    let names = BySeat::new(record.seats, |_| String::new());
    let frames = frames::<G>(&record, &names, None).unwrap();
    let shown = people.shown.lock().unwrap();
    for seat in Seat::all(record.seats) {
        let of_seat = || {
            shown
                .iter()
                .filter(|(shown, _)| *shown == seat)
                .map(|(_, news)| news)
        };
        let shown: Vec<&Json> = of_seat()
            .flat_map(|news| &news.events)
            .map(|event| &event.event)
            .collect();
        let seen: Vec<Json> = frames
            .iter()
            .filter_map(|frame| frame.seats[seat].event.as_ref())
            .map(|event| event.event.clone())
            .collect();
        assert_eq!(shown, seen.iter().collect::<Vec<_>>(), "{}", G::NAME);
        let last = of_seat().next_back().unwrap();
        let view = &frames.last().unwrap().seats[seat].view;
        assert_eq!(last.view, *view);
        assert_eq!(
            last.verdict.as_ref().unwrap().outcome,
            played.verdict.outcome
        );
        assert_eq!(of_seat().filter(|news| news.verdict.is_some()).count(), 1);
    }
}

fn check(habit: Habit, law: fn(&str, &Spec, &Played, &Habitual)) {
    let law = Law(law, habit);
    law.check::<Coda>();
    law.check::<Code777>();
    law.check::<CrackTheCode>();
    law.check::<DigitCode>();
}

#[test]
fn nonsense_never_costs_a_person_the_match() {
    check(Habit::Raves, |game, _, played, people| {
        assert!(
            played.verdict.faults.iter().all(Option::is_none),
            "{game}: {:?}",
            played.verdict.faults
        );
        let problems = people.problems.lock().unwrap();
        assert!(
            !problems.is_empty() && problems.iter().all(|problem| !problem.is_empty()),
            "{game}"
        );
        let replies = played.times.moves.len();
        assert!(
            played.notes.len() == replies
                && played.times.moves.iter().all(|one| one.cpu_us.is_none()),
            "{game}"
        );
    });
}

#[test]
fn whoever_takes_every_hint_plays_as_the_bot() {
    check(Habit::Obeys, |game, _, played, _| {
        assert!(played.verdict.faults.iter().all(Option::is_none), "{game}");
    });
}

#[test]
fn a_match_of_people_is_kept_in_a_ledger_and_verified_by_its_record() {
    check(Habit::Leaves, |game, spec, played, _| {
        assert!(
            played
                .verdict
                .faults
                .iter()
                .flatten()
                .all(|fault| fault.detail == Fault::left().detail),
            "{game}"
        );
        let dir = tempfile::tempdir().unwrap();
        let (_, mut ledger) = open_same(spec.clone(), &dir.path().join("t")).unwrap();
        ledger.append(std::slice::from_ref(played)).unwrap();
        assert!(
            ledger.spec().bots.iter().all(|bot| bot.is_person()),
            "{game}"
        );
        assert_eq!(ledger.count().unwrap(), 1);
        assert_eq!(check_records(spec, &[played]).unwrap(), [Ok(())], "{game}");
        // The folder does not contain a tournament that could be continued.
        let refused = Requested::from_folder(&dir.path().join("t"), &Flags::default()).unwrap_err();
        assert!(
            refused
                .to_string()
                .contains("a person cannot take part in a tournament"),
            "{refused}"
        );
    });
}

#[test]
fn whoever_does_not_answer_in_time_is_late() {
    check(Habit::Sleeps, |game, _, played, _| {
        let mut faults = played.verdict.faults.iter().flatten();
        assert!(faults.all(|fault| *fault == Fault::late()), "{game}");
        assert!(played.record.as_str().contains("late"), "{game}");
    });
}

#[test]
fn a_person_whom_nobody_can_ask_is_no_fault() {
    let spec = of_people(of_bots(Coda::NAME, 2, &<Coda as Game>::Rules::default()));
    let (stop, starts, sandbox) = (Stop::default(), Starts::default(), Sandbox::default());
    let run = Run::new(&spec, &stop, &starts, &sandbox);
    let error = arena_runner::play_one(run).err().unwrap().to_string();
    assert_eq!(error, "p0 is a person; people play in `arena serve`");
}
