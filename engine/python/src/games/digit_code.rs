//! Digit Code for a learner. The observation is the solution sheet; the actions are questions, and 64 codes to hide or to declare.

use std::sync::{LazyLock, OnceLock};

use arena_engine::chance::Seed;
use arena_engine::games::digit_code::DigitCode;
use arena_engine::games::digit_code::code::{Code, DIGITS, Digit, Line};
use arena_engine::games::digit_code::question::Question;
use arena_engine::games::digit_code::types::{Action, Choice, Event, Prompt, Rules};
use arena_engine::games::digit_code::view::View;
use arena_engine::player::Start;
use arena_engine::seat::{BySeat, Seat};
use arena_engine::set::Set;

use crate::space::{Observer, Sink, Space, Variant, whom};

/// Number of codes offered for hiding, and for declaring.
const OFFERED: usize = 64;
const QUESTIONS: usize = 122;

/// Index of the first action of each kind.
const ASK: usize = OFFERED;
const DECLARE: usize = ASK + QUESTIONS;
const ACTIONS: usize = DECLARE + OFFERED;

/// Length of a line of the solution sheet: seat, question, answer, and the two halves of a declared code.
const WIDTH: usize = 5;
/// Encoding of a declaration on the sheet; greater than all questions.
const DECLARED: i16 = QUESTIONS as i16 + 1;

static ALL_QUESTIONS: LazyLock<Vec<Question>> = LazyLock::new(|| Question::all().collect());

/// All codes in the fixed order in which they are offered.
static CODES: LazyLock<Vec<Code>> = LazyLock::new(|| {
    let mut codes: Vec<Code> = Code::all().collect();
    Seed::try_from(777)
        .expect("a small seed")
        .stream("offered", 0)
        .shuffle(&mut codes);
    codes
});

/// Index of each code in that order, by the number that its digits form.
static PLACES: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let mut places = vec![0; 1_000_000];
    (0..)
        .zip(CODES.iter())
        .for_each(|(place, code)| places[decimal(*code, &Digit::ALL)] = place);
    places
});

/// Returns the number that some digits of a code form.
fn decimal(code: Code, digits: &[Digit]) -> usize {
    digits
        .iter()
        .fold(0, |sum, digit| sum * 10 + usize::from(code.value(*digit)))
}

/// A bit set of codes by index.
struct Codes {
    bits: Vec<u64>,
    /// Number of codes among the first words of the set, an estimate of its size.
    many: u32,
}

impl Codes {
    /// Returns the codes that give each answer.
    fn by_answer(answers: usize, answer: impl Fn(Code) -> usize) -> Vec<Self> {
        let mut bits = vec![vec![0_u64; CODES.len().div_ceil(64)]; answers];
        for (at, code) in CODES.iter().enumerate() {
            bits[answer(*code)][at / 64] |= 1 << (at % 64);
        }
        let many = |bits: &[u64]| bits[..64].iter().map(|word| word.count_ones()).sum();
        bits.into_iter()
            .map(|bits| Self {
                many: many(&bits),
                bits,
            })
            .collect()
    }

    fn has(&self, place: u32) -> bool {
        self.bits[place as usize / 64] >> (place % 64) & 1 == 1
    }
}

/// The set of all codes, as a list of one.
static ALL: LazyLock<Vec<Codes>> = LazyLock::new(|| Codes::by_answer(1, |_| 0));

/// Returns the codes that give this answer to a question; `None` if all codes do. Each set is computed when its question is first asked.
fn fitting(question: usize, answer: u8) -> Option<&'static Codes> {
    static CODES_OF: [OnceLock<Vec<Codes>>; QUESTIONS] = [const { OnceLock::new() }; QUESTIONS];
    let answers = CODES_OF[question].get_or_init(|| {
        let given = Codes::by_answer(DIGITS + 1, |code| {
            ALL_QUESTIONS[question].answer(code).into()
        });
        let some = given
            .iter()
            .filter(|codes| codes.bits.iter().any(|word| *word != 0))
            .count();
        if some > 1 { given } else { Vec::new() }
    });
    answers.get(usize::from(answer))
}

/// The codes that a seat may hide, and the codes that fit everything it has seen about the code that it must solve.
pub struct Memory {
    solves: Solves,
    /// The seed of the codes offered for hiding.
    seed: Seed,
    game: u8,
    /// The questions whose answers rule out codes in this game, each with the fitting codes, smallest set first.
    facts: Vec<(usize, &'static Codes)>,
    /// Indices of wrongly declared codes.
    wrong: Vec<u32>,
    /// Indices of the fitting codes in the words scanned so far.
    found: Vec<u32>,
    words: usize,
}

/// The seats whose questions concern the code that this seat must solve.
enum Solves {
    Own(Seat),
    Common,
}

impl Memory {
    fn learn(&mut self, number: usize, answer: u8) {
        if let Some(fits) = fitting(number, answer)
            && !self.facts.iter().any(|(asked, _)| *asked == number)
        {
            let at = self
                .facts
                .partition_point(|(_, other)| other.many < fits.many);
            self.facts.insert(at, (number, fits));
            // Like `retain`, but without an unpredictable branch.
            let mut kept = 0;
            for at in 0..self.found.len() {
                let place = self.found[at];
                self.found[kept] = place;
                kept += usize::from(fits.has(place));
            }
            self.found.truncate(kept);
        }
    }

    fn start_game(&mut self, game: u8) {
        self.game = game;
        self.facts.clear();
        self.wrong.clear();
        self.found.clear();
        self.words = 0;
    }

    /// Returns the code to hide that is offered as this action.
    fn to_hide(&self, index: usize) -> Code {
        Code::random(
            &mut self
                .seed
                .stream("hides", u64::from(self.game) << 8 | index as u64),
        )
    }

    /// Continues the scan until enough codes to offer are found.
    fn look(&mut self) {
        if self.found.len() >= OFFERED {
            return;
        }
        let begun = self.words;
        let fits = |nth: usize| {
            self.facts
                .get(nth)
                .or(self.facts.last())
                .map_or(&ALL[0], |(_, fits)| fits)
        };
        let [one, two, three] = [0, 1, 2].map(|nth| &fits(nth).bits[begun..]);
        let others = self.facts.get(3..).unwrap_or_default();
        // Most words hold one code or none, unpredictably. So write an index in any case, and advance only if there is a code.
        let mut new = [0; 2 * OFFERED];
        let mut count = 0;
        let any_wrong = !self.wrong.is_empty();
        self.words = ALL[0].bits.len();
        for (at, ((one, two), three)) in (begun..).zip(one.iter().zip(two).zip(three)) {
            let mut bits = one & two & three;
            others.iter().for_each(|(_, fits)| bits &= fits.bits[at]);
            loop {
                let place = at as u32 * 64 + bits.trailing_zeros();
                new[count] = place;
                count += usize::from(bits != 0 && !(any_wrong && self.wrong.contains(&place)));
                bits &= bits.wrapping_sub(1);
                if bits == 0 {
                    break;
                }
            }
            if self.found.len() + count >= OFFERED {
                self.words = at + 1;
                break;
            }
        }
        self.found.extend(&new[..count]);
    }
}

impl Space for DigitCode {
    type Memory = Memory;

    fn memory(start: &Start<'_, Rules>) -> Memory {
        let solves = if start.seats == 2 {
            Solves::Own(start.seat)
        } else {
            Solves::Common
        };
        let (facts, found) = (Vec::with_capacity(16), Vec::with_capacity(2 * OFFERED));
        Memory {
            solves,
            seed: start.seed,
            game: 0,
            facts,
            wrong: Vec::new(),
            found,
            words: 0,
        }
    }

    fn remember(memory: &mut Memory, _: &View, event: &Event) {
        let concerns = |seat: Seat| match memory.solves {
            Solves::Own(own) => own == seat,
            Solves::Common => true,
        };
        if let Some((seat, question, answer)) = event.question() {
            if concerns(seat) {
                memory.learn(number(question), answer);
            }
            return;
        }
        match *event {
            Event::GameStarted { game, .. } => memory.start_game(game),
            Event::Declared {
                seat,
                code,
                right: false,
            } if concerns(seat) => {
                let place = PLACES[decimal(code, &Digit::ALL)];
                memory.wrong.push(place);
                memory.found.retain(|other| *other != place);
            }
            _ => {}
        }
    }

    fn actions(_: &Rules, _: usize) -> Result<usize, String> {
        Ok(ACTIONS)
    }

    fn observe(seen: &Observer<Self>, out: &mut impl Sink) {
        let (view, seats) = (&seen.view, seen.seats);
        let places = |out: &mut [i16], set: Set<Seat>| {
            set.into_iter()
                .for_each(|seat| out[seen.relative(seat)] = 1)
        };
        let most = seats * (usize::from(seen.rules.turn_limit) + 4);
        out.one("seat", seats, seen.seat.0 as i16 + 1);
        out.one(
            "game",
            1 + seats.max(seen.rules.replays.into()),
            i16::from(view.game),
        );
        out.one("first", seats, whom(seen, Some(view.first)));
        out.one("master", seats, whom(seen, view.master));
        out.field("code", &[DIGITS], 10, |out| {
            if let Some(code) = view.code.filter(|_| seen.variant != Variant::Public) {
                out.iter_mut()
                    .zip(Digit::ALL)
                    .for_each(|(out, digit)| *out = i16::from(code.value(digit)) + 1);
            }
        });
        out.field("solving", &[seats], 1, |out| places(out, view.solving));
        out.field("withdrawn", &[seats], 1, |out| places(out, view.withdrawn));
        out.field("wrong", &[seats], 2, |out| by_seat(seen, out, &view.wrong));
        out.one("last_chance", 1, i16::from(view.last_chance));
        out.field("wins", &[seats], seats, |out| {
            by_seat(seen, out, &view.wins.map(|wins| *wins as u8))
        });
        out.list(
            "sheet",
            &[most, WIDTH],
            999,
            view.sheet.len() * WIDTH,
            |out| {
                for (out, event) in out.chunks_exact_mut(WIDTH).zip(&view.sheet) {
                    out.copy_from_slice(&line(seen, event));
                }
            },
        );
    }

    fn mask(seen: &mut Observer<Self>, prompt: &Prompt, mask: &mut [i8]) {
        mask.fill(0);
        for choice in &prompt.0 {
            let asked = match choice {
                Choice::Hide { .. } => {
                    mask[..ASK].fill(1);
                    continue;
                }
                Choice::Declare { .. } => {
                    seen.memory.look();
                    mask[DECLARE..]
                        .iter_mut()
                        .zip(&seen.memory.found)
                        .for_each(|(out, _)| *out = 1);
                    continue;
                }
                Choice::AskLine { .. } => 0..PARITY,
                Choice::AskParity { .. } => PARITY..LARGER,
                Choice::AskLarger { .. } => LARGER..PLACE,
                Choice::AskPlace { .. } => PLACE..QUESTIONS,
            };
            mask[ASK..DECLARE][asked].fill(1);
        }
    }

    fn action(seen: &Observer<Self>, index: usize) -> Option<Action> {
        Some(match index {
            ..ASK => Action::Hide {
                code: seen.memory.to_hide(index),
            },
            ASK..DECLARE => ALL_QUESTIONS[index - ASK].into(),
            DECLARE.. => Action::Declare {
                code: CODES[*seen.memory.found.get(index - DECLARE)? as usize],
            },
        })
    }

    fn index(seen: &Observer<Self>, action: &Action) -> Option<usize> {
        Some(match *action {
            Action::Hide { code } => {
                (0..OFFERED).find(|index| seen.memory.to_hide(*index) == code)?
            }
            Action::AskLine { line } => ASK + number(Question::Line(line)),
            Action::AskParity { digit } => ASK + number(Question::Parity(digit)),
            Action::AskLarger { pair } => ASK + number(Question::Larger(pair)),
            Action::AskPlace { column, row } if column < Line::J && row >= Line::J => {
                ASK + number(Question::Place(column, row))
            }
            Action::AskPlace { .. } => return None,
            Action::Declare { code } => {
                let place = PLACES[decimal(code, &Digit::ALL)];
                DECLARE
                    + seen
                        .memory
                        .found
                        .iter()
                        .take(OFFERED)
                        .position(|other| *other == place)?
            }
        })
    }
}

/// Index of the first question of each kind after the questions about lines.
const PARITY: usize = 19;
const LARGER: usize = PARITY + 6;
const PLACE: usize = LARGER + 7;
const ROWS: usize = 10;

/// Returns the index of a question among all.
fn number(question: Question) -> usize {
    match question {
        Question::Line(line) => line as usize,
        Question::Parity(digit) => PARITY + digit as usize,
        Question::Larger(pair) => LARGER + pair as usize,
        Question::Place(column, row) => {
            PLACE + column as usize * ROWS + (row as usize - Line::J as usize)
        }
    }
}

/// Encodes an event as a line of the solution sheet.
fn line(seen: &Observer<DigitCode>, event: &Event) -> [i16; WIDTH] {
    if let Event::Declared { seat, code, right } = *event {
        let half = |digits| decimal(code, digits) as i16;
        let (above, below) = Digit::ALL.split_at(DIGITS / 2);
        return [
            whom(seen, Some(seat)),
            DECLARED,
            right.into(),
            half(above),
            half(below),
        ];
    }
    event
        .question()
        .map_or([0; WIDTH], |(seat, question, answer)| {
            [
                whom(seen, Some(seat)),
                number(question) as i16 + 1,
                answer.into(),
                0,
                0,
            ]
        })
}

fn by_seat(seen: &Observer<DigitCode>, out: &mut [i16], values: &BySeat<u8>) {
    out.iter_mut()
        .enumerate()
        .for_each(|(place, out)| *out = values[seen.absolute(place)].into());
}
