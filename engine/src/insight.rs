//! Computes what each seat of a recorded match knew at each decision, and what it learned from the decision.

use crate::deduction::{Deduction, Learned};
use crate::game::Game;
use crate::record::{RecordOf, Replied, Reply};
use crate::replay::{BadRecord, table};
use crate::seat::Seat;

/// A decision, with the exact knowledge of the deciding seat.
pub struct Insight<Action> {
    /// Index of the reply in the record.
    pub turn: usize,
    /// The deciding seat.
    pub seat: Seat,
    /// The action of the seat; `None` after a timeout or a failure.
    pub action: Option<Action>,
    /// Number of hidden worlds that are consistent with the seat's events; see [`Deduction::worlds`].
    pub worlds: Option<f64>,
    /// Probability that the action is a right guess; `None` if it is not a guess.
    pub chance: Option<f64>,
    /// The likeliest guesses with their probabilities.
    pub likeliest: Vec<(Action, f64)>,
    /// Information gained before any other seat acted.
    pub learned: Option<Learned>,
}

/// Returns the decisions of a match, each with up to `most` guesses. The list is empty if the game does not support exact knowledge.
pub fn insights<G: Game>(
    record: &RecordOf<G>,
    most: usize,
) -> Result<Vec<Insight<G::Action>>, BadRecord> {
    let mut table = table::<G>(record)?;
    let seats = Seat::all(record.seats);
    let deductions = seats
        .into_iter()
        .map(|seat| G::deduction(&record.rules, record.seats, seat));
    let Some(mut deductions) = deductions.collect::<Option<Vec<_>>>() else {
        return Ok(Vec::new());
    };
    let mut insights: Vec<Insight<G::Action>> = Vec::new();
    let mut decided = 0;
    loop {
        for seat in seats {
            let (known, events) = (&mut deductions[seat.index()], table.new_events(seat));
            let insight = insights[decided..]
                .iter_mut()
                .find(|insight| insight.seat == seat);
            take_in::<G>(known.as_mut(), events, insight);
        }
        if table.is_over() {
            return Ok(insights);
        }
        decided = insights.len();
        let replies = record
            .replies
            .get(decided..decided + table.to_act().len())
            .ok_or_else(BadRecord::unfinished)?;
        for (turn, reply) in (decided..).zip(replies) {
            insights.push(insight::<G>(
                deductions[reply.0.index()].as_mut(),
                turn,
                reply,
                most,
            ));
        }
        for (index, Replied(seat, reply)) in (decided..).zip(replies) {
            table
                .reply(*seat, reply.clone())
                .map_err(|error| BadRecord::reply(index, error))?;
        }
    }
}

/// Processes events. The first answer among them is attributed to the preceding decision.
fn take_in<G: Game>(
    known: &mut dyn Deduction<G::Event, G::Action>,
    events: impl Iterator<Item = G::Event>,
    mut insight: Option<&mut Insight<G::Action>>,
) {
    for event in events {
        if let Some(insight) = insight.as_mut().filter(|insight| insight.learned.is_none()) {
            insight.learned = known.learned(&event);
        }
        known.see(&event);
    }
}

fn insight<G: Game>(
    known: &mut dyn Deduction<G::Event, G::Action>,
    turn: usize,
    Replied(seat, reply): &Replied<G::Action>,
    most: usize,
) -> Insight<G::Action> {
    let action = match reply {
        Reply::Act(action) => Some(action.clone()),
        Reply::Late | Reply::Failed(_) => None,
    };
    let chance = action.as_ref().and_then(|action| known.chance(action));
    Insight {
        turn,
        seat: *seat,
        action,
        worlds: known.worlds(),
        chance,
        likeliest: known.guesses(most),
        learned: None,
    }
}
