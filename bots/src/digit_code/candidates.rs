//! The codes that fit a list of answers, as bits over all 465,120 legal codes.
//!
//! For each question and answer an index holds the set of codes that give it, so that taking in an answer is one `and`,
//! and counting the answers to a question is counting bits. The index is built once and shared by all matches.

use std::sync::OnceLock;

use arena_engine::chance::Chance;
use arena_engine::games::digit_code::code::Code;
use arena_engine::games::digit_code::question::{Kind, Question};

/// One more than the greatest answer: a line holds at most six filled places.
pub const ANSWERS: usize = 7;

/// The number of codes that give each answer to a question.
pub type Counts = [u32; ANSWERS];

/// All legal codes, and the questions that split them.
struct Index {
    codes: Vec<Code>,
    splits: Vec<Split>,
}

/// A question that can be answered in more than one way.
struct Split {
    question: Question,
    /// For each answer the codes that give it.
    answers: Vec<Vec<u64>>,
    /// The number of codes that give it.
    counts: Counts,
}

fn index() -> &'static Index {
    static INDEX: OnceLock<Index> = OnceLock::new();
    INDEX.get_or_init(|| {
        let codes: Vec<Code> = Code::all().collect();
        let splits = Question::all().map(|question| Split::new(question, &codes));
        let splits = splits.filter(|split| split.answers.len() > 1).collect();
        Index { codes, splits }
    })
}

/// The split of all codes by a question, if not all answer it alike.
fn split(question: Question) -> Option<&'static Split> {
    index().splits.iter().find(|split| split.question == question)
}

fn of_kinds(kinds: &[Kind]) -> impl Iterator<Item = &'static Split> {
    index().splits.iter().filter(|split| kinds.contains(&split.question.kind()))
}

/// The place of a code in the list of all.
fn place(code: Code) -> Option<usize> {
    index().codes.binary_search(&code).ok()
}

impl Split {
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
        let codes = index().codes.len();
        let word = |at: usize| (at, u64::MAX >> (64 - (codes - at * 64).min(64)));
        Self { words: (0..codes.div_ceil(64)).map(word).collect() }
    }

    /// The number of codes.
    pub fn len(&self) -> usize {
        self.words.iter().map(|(_, bits)| bits.count_ones() as usize).sum()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Keeps those that give this answer.
    pub fn keep(&mut self, question: Question, answer: u8) {
        // A question that is not in the index has the same answer for all codes.
        let Some(split) = split(question) else { return };
        let Some(fitting) = split.answers.get(usize::from(answer)) else { return self.words.clear() };
        self.words.retain_mut(|(at, bits)| {
            *bits &= fitting[*at];
            *bits != 0
        });
    }

    /// Takes one code out.
    pub fn remove(&mut self, code: Code) {
        let Some(place) = place(code) else { return };
        self.words.retain_mut(|(at, bits)| {
            if *at == place / 64 {
                *bits &= !(1 << (place % 64));
            }
            *bits != 0
        });
    }

    /// The codes in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = Code> {
        self.words.iter().flat_map(|(at, bits)| {
            let set = (0..64).filter(move |bit| bits >> bit & 1 == 1);
            set.map(move |bit| index().codes[at * 64 + bit])
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

    /// True if the codes do not all answer the question alike.
    pub fn are_split_by(&self, question: Question) -> bool {
        let all = self.len() as u32;
        split(question).is_some_and(|split| !self.counts(split, all).contains(&all))
    }

    /// True if the code is among them.
    pub fn contains(&self, code: Code) -> bool {
        let Some(place) = place(code) else { return false };
        let word = self.words.binary_search_by_key(&(place / 64), |(at, _)| *at);
        word.is_ok_and(|word| self.words[word].1 >> (place % 64) & 1 == 1)
    }

    /// The questions of these kinds that not all codes answer alike, with the counts of the answers.
    pub fn splits(&self, kinds: &[Kind]) -> Vec<(Question, Counts)> {
        self.counted(of_kinds(kinds)).collect()
    }

    /// Up to `most` of these, all equally likely.
    pub fn some_splits(&self, kinds: &[Kind], most: usize, chance: &mut Chance) -> Vec<(Question, Counts)> {
        let mut splits: Vec<&Split> = of_kinds(kinds).collect();
        chance.shuffle(&mut splits);
        self.counted(splits.into_iter()).take(most).collect()
    }

    fn counted(&self, splits: impl Iterator<Item = &'static Split>) -> impl Iterator<Item = (Question, Counts)> {
        let all = self.len() as u32;
        let counted = splits.map(move |split| (split.question, self.counts(split, all)));
        counted.filter(move |(_, counts)| !counts.contains(&all))
    }

    /// The counts of the answers, `all` being the number of the codes.
    fn counts(&self, split: &Split, all: u32) -> Counts {
        if all == index().codes.len() as u32 {
            return split.counts;
        }
        let mut counts = [0; ANSWERS];
        let mut rest = all;
        let others = split.answers.len() - 1;
        for (count, codes) in counts.iter_mut().zip(&split.answers[..others]) {
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
        assert_eq!(index().splits.len(), 19 + 6 + 7 + 42);
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
                for (question, counts) in bits.splits(kinds) {
                    assert!(bits.are_split_by(question));
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
