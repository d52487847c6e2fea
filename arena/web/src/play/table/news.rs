//! News of a table, for the pages of seats and spectators.

use arena_engine::seat::Seat;
use arena_runner::lock;
use arena_runner::short_hash::short_hash;
use serde_json::{Value, json};

use super::super::super::answer::After;
use super::{MAX_MOMENTS, Moment, OpenQuestion, State, Table};

impl Table {
    /// Returns the news for the page of a seat or of a spectator, in the format of its script. `after` identifies the last news that the
    /// page has. `None` if nothing is new, or there is nothing to show yet.
    pub fn news(&self, seat: Option<Seat>, after: &After, browser: &str) -> Option<Value> {
        let person = seat.map(|seat| self.person(seat));
        let (seen, browsers) = person
            .map_or((&self.public.seen, &self.public.browsers), |person| {
                (&person.seen, &person.browsers)
            });
        browsers.note(browser);
        let (away, waiting) = (self.away(), self.waiting(seat));
        let (seen, state) = (lock(seen), self.state());
        let watching = self.public.browsers.count();
        let is_elsewhere = seat.is_some() && browsers.count() > 1;
        // Ignore the remaining time, which changes all the time.
        let asked: Vec<Seat> = waiting.iter().map(|(seat, _)| *seat).collect();
        let shown = (seen.changes, &away, asked, watching, is_elsewhere);
        let token = After {
            after: short_hash(format!("{shown:?}")),
            events: seen.happened.len(),
            epoch: self.epoch,
        };
        if token == *after || (seen.changes == 0 && seat.is_some()) {
            return None;
        }
        let is_of_now = after.epoch == self.epoch;
        let from = if is_of_now { after.events } else { 0 };
        Some(json!({
            "token": token,
            "from": from,
            "away": away,
            "watching": watching,
            "elsewhere": is_elsewhere,
            "rematch": self.next_address(seat),
            "waiting": waiting,
            "happened": seen.happened.get(from..).unwrap_or_default(),
            "view": seen.view,
            "question": seen.question.as_ref().map(OpenQuestion::shown),
            "ending": seen.ending,
            "kept": matches!(state, State::Kept { .. }),
            "moments": if let (State::Kept { moments: Some(all), .. }, Some(seat)) = (&state, seat) { Some(of_seat(all, seat)) } else { None },
            "failure": if let State::Failed(why) = state { Some(why) } else { None },
        }))
    }
}

/// Returns the first mistakes of a seat.
fn of_seat(moments: &[Moment], seat: Seat) -> Vec<Value> {
    let own = moments.iter().filter(|moment| moment.seat == seat);
    own.take(MAX_MOMENTS)
        .map(|Moment { turn, words, .. }| json!({"turn": turn, "words": words}))
        .collect()
}
