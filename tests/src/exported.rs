//! Reads an exported match for the referees, and compares their findings with its outcome.

use serde_json::{Value, json};

/// JSON of an exported match.
#[derive(Clone, Copy)]
pub struct Exported<'a>(pub &'a Value);

impl<'a> Exported<'a> {
    /// Returns the number of seats.
    pub fn seats(self) -> usize {
        self.0["seats"].as_array().unwrap().len()
    }

    /// Returns the value of a rule.
    pub fn rule(self, name: &str) -> &'a Value {
        &self.0["rules"][name]
    }

    /// Returns the value of a numeric rule.
    pub fn number(self, rule: &str) -> usize {
        self.rule(rule).as_u64().unwrap() as usize
    }

    /// Returns the events, first to last.
    pub fn events(self) -> impl Iterator<Item = Event<'a>> {
        let event = |event: &'a Value| {
            let (kind, body) = event.as_object().unwrap().iter().next().unwrap();
            Event { kind, body }
        };
        self.0["events"].as_array().unwrap().iter().map(event)
    }
}

/// An event of an exported match.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// Name of the event.
    pub kind: &'a str,
    /// Fields of the event.
    pub body: &'a Value,
}

impl<'a> Event<'a> {
    /// Returns the seat that the event is about.
    pub fn seat(self) -> usize {
        self.number("seat")
    }

    /// Returns the seat in another field, which may be null.
    pub fn seat_or_null(self, key: &str) -> Option<usize> {
        assert!(
            self.body[key].is_u64() || self.body[key].is_null(),
            "{self:?}"
        );
        self.body[key].as_u64().map(|seat| seat as usize)
    }

    /// Returns a numeric field.
    pub fn number(self, key: &str) -> usize {
        self.body[key].as_u64().unwrap() as usize
    }

    /// Returns a text field.
    pub fn text(self, key: &str) -> &'a str {
        self.body[key].as_str().unwrap()
    }

    /// Returns a boolean field.
    pub fn flag(self, key: &str) -> bool {
        self.body[key].as_bool().unwrap()
    }
}

/// A referee's findings.
pub struct Found<'a> {
    /// Sources of points: name, points for each, and the count of each seat.
    pub sources: &'a [(&'a str, i64, Vec<i64>)],
    /// The moment at which each seat forfeited, if it did. Later is better, and equal moments tie.
    pub forfeited: &'a [Option<usize>],
}

impl Found<'_> {
    /// Asserts that the outcome agrees with the findings, and returns the points of each seat.
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
