//! Profiles of bots: statistics over all their decisions in a tournament.

use arena_engine::insight::Insight;
use arena_engine::seat::Seat;
use arena_engine::table::{Entry, Json};
use arena_ledger::ledger::Ledger;
use arena_ledger::replay::game;
use arena_statistics::profile::{Counted, Profiles};
use arena_tournament::played::Played;

use crate::export::decisions::target;
use crate::export::{ExportError, Replayed, each};

/// Computes the profiles of all bots.
///
/// # Errors
/// Returns an error if the ledger cannot be read, or if a match does not end as its record says.
pub fn profiles(ledger: &Ledger) -> Result<Profiles, ExportError> {
    let names = ledger.spec().names();
    let game = game(ledger.spec())?;
    let counted = |played: &Played| {
        let forfeited = played.verdict.faults.iter().any(Option::is_some);
        let counted = || counted(game, played, &names);
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

/// Returns the decisions of a match, each with the bot that the decision is about. At a table of two, this is always the other bot.
fn counted(
    game: &'static Entry,
    played: &Played,
    names: &[String],
) -> Result<Vec<Counted>, ExportError> {
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
                   }: Insight<Json>| {
        let other = (played.bots.len() == 2).then(|| Seat(1 - seat.0));
        let about = action
            .as_ref()
            .and_then(|action| target(game, action))
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
    Ok(Replayed::new(game, played)?
        .insights(0)?
        .into_iter()
        .filter_map(counted)
        .collect())
}
