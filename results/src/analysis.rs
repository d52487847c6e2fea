//! Everything that a tournament's matches tell: standings, ratings, pairs, forfeits, and what to beware of.

use serde::{Deserialize, Serialize};

use crate::ledger::{Ledger, LedgerError};
use crate::live::{Live, LivePair};
use crate::rating::{Collector, Ratings, collector};
use crate::scored::Scored;
use crate::standings::{MOST_FAULTS, Standings, Tally};
use crate::stats::forfeits::{BotForfeits, ForfeitShares};
use crate::stats::identical::{Identical, Transcripts};
use crate::stats::pair::Pair;
use crate::stats::pairwise::Pairwise;

/// The mark by which a kept analysis differs from those of other versions of this program.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "/3");
/// From how many matches on fewer resamples are taken where nothing is kept, as while a tournament runs.
const MANY: u64 = 200_000;
/// How many.
const FEWER: usize = 200;

/// Everything that a tournament's matches tell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// The official standings.
    pub standings: Standings,
    /// How strong the bots are, by a model.
    pub ratings: Ratings,
    /// Every two bots against each other, by their indices in [`Analysis::bots`].
    pub pairs: Vec<Pair>,
    /// How often each bot forfeited, and why.
    pub forfeits: Vec<BotForfeits>,
    /// While the tournament runs: every two bots, by intervals that hold however often one looks.
    pub live: Vec<LivePair>,
    /// Bots whose matches went alike, so that they tell less than their number says.
    pub identical: Vec<Identical>,
    /// The names of the bots, in order of the tournament file; pairs and forfeits speak of them by index.
    pub bots: Vec<String>,
}

/// An analysis that is kept in the ledger.
#[derive(Serialize, Deserialize)]
struct Kept {
    version: String,
    matches: u64,
    tournament: u32,
    analysis: Analysis,
}

impl Analysis {
    /// By the matches in the ledger. What was kept of them is used, if nothing has come since.
    pub fn of(ledger: &Ledger) -> Result<Self, LedgerError> {
        let matches = ledger.count()?;
        if let Some(kept) = kept(ledger, matches)? {
            return Ok(kept);
        }
        Self::with(ledger, if matches > MANY { FEWER } else { collector::RESAMPLES })
    }

    /// The same, and keeps it.
    pub fn kept_of(ledger: &mut Ledger) -> Result<Self, LedgerError> {
        let matches = ledger.count()?;
        if let Some(kept) = kept(ledger, matches)? {
            return Ok(kept);
        }
        let analysis = Self::with(ledger, collector::RESAMPLES)?;
        let (version, tournament) = (VERSION.to_owned(), ledger.fingerprint());
        let kept = Kept { version, matches, tournament, analysis };
        // Only a type that cannot be written would fail.
        ledger.keep_analysis(&postcard::to_allocvec(&kept).expect("an analysis is numbers, texts and lists"))?;
        Ok(kept.analysis)
    }

    /// By the matches in the ledger, with so many resamples for the intervals of ratings.
    pub fn with(ledger: &Ledger, resamples: usize) -> Result<Self, LedgerError> {
        let tournament = ledger.spec();
        let bots = tournament.bots.len();
        let mut tally = Tally::new(tournament);
        let mut ratings = Collector::new(tournament);
        let mut pairs = Pairwise::new(bots, tournament.plan.seats, tournament.field().orders() as u32);
        let mut forfeits = ForfeitShares::new(bots);
        let mut transcripts = Transcripts::default();
        let mut failed = Vec::new();
        let mut live = (ledger.count()? < tournament.matches()).then(|| Live::new(tournament));
        ledger.scores(|scored: Scored| {
            live.iter_mut().for_each(|live| live.add(&scored));
            tally.add(&scored);
            ratings.add(&scored);
            pairs.add(&scored);
            forfeits.add(&scored);
            transcripts.add(scored.deal, &scored.bots, scored.transcript.into());
            if failed.len() < MOST_FAULTS && scored.seats.iter().any(|seat| seat.fault.is_some()) {
                failed.push((scored.deal, scored.bots));
            }
            Ok::<_, LedgerError>(())
        })?;
        for (deal, bots) in failed {
            ledger.get(deal, &bots)?.iter().for_each(|played| tally.list_faults(played));
        }
        Ok(Self {
            standings: tally.standings(),
            ratings: ratings.ratings(tournament.plan.seed, resamples),
            pairs: pairs.table(),
            forfeits: forfeits.table(),
            live: live.map(Live::pairs).unwrap_or_default(),
            identical: transcripts.warnings(),
            bots: tournament.bots.iter().map(|bot| bot.name.clone()).collect(),
        })
    }
}

/// The kept analysis, if it is of these matches and of this program. Whatever else is there is as good as nothing.
fn kept(ledger: &Ledger, matches: u64) -> Result<Option<Analysis>, LedgerError> {
    let Some(bytes) = ledger.kept_analysis()? else { return Ok(None) };
    let kept = postcard::from_bytes::<Kept>(&bytes).ok();
    let fits =
        |kept: &Kept| kept.version == VERSION && kept.matches == matches && kept.tournament == ledger.fingerprint();
    Ok(kept.filter(fits).map(|kept| kept.analysis))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn what_is_kept_is_what_would_be_computed_until_a_match_comes() {
        let folder = tempfile::tempdir().unwrap();
        let (tournament, played) = sample::small();
        let mut ledger = Ledger::create(folder.path(), &tournament).unwrap();
        ledger.append(&played[..3]).unwrap();
        let kept = Analysis::kept_of(&mut ledger).unwrap();
        assert_eq!(kept, Analysis::with(&ledger, collector::RESAMPLES).unwrap());
        assert_eq!(Analysis::of(&ledger).unwrap(), kept);
        assert_eq!(kept.standings.played, 3);
        ledger.append(&played).unwrap();
        assert_eq!(Analysis::of(&ledger).unwrap().standings.played, 4);
    }
}
