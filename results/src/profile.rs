//! Profiles of bots: every decision of a tournament, counted.

use arena_engine::by_name;
use arena_engine::game::Game;
use arena_engine::insight::Insight;
use arena_engine::seat::Seat;
use arena_ledger::ledger::Ledger;
use arena_statistics::profile::{Counted, Profiles};
use arena_tournament::played::Played;

use crate::export::decisions::target;
use crate::export::{ExportError, Replayed, each, unknown};

/// The profiles of all bots.
///
/// # Errors
/// If the ledger cannot be read, or a match does not end as its record says.
pub fn of(ledger: &Ledger) -> Result<Profiles, ExportError> {
    let (game, names) = (&ledger.spec().plan.game, ledger.spec().names());
    let counted = |played: &Played| {
        let forfeited = played.verdict.faults.iter().any(Option::is_some);
        let counted = || {
            by_name!(game, G => counted::<G>(played, &names)).unwrap_or_else(|| Err(unknown(game)))
        };
        Ok((
            played.deal,
            played.voids.len(),
            if forfeited { None } else { Some(counted()?) },
        ))
    };
    let mut profiles = Profiles::new(&names);
    each(ledger, &counted, &mut |(deal, voids, decisions)| {
        profiles.add(deal, voids as u64, decisions.as_deref());
        Ok(())
    })?;
    Ok(profiles.finish())
}

/// The decisions of a match. At a table of two, all are about the other.
fn counted<G: Game>(played: &Played, names: &[String]) -> Result<Vec<Counted>, ExportError> {
    let bot = |seat: Seat| {
        names
            .iter()
            .position(|name| *name == played.bots[seat.index()])
    };
    let counted = |Insight {
                       seat,
                       action,
                       chance,
                       learned,
                       ..
                   }: Insight<G>| {
        let other = (played.bots.len() == 2).then(|| Seat(1 - seat.0));
        let about = action
            .as_ref()
            .and_then(target::<G>)
            .or(other)
            .and_then(bot);
        Some(Counted {
            bot: bot(seat)?,
            about,
            chance,
            learned,
            late: action.is_none(),
        })
    };
    Ok(Replayed::of(played)?
        .insights(0)?
        .into_iter()
        .filter_map(counted)
        .collect())
}
