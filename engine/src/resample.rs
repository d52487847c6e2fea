//! Samples other deals that look the same to a seat: the starting points of searches in games with hidden information.

use std::collections::VecDeque;

use crate::chance::Seed;
use crate::draws::Draws;
use crate::game::{Game, Prompt as _};
use crate::machine::Match;
use crate::record::Reply;
use crate::seat::{BySeat, Seat};

/// Maximum number of attempts. One attempt usually suffices; more are needed if few deals are consistent with the events.
const MAX_ATTEMPTS: u64 = 100;

/// Re-deals a match at random so that everything the seat has seen stays the same. Everything that the seat does not know, future draws
/// included, is drawn from `seed` and does not depend on the actual match.
///
/// In a simultaneous turn, seats before this one have made an arbitrary legal choice, and seats after it have not chosen yet.
///
/// Returns the draws, and the new match that follows from these draws and the replies. Returns `None` if the seat does not have to act,
/// some seat timed out, or no deal was found.
pub fn resample<G: Game>(table: &Match<G>, seat: Seat, seed: Seed) -> Option<(Draws, Match<G>)> {
    let late = table
        .record()
        .replies
        .iter()
        .any(|replied| replied.1 == Reply::Late);
    if late || !table.to_act().contains(seat) {
        return None;
    }
    let seen: Vec<G::Event> = seen(table, seat).collect();
    (0..MAX_ATTEMPTS).find_map(|attempt| {
        let mut chance = seed.stream("resample", attempt);
        let (rules, seats) = (&table.record().rules, table.record().seats);
        let imagined = G::imagine(rules, seats, seat, &seen, &mut chance)?;
        let draws = Draws::new(seed.child("resample", attempt), imagined.fixed);
        let mut other = again(table, seat, &draws, imagined.hidden)?;
        if !other.to_act().contains(seat) || !self::seen(&other, seat).eq(seen.iter().cloned()) {
            return None;
        }
        for before in other.to_act().into_iter().take_while(|other| *other < seat) {
            let action = other.game().sample(before, &mut chance);
            other.reply(before, Reply::Act(action)).ok()?;
        }
        Some((draws, other))
    })
}

/// Returns all events so far as the seat sees them.
pub fn seen<G: Game>(table: &Match<G>, seat: Seat) -> impl Iterator<Item = G::Event> {
    let events = table.events().iter();
    events.filter_map(move |event| G::shown_to(event, seat))
}

/// Replays a match with other draws. Hidden actions of other seats are replaced; all other replies are kept.
fn again<G: Game>(
    table: &Match<G>,
    seat: Seat,
    draws: &Draws,
    hidden: Vec<(Seat, G::Action)>,
) -> Option<Match<G>> {
    let record = table.record();
    let mut replies = BySeat::new(record.seats, |_| VecDeque::new());
    for replied in &record.replies {
        let conceals = matches!(&replied.1, Reply::Act(action) if G::conceals(action));
        if replied.0 == seat || !conceals {
            replies[replied.0].push_back(&replied.1);
        }
    }
    let mut concealed = BySeat::new(record.seats, |_| VecDeque::new());
    for (seat, action) in hidden {
        concealed[seat].push_back(action);
    }
    let mut other = Match::<G>::new(&record.rules, record.seats, draws.clone()).ok()?;
    loop {
        let mut acted = false;
        for seat in other.to_act() {
            let fits = |action: &mut G::Action| other.game().options(seat).permits(action).is_ok();
            let action = concealed[seat].pop_front_if(fits).map(Reply::Act);
            if let Some(reply) = action.or_else(|| replies[seat].pop_front().cloned()) {
                other.reply(seat, reply).ok()?;
                acted = true;
            }
        }
        if !acted {
            return Some(other);
        }
    }
}
