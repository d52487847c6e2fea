//! Tests of the relative strengths of the Digit Code bots, in all seatings of the same deals.

use arena_bots::roster;
use arena_engine::chance::{Chance, Seed};
use arena_engine::games::digit_code::DigitCode;
use arena_engine::games::digit_code::candidates::{Candidates, Counts};
use arena_engine::games::digit_code::code::Code;
use arena_engine::games::digit_code::question::{Kind, Question};
use arena_engine::games::digit_code::types::{Action, Event, Master, Prompt, Rules};
use arena_engine::machine::Match;
use arena_engine::outcome::Ended;
use arena_engine::player::{Player, Start, play};
use arena_engine::seat::Seat;

/// Plays every deal with the first bot in each seat and the second bot in all others. Returns the fractions of wins of the first bot and of
/// the others.
fn wins(rules: &Rules, seats: usize, deals: u64, first: &str, others: &str) -> (f64, f64) {
    let (mut won, mut lost) = (0, 0);
    let mut matches = 0;
    for number in 0..deals {
        for own in 0..seats {
            let mut table =
                Match::<DigitCode>::new(rules, seats, Seed::try_from(number).unwrap()).unwrap();
            let bot = |seat| if seat == own { first } else { others };
            let mut players: Vec<Box<dyn Player<DigitCode>>> = (0..seats)
                .map(|seat| roster::make(bot(seat)).unwrap())
                .collect();
            play(&mut table, &mut players, |_| None);
            let verdict = table.verdict().unwrap();
            assert_eq!(verdict.ended, Ended::Played, "{:?}", verdict.faults);
            let points: Vec<i32> = verdict
                .outcome
                .seats
                .iter()
                .map(|score| score.points)
                .collect();
            won += points[own];
            lost += points.iter().sum::<i32>() - points[own];
            matches += 1;
        }
    }
    let share = |wins: i32| f64::from(wins) / f64::from(matches);
    println!(
        "{seats} seats, {first} against {others}: {:.3} won, {:.3} lost",
        share(won),
        share(lost)
    );
    (share(won), share(lost))
}

#[test]
fn between_two_each_rung_beats_the_one_below() {
    let rules = Rules::default();
    let (won, lost) = wins(&rules, 2, 100, "consistent", "random");
    assert!(won > 0.98, "{won} {lost}");
    for rungs in ["consistent", "narrowing", "entropy"].windows(2) {
        let (won, lost) = wins(&rules, 2, 80, rungs[1], rungs[0]);
        assert!(won > 0.58 && lost < 0.42, "{won} {lost}");
    }
    let (won, _) = wins(&rules, 2, 80, "hiding", "entropy");
    assert!(won > 0.8, "the codes that it hides are slow to find: {won}");
}

/// A player that plays like `hiding`, but hides the most common of some random codes.
struct Slow(Box<dyn Player<DigitCode>>, Option<Chance>);

impl Player<DigitCode> for Slow {
    fn start(&mut self, start: &Start<'_, Rules>) {
        self.1 = Some(start.seed.stream("slow", 0));
        self.0.start(start);
    }

    fn act(&mut self, events: &mut dyn Iterator<Item = Event>, prompt: &Prompt) -> Action {
        let action = self.0.act(events, prompt);
        if !matches!(action, Action::Hide { .. }) {
            return action;
        }
        let all = Candidates::all().splits(&Kind::ALL);
        let chance = self.1.as_mut().unwrap();
        let shared = |code: &Code| {
            let of = |(question, counts): &(Question, Counts)| {
                counts[usize::from(question.answer(*code))].ilog2()
            };
            all.iter().map(of).sum::<u32>()
        };
        Action::Hide {
            code: (0..20)
                .map(|_| Code::random(chance))
                .max_by_key(shared)
                .unwrap(),
        }
    }
}

#[test]
fn to_hide_what_is_slow_to_find_beats_who_expects_all_codes_alike_only() {
    let slow = |other: &str| {
        let one =
            || Box::new(Slow(roster::make("hiding").unwrap(), None)) as Box<dyn Player<DigitCode>>;
        let won = (0..50)
            .flat_map(|deal| [(deal, 0), (deal, 1)])
            .map(|(deal, seat)| {
                let mut table =
                    Match::<DigitCode>::new(&Rules::default(), 2, Seed::try_from(deal).unwrap())
                        .unwrap();
                let mut players = vec![roster::make(other).unwrap(), one()];
                if seat == 0 {
                    players.reverse();
                }
                play(&mut table, &mut players, |_| None);
                let points =
                    |seat: usize| table.verdict().unwrap().outcome.seats[Seat(seat as u8)].points;
                f64::from(1 + points(seat) - points(1 - seat)) / 2.0
            });
        won.sum::<f64>() / 100.0
    };
    let (entropy, hiding) = (slow("entropy"), slow("hiding"));
    assert!(entropy > 0.55 && hiding < 0.55, "{entropy} {hiding}");
}

#[test]
fn among_several_each_beats_the_weaker() {
    let rules = Rules::default();
    for seats in 3..=5 {
        let fair = 1.0 / seats as f64;
        let (won, _) = wins(&rules, seats, 10, "consistent", "random");
        assert!(won > 0.95, "{won}");
        let (won, _) = wins(&rules, seats, 10, "entropy", "random");
        assert!(won > 0.95, "{won}");
        let (won, _) = wins(&rules, seats, 30, "narrowing", "consistent");
        assert!(won > 1.1 * fair, "{won}");
        let (won, _) = wins(&rules, seats, 15, "entropy", "consistent");
        assert!(won > 1.3 * fair, "{won}");
    }
}

#[test]
fn with_a_seat_as_the_master_as_well() {
    let rules = Rules {
        master: Master::Seats,
        ..Rules::default()
    };
    let (won, lost) = wins(&rules, 3, 30, "entropy", "consistent");
    assert!(
        won > 1.1,
        "two of the three games are its to win: {won} {lost}"
    );
    assert_eq!(won + lost, 3.0, "every game is won by somebody");
}

#[test]
fn a_bot_declares_in_its_last_turn() {
    // Two turns are the first turn with its four questions, and one more action. With nothing to lose, that action is a declaration.
    let rules = Rules {
        turn_limit: 2,
        ..Rules::default()
    };
    let mut table = Match::<DigitCode>::new(&rules, 2, Seed::try_from(1).unwrap()).unwrap();
    let mut players: Vec<Box<dyn Player<DigitCode>>> =
        (0..2).map(|_| roster::make("entropy").unwrap()).collect();
    play(&mut table, &mut players, |_| None);
    let declared = table
        .events()
        .iter()
        .filter(|event| matches!(event, Event::Declared { .. }))
        .count();
    assert_eq!(declared, 2);
}
