//! The positions of a match of Coda with a clear best option, judged once more from what a bot is sent of them.

use arena_engine::game::Game;
use arena_engine::games::coda::Coda;
use arena_engine::games::coda::types::Event;
use arena_engine::player::{self, bot_seed};
use arena_engine::record::{RecordOf, Replied};
use arena_engine::replay::{BadRecord, table};
use arena_engine::seat::Seat;
use arena_protocol::message::{Clock, Start, Turn};
use serde_json::to_value;

use super::judge::{AHEAD, SeatJudge};
use crate::decision::{Decision, Judged, Unjudged};
use crate::position::Position;

/// The most of a match: they would depend on each other.
const MOST: usize = 2;

/// Those of a match that was judged: any, each of another kind, in the order of its turns.
pub fn positions(record: &RecordOf<Coda>, judged: &Judged) -> Result<Vec<Position>, Unjudged> {
    let mut promising: Vec<&Decision> = judged
        .decisions
        .iter()
        .filter(|decision| is_promising(decision))
        .collect();
    // Not the clearest: those are easy to find. Attacks are rarer than draws and stops.
    record.seed.stream("positions", 0).shuffle(&mut promising);
    promising.sort_by_key(|decision| decision.options[0].chance.is_none());
    let mut found = Vec::new();
    for Decision { turn, seat, .. } in promising {
        if found.len() < MOST
            && let Some(position) = position(record, *turn, *seat)?
            && found
                .iter()
                .all(|(_, other): &(_, Position)| other.kind != position.kind)
        {
            found.push((*turn, position));
        }
    }
    found.sort_by_key(|(turn, _)| *turn);
    Ok(found.into_iter().map(|(_, position)| position).collect())
}

/// A sure hit or nothing is no question.
fn is_promising(Decision { options, .. }: &Decision) -> bool {
    match &options[..] {
        [best, second] => best.wins - second.wins >= AHEAD && best.chance != Some(1.0),
        [best, second, ..] => best.wins - second.wins >= AHEAD,
        _ => false,
    }
}

/// What the seat is sent at a turn of the match, if its best option is clear.
fn position(
    record: &RecordOf<Coda>,
    turn: usize,
    seat: Seat,
) -> Result<Option<Position>, Unjudged> {
    let mut table = table::<Coda>(record)?;
    for (index, Replied(seat, reply)) in record.replies[..turn].iter().enumerate() {
        table
            .reply(*seat, reply.clone())
            .map_err(|error| BadRecord::reply(index, error))?;
    }
    let (RecordOf::<Coda> { rules, seats, .. }, seed) = (record, bot_seed(record.seed, seat));
    let events: Vec<Event> = table.new_events(seat).collect();
    let (prompt, clock) = (table.prompt(seat), Clock::default());
    // From here on only what the seat is sent counts.
    let mut judge = SeatJudge::new(&player::Start {
        rules,
        seat,
        seats: *seats,
        seed,
        move_ms: None,
    });
    let Some((kind, options)) = judge.rate(&events, &prompt) else {
        return Ok(None);
    };
    let start = Start {
        r#match: 0,
        game: Coda::NAME.into(),
        rules: to_value(rules)?,
        seat,
        seats: *seats,
        seed,
        clock,
    };
    let (view, prompt) = (Some(to_value(judge.view())?), to_value(prompt)?);
    let events = events.iter().map(to_value).collect::<Result<_, _>>()?;
    Ok(Some(Position {
        start,
        turn: Turn {
            id: 0,
            r#match: 0,
            events,
            prompt,
            view,
            clock,
        },
        kind,
        options,
    }))
}
