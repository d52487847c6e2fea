//! The codes that fit a list of answers, as bits over all 465,120 legal codes.
//!
//! For each question and answer a table holds the set of codes that give it, so that taking in an answer is one `and`,
//! and counting the answers to a question is counting bits. The table is built once and shared by all matches.

use std::sync::OnceLock;

use arena_engine::chance::Chance;
use arena_engine::games::digit_code::code::Code;
use arena_engine::games::digit_code::question::{Kind, Question};

/// One more than the greatest answer: a line holds at most six filled places.
pub const ANSWERS: usize = 7;

/// How many codes give each answer to a question.
pub type Counts = [u32; ANSWERS];

/// All legal codes, and who gives which answer.
struct Table {
    codes: Vec<Code>,
    asked: Vec<Asked>,
}

/// A question that can be answered in more than one way.
struct Asked {
    question: Question,
    /// For each answer the codes that give it.
    answers: Vec<Vec<u64>>,
    /// How many these are.
    counts: Counts,
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let codes: Vec<Code> = Code::all().collect();
        let asked = Question::all().map(|question| Asked::new(question, &codes));
        let asked = asked.filter(|asked| asked.answers.len() > 1).collect();
        Table { codes, asked }
    })
}

impl Asked {
    fn new(question: Question, codes: &[Code]) -> Self {
        let mut answers = vec![vec![0; codes.len().div_ceil(64)]; ANSWERS];
        let mut counts = [0; ANSWERS];
        for (at, code) in codes.iter().enumerate() {
            let answer = usize::from(question.answer(*code));
            answers[answer][at / 64] |= 1 << (at % 64);
            counts[answer] += 1;
        }
        let last = counts.iter().rposition(|count| *count > 0);
        answers.truncate(last.map_or(0, |last| last + 1));
        Self { question, answers, counts }
    }
}

/// A set of codes: the words of its bits that are not 0, each with its place.
#[derive(Clone, Debug)]
pub struct Candidates {
    words: Vec<(usize, u64)>,
}

impl Candidates {
    /// All legal codes.
    pub fn all() -> Self {
        let codes = table().codes.len();
        let word = |at: usize| (at, u64::MAX >> (64 - (codes - at * 64).min(64)));
        Self { words: (0..codes.div_ceil(64)).map(word).collect() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.words.iter().map(|(_, bits)| bits.count_ones() as usize).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Keeps those that give this answer.
    pub fn keep(&mut self, question: Question, answer: u8) {
        // A question that is not in the table has the same answer for all codes.
        let Some(asked) = table().asked.iter().find(|asked| asked.question == question) else { return };
        let Some(fitting) = asked.answers.get(usize::from(answer)) else { return self.words.clear() };
        self.words.retain_mut(|(at, bits)| {
            *bits &= fitting[*at];
            *bits != 0
        });
    }

    /// Takes one code out.
    pub fn remove(&mut self, code: Code) {
        let Ok(index) = table().codes.binary_search(&code) else { return };
        self.words.retain_mut(|(at, bits)| {
            if *at == index / 64 {
                *bits &= !(1 << (index % 64));
            }
            *bits != 0
        });
    }

    /// The codes in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = Code> {
        self.words.iter().flat_map(|(at, bits)| {
            let set = (0..64).filter(move |bit| bits >> bit & 1 == 1);
            set.map(move |bit| table().codes[at * 64 + bit])
        })
    }

    /// One of them, all equally likely.
    ///
    /// # Panics
    /// If there is none.
    pub fn pick(&self, chance: &mut Chance) -> Code {
        let nth = chance.below(self.len() as u32) as usize;
        self.iter().nth(nth).expect("the drawn code is there")
    }

    /// Whether the codes do not all answer the question alike.
    pub fn tells(&self, question: Question) -> bool {
        let all = self.len() as u32;
        let asked = table().asked.iter().find(|asked| asked.question == question);
        asked.is_some_and(|asked| !self.counts(asked, all).contains(&all))
    }

    /// Whether the code is among them.
    pub fn contains(&self, code: Code) -> bool {
        let Ok(index) = table().codes.binary_search(&code) else { return false };
        let word = self.words.binary_search_by_key(&(index / 64), |(at, _)| *at);
        word.is_ok_and(|word| self.words[word].1 >> (index % 64) & 1 == 1)
    }

    /// The questions of these kinds that not all codes answer alike, with how often each answer is given.
    pub fn telling(&self, kinds: &[Kind]) -> Vec<(Question, Counts)> {
        let all = self.len() as u32;
        let asked = table().asked.iter().filter(|asked| kinds.contains(&asked.question.kind()));
        let counted = asked.map(|asked| (asked.question, self.counts(asked, all)));
        counted.filter(|(_, counts)| !counts.contains(&all)).collect()
    }

    /// Any of the questions of these kinds that not all codes answer alike, all equally likely.
    pub fn any_telling(&self, kinds: &[Kind], chance: &mut Chance) -> Option<Question> {
        let all = self.len() as u32;
        let mut asked: Vec<&Asked> = table().asked.iter().collect();
        asked.retain(|asked| kinds.contains(&asked.question.kind()));
        chance.shuffle(&mut asked);
        asked.into_iter().find(|asked| !self.counts(asked, all).contains(&all)).map(|asked| asked.question)
    }

    /// How often each answer is given, `all` being the number of the codes.
    fn counts(&self, asked: &Asked, all: u32) -> Counts {
        if all == table().codes.len() as u32 {
            return asked.counts;
        }
        let mut counts = [0; ANSWERS];
        let mut rest = all;
        let others = asked.answers.len() - 1;
        for (count, codes) in counts.iter_mut().zip(&asked.answers[..others]) {
            *count = self.words.iter().map(|(at, bits)| (bits & codes[*at]).count_ones()).sum();
            rest -= *count;
        }
        counts[others] = rest;
        counts
    }
}

#[cfg(test)]
mod tests {
    use arena_engine::chance::Seed;

    use super::*;

    #[test]
    fn bits_agree_with_asking_every_code() {
        let mut chance = Seed::try_from(1).unwrap().stream("codes", 0);
        let questions: Vec<Question> = Question::all().collect();
        assert_eq!(table().asked.len(), 19 + 6 + 7 + 42);
        for _ in 0..3 {
            let secret = Code::random(&mut chance);
            let mut bits = Candidates::all();
            let mut list: Vec<Code> = Code::all().collect();
            for _ in 0..8 {
                let question = *chance.pick(&questions);
                bits.keep(question, question.answer(secret));
                list.retain(|code| question.answer(*code) == question.answer(secret));
                assert!(bits.iter().eq(list.iter().copied()));
                assert_eq!(bits.len(), list.len());
                let kinds: &[Kind] = if list.len() < 50_000 { &Kind::ALL } else { &[] };
                for (question, counts) in bits.telling(kinds) {
                    assert!(bits.tells(question));
                    let count = |answer| list.iter().filter(|code| question.answer(**code) == answer).count() as u32;
                    assert_eq!(counts, std::array::from_fn(|answer| count(answer as u8)));
                }
            }
            assert!(list.contains(&bits.pick(&mut chance)) && bits.contains(secret));
            bits.remove(secret);
            assert!(!bits.iter().any(|code| code == secret) && !bits.contains(secret));
            assert_eq!(bits.len() + 1, list.len());
        }
    }
}
