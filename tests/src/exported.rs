//! An exported match as the referees read it, and what they found held against its outcome.

use serde_json::{Value, json};

/// An exported match.
#[derive(Clone, Copy)]
pub struct Exported<'a>(pub &'a Value);

impl<'a> Exported<'a> {
    /// The number of seats.
    pub fn seats(self) -> usize {
        self.0["seats"].as_array().unwrap().len()
    }

    /// The value of a rule.
    pub fn rule(self, name: &str) -> &'a Value {
        &self.0["rules"][name]
    }

    /// The value of a rule that is a number.
    pub fn number(self, rule: &str) -> usize {
        self.rule(rule).as_u64().unwrap() as usize
    }

    /// The events, first to last.
    pub fn events(self) -> impl Iterator<Item = Event<'a>> {
        let event = |event: &'a Value| {
            let (kind, body) = event.as_object().unwrap().iter().next().unwrap();
            Event { kind, body }
        };
        self.0["events"].as_array().unwrap().iter().map(event)
    }
}

/// One thing that happened.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// Its kind.
    pub kind: &'a str,
    /// The rest of it.
    pub body: &'a Value,
}

impl<'a> Event<'a> {
    /// The seat it happened to.
    pub fn seat(self) -> usize {
        self.number("seat")
    }

    /// The seat under another key, unless there is null.
    pub fn seat_or_null(self, key: &str) -> Option<usize> {
        assert!(
            self.body[key].is_u64() || self.body[key].is_null(),
            "{self:?}"
        );
        self.body[key].as_u64().map(|seat| seat as usize)
    }

    /// A number.
    pub fn number(self, key: &str) -> usize {
        self.body[key].as_u64().unwrap() as usize
    }

    /// A text.
    pub fn text(self, key: &str) -> &'a str {
        self.body[key].as_str().unwrap()
    }

    /// A yes or no.
    pub fn flag(self, key: &str) -> bool {
        self.body[key].as_bool().unwrap()
    }
}

/// The findings of a referee.
pub struct Found<'a> {
    /// The sources of points: name, worth, and how often each seat has got it.
    pub sources: &'a [(&'a str, i64, Vec<i64>)],
    /// The moment at which a seat forfeited; a later one is better, equal ones are equal.
    pub forfeited: &'a [Option<usize>],
}

impl Found<'_> {
    /// Holds what was found against the outcome; returns the points of each seat.
    pub fn compare(&self, exported: Exported<'_>) -> Vec<i64> {
        let total = |seat: usize| {
            self.sources
                .iter()
                .map(|(_, worth, counts)| worth * counts[seat])
                .sum()
        };
        let points: Vec<i64> = (0..exported.seats()).map(total).collect();
        let rank = |seat: usize| match self.forfeited[seat] {
            None => (0, -points[seat]),
            Some(moment) => (1, -(moment as i64)),
        };
        let score = |seat: usize| {
            let place = 1
                + (0..points.len())
                    .filter(|other| rank(*other) < rank(seat))
                    .count();
            let counts = self
                .sources
                .iter()
                .map(|(name, _, counts)| ((*name).to_owned(), json!(counts[seat])));
            json!({"place": place, "points": points[seat], "breakdown": Value::from_iter(counts)})
        };
        let scores: Vec<Value> = (0..points.len()).map(score).collect();
        let left = self
            .forfeited
            .iter()
            .filter(|moment| moment.is_none())
            .count();
        let ended = if left < 2 { "forfeit" } else { "played" };
        assert_eq!(
            exported.0["outcome"],
            json!({"seats": scores, "ended": ended})
        );
        let out: Vec<usize> = (0..points.len())
            .filter(|seat| self.forfeited[*seat].is_some())
            .collect();
        let faults = exported.0["faults"]
            .as_array()
            .unwrap()
            .iter()
            .map(|fault| fault["seat"].clone());
        assert_eq!(json!(out), Value::from_iter(faults));
        points
    }
}
