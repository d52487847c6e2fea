//! The candidate codes that fit a list of answers, as a bit set over all 465,120 legal codes.
//!
//! For each question and answer, an index holds the set of codes that give the answer. Applying an answer is then one `and`, and counting
//! codes is a population count. The index is built once and shared by all matches.

use std::sync::{LazyLock, OnceLock};

use super::code::{Code, Line};
use super::question::{Kind, Question};
use crate::chance::Chance;

/// Number of possible answers to a question: a line has zero to six filled places.
pub const ANSWERS: usize = 7;

/// Total weight of the codes that give each answer to a question; with equal weights, their number.
pub type Counts = [u32; ANSWERS];

/// Number of codes, a fifth of all. A line's count of filled places is rare if fewer codes share it.
const RARE_CODES: u32 = 93_024;

/// All legal codes, with the questions that split them.
struct Index {
    /// All legal codes, sorted by their number of rare counts, so that the codes in a word mostly have equal weights.
    codes: Vec<Code>,
    splits: Vec<Split>,
}

/// A question with at least two possible answers.
struct Split {
    question: Question,
    /// For each answer, the codes that give it.
    answers: Vec<Vec<u64>>,
    /// Number of codes that give each answer.
    counts: Counts,
}

fn index() -> &'static Index {
    static INDEX: OnceLock<Index> = OnceLock::new();
    INDEX.get_or_init(|| {
        let mut codes: Vec<Code> = Code::all().collect();
        codes.sort_by_cached_key(|code| rare_counts(*code));
        let splits = Question::all().map(|question| Split::new(question, &codes));
        let splits = splits.filter(|split| split.answers.len() > 1).collect();
        Index { codes, splits }
    })
}

/// Returns the number of lines of a code whose count of filled places is rare.
fn rare_counts(code: Code) -> usize {
    static LINES: LazyLock<Vec<(Question, Counts)>> = LazyLock::new(|| {
        let mut lines: Vec<_> = Line::all()
            .into_iter()
            .map(|line| (Question::Line(line), [0; ANSWERS]))
            .collect();
        for code in Code::all() {
            lines
                .iter_mut()
                .for_each(|(line, counts)| counts[usize::from(line.answer(code))] += 1);
        }
        lines
    });
    LINES
        .iter()
        .filter(|(line, counts)| counts[usize::from(line.answer(code))] < RARE_CODES)
        .count()
}

/// Returns the split of all codes by a question; `None` if all codes give the same answer.
fn split(question: Question) -> Option<&'static Split> {
    index()
        .splits
        .iter()
        .find(|split| split.question == question)
}

fn of_kinds(kinds: &[Kind]) -> impl Iterator<Item = &'static Split> {
    index()
        .splits
        .iter()
        .filter(|split| kinds.contains(&split.question.kind()))
}

/// Returns the index of a code in the list of all codes.
fn place(code: Code) -> Option<usize> {
    let key = |code: Code| (rare_counts(code), code);
    index()
        .codes
        .binary_search_by_key(&key(code), |listed| key(*listed))
        .ok()
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
        Self {
            question,
            answers,
            counts,
        }
    }
}

/// A weighted set of codes.
#[derive(Clone, Debug)]
pub struct Candidates {
    words: Vec<Word>,
}

/// Codes of equal weight, as the nonzero bits of one word of the index.
#[derive(Clone, Copy, Debug)]
struct Word {
    at: usize,
    bits: u64,
    weight: u32,
}

impl Word {
    fn codes(self) -> impl Iterator<Item = Code> {
        let set = (0..64).filter(move |bit| self.bits >> bit & 1 == 1);
        set.map(move |bit| index().codes[self.at * 64 + bit])
    }
}

impl Candidates {
    /// Returns all legal codes with equal weights.
    pub fn all() -> &'static Self {
        static ALL: LazyLock<Candidates> = LazyLock::new(|| Candidates::weighted(|_| 1));
        &ALL
    }

    /// Returns all legal codes with these weights.
    pub fn weighted(weight: impl Fn(Code) -> u32) -> Self {
        let mut words: Vec<Word> = Vec::new();
        for (place, code) in index().codes.iter().enumerate() {
            let at = place / 64;
            let bits = 1 << (place % 64);
            let weight = weight(*code);
            let mut same = words.iter_mut().rev().take_while(|word| word.at == at);
            match same.find(|word| word.weight == weight) {
                Some(word) => word.bits |= bits,
                None => words.push(Word { at, bits, weight }),
            }
        }
        Self { words }
    }

    /// Returns the number of codes. With unequal weights, returns the total weight divided by the heaviest weight.
    pub fn len(&self) -> usize {
        self.weight().div_ceil(self.heaviest().max(1)) as usize
    }

    /// Returns the total weight.
    pub fn weight(&self) -> u32 {
        self.words
            .iter()
            .map(|word| word.bits.count_ones() * word.weight)
            .sum()
    }

    /// Returns the weight of the heaviest code, or 0 for an empty set.
    pub fn heaviest(&self) -> u32 {
        self.words.iter().map(|word| word.weight).max().unwrap_or(0)
    }

    /// Returns `true` if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Keeps the codes that give this answer.
    pub fn keep(&mut self, question: Question, answer: u8) {
        // All codes give the same answer to a question missing from the index.
        let Some(split) = split(question) else { return };
        let Some(fitting) = split.answers.get(usize::from(answer)) else {
            return self.words.clear();
        };
        self.words.retain_mut(|word| {
            word.bits &= fitting[word.at];
            word.bits != 0
        });
    }

    /// Removes one code.
    pub fn remove(&mut self, code: Code) {
        let Some(place) = place(code) else { return };
        self.words.retain_mut(|word| {
            if word.at == place / 64 {
                word.bits &= !(1 << (place % 64));
            }
            word.bits != 0
        });
    }

    /// Returns one of the heaviest codes, uniformly distributed.
    ///
    /// # Panics
    /// If the set is empty.
    pub fn pick(&self, chance: &mut Chance) -> Code {
        let heaviest = self.heaviest();
        let heaviest_words = || self.words.iter().filter(|word| word.weight == heaviest);
        let nth = chance.below(heaviest_words().map(|word| word.bits.count_ones()).sum()) as usize;
        heaviest_words()
            .flat_map(|word| word.codes())
            .nth(nth)
            .expect("the drawn code is there")
    }

    /// Returns the total weight of the codes with each answer; `None` if all legal codes give the same answer.
    pub fn answers(&self, question: Question) -> Option<Counts> {
        split(question).map(|split| self.counts(split, self.weight()))
    }

    /// Returns `true` if the question has at least two possible answers in this set.
    pub fn are_split_by(&self, question: Question) -> bool {
        self.answers(question)
            .is_some_and(|counts| !counts.contains(&self.weight()))
    }

    /// Returns the weight of a code; `None` if it is not in the set.
    pub fn weight_of(&self, code: Code) -> Option<u32> {
        let place = place(code)?;
        let word = self
            .words
            .iter()
            .find(|word| word.at == place / 64 && word.bits >> (place % 64) & 1 == 1);
        word.map(|word| word.weight)
    }

    /// Returns the number of codes, regardless of their weights.
    pub fn count(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.bits.count_ones() as usize)
            .sum()
    }

    /// Returns the codes with their weights, heaviest first.
    pub fn heaviest_first(&self) -> impl Iterator<Item = (Code, u32)> {
        let mut weights: Vec<u32> = self.words.iter().map(|word| word.weight).collect();
        weights.sort_unstable();
        weights.dedup();
        let of = |weight| self.words.iter().filter(move |word| word.weight == weight);
        weights
            .into_iter()
            .rev()
            .flat_map(of)
            .flat_map(|word| word.codes().map(|code| (code, word.weight)))
    }

    /// Returns the questions of these kinds that split the set, each with the weights of its answers.
    pub fn splits(&self, kinds: &[Kind]) -> Vec<(Question, Counts)> {
        self.counted(of_kinds(kinds)).collect()
    }

    /// Like [`Self::splits`], but returns at most `most` questions, chosen uniformly.
    pub fn some_splits(
        &self,
        kinds: &[Kind],
        most: usize,
        chance: &mut Chance,
    ) -> Vec<(Question, Counts)> {
        let mut splits: Vec<&Split> = of_kinds(kinds).collect();
        chance.shuffle(&mut splits);
        self.counted(splits.into_iter()).take(most).collect()
    }

    fn counted(
        &self,
        splits: impl Iterator<Item = &'static Split>,
    ) -> impl Iterator<Item = (Question, Counts)> {
        let all = self.weight();
        let counted = splits.map(move |split| (split.question, self.counts(split, all)));
        counted.filter(move |(_, counts)| !counts.contains(&all))
    }

    /// Returns the weights of the answers, given the total weight `all`.
    fn counts(&self, split: &Split, all: u32) -> Counts {
        if self.words.len() == index().codes.len().div_ceil(64) && all == index().codes.len() as u32
        {
            return split.counts;
        }
        let mut counts = [0; ANSWERS];
        let mut rest = all;
        let others = split.answers.len() - 1;
        for (count, codes) in counts.iter_mut().zip(&split.answers[..others]) {
            *count = self
                .words
                .iter()
                .map(|word| (word.bits & codes[word.at]).count_ones() * word.weight)
                .sum();
            rest -= *count;
        }
        counts[others] = rest;
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Seed;

    #[test]
    fn bits_agree_with_asking_every_code() {
        let mut chance = Seed::try_from(1).unwrap().stream("codes", 0);
        let questions: Vec<Question> = Question::all().collect();
        assert_eq!(index().splits.len(), 19 + 6 + 7 + 42);
        for _ in 0..3 {
            let secret = Code::random(&mut chance);
            let mut bits = Candidates::all().clone();
            let mut list = index().codes.clone();
            for _ in 0..8 {
                let question = *chance.pick(&questions);
                bits.keep(question, question.answer(secret));
                list.retain(|code| question.answer(*code) == question.answer(secret));
                assert!(bits.heaviest_first().eq(list.iter().map(|code| (*code, 1))));
                assert_eq!(bits.len(), list.len());
                let kinds: &[Kind] = if list.len() < 50_000 { &Kind::ALL } else { &[] };
                for (question, counts) in bits.splits(kinds) {
                    assert!(bits.are_split_by(question));
                    let count = |answer| {
                        list.iter()
                            .filter(|code| question.answer(**code) == answer)
                            .count() as u32
                    };
                    assert_eq!(counts, std::array::from_fn(|answer| count(answer as u8)));
                }
            }
            assert!(list.contains(&bits.pick(&mut chance)) && bits.weight_of(secret).is_some());
            bits.remove(secret);
            assert!(
                !bits.heaviest_first().any(|(code, _)| code == secret)
                    && bits.weight_of(secret).is_none()
            );
            assert_eq!(bits.len() + 1, list.len());
        }
    }
}
