//! Reads the finished deals of a tournament from its ledger, without changing any file in its folder.

use std::path::Path;

use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;
use arena_tournament::deals::{Deal, Scored};
use arena_tournament::entrant::{Bot, Entrant};
use arena_tournament::spec::Spec;
use sha2::{Digest, Sha256};

use super::lines;
use super::names::Identity;
use super::pool::{Game, Pool, Seat, Source};
use crate::analysis::Analysis;

/// Maximum number of seats for which seat orders can be counted.
const MAX_SEATS: usize = 12;

/// Reads all finished deals of a folder into the pool, with the ranks of its bots if they are requested.
pub fn read(folder: &Path, pool: &mut Pool, with_ranks: bool) -> Result<(), String> {
    let shown = folder.display();
    let failed = |error: LedgerError| match error {
        LedgerError::Damaged(what) => format!("{shown}: the ledger is damaged ({what})"),
        error => format!("{shown}: {error}"),
    };
    let ledger = Ledger::open_untouched(folder).map_err(failed)?;
    let spec = ledger.spec();
    if !(1..=MAX_SEATS).contains(&spec.plan.seats) || spec.bots.is_empty() {
        return Err(format!("{shown}: the ledger is damaged (its description)"));
    }
    let mut bots = Vec::new();
    for bot in &spec.bots {
        bots.push(
            pool.bot(identity(bot))
                .map_err(|why| format!("{shown}: {why}"))?,
        );
    }
    let (series, _) = pool.series(hash(spec, true));
    let source = Source {
        name: spec.name.clone(),
        path: shown.to_string(),
        day: ledger.days().and_then(|days| lines::day(days.last())),
        is_sequential: spec.plan.test.is_some() || !spec.tune.is_empty(),
        scale: Some(hash(spec, false)),
        ranks: if with_ranks {
            ranks(&ledger, &bots).map_err(failed)?
        } else {
            Vec::new()
        },
        series,
    };
    let day = source.day;
    pool.sources.push(source);
    let mut reader = Reader {
        spec,
        series,
        day,
        bots: &bots,
        unfinished: 0,
        pool,
    };
    let mut deals = spec.gather();
    let mut last = (0, Vec::new());
    let taken = ledger.scores(|scored: Scored| {
        let here = (scored.deal, scored.bots.clone());
        // In a forged file, the same rows might come again forever.
        if here <= last {
            let why = format!("the rows of deal {} are out of order", scored.deal);
            return Err(LedgerError::Damaged(why));
        }
        last = here;
        deals.add(scored).map_or(Ok(()), |deal| reader.add(&deal))
    });
    taken.map_err(failed)?;
    while let Some(deal) = deals.end() {
        reader.add(&deal).map_err(failed)?;
    }
    let unfinished = reader.unfinished;
    pool.leave_out("of unfinished deals", unfinished);
    Ok(())
}

struct Reader<'a> {
    spec: &'a Spec,
    series: u32,
    day: Option<u32>,
    bots: &'a [u32],
    unfinished: u64,
    pool: &'a mut Pool,
}

impl Reader<'_> {
    fn add(&mut self, deal: &Deal) -> Result<(), LedgerError> {
        let played = deal.without_walkovers();
        let mut counted = 0;
        for scored in played.counted().flat_map(|(_, matches)| matches) {
            counted += 1;
            let bots: Vec<u32> = scored.bots.iter().map(|bot| self.bots[*bot]).collect();
            let seat = |seat: &arena_tournament::deals::SeatResult| Seat {
                place: seat.place,
                has_failed: seat.fault.is_some(),
                points: seat.points,
            };
            let seats: Vec<Seat> = scored.seats.iter().map(seat).collect();
            let game = Game {
                series: self.series,
                deal: deal.number,
                round: self.spec.round_of(deal.number),
                which: scored.transcript,
                day: self.day,
                bots: &bots,
                seats: &seats,
            };
            self.pool.add(&game).map_err(LedgerError::Damaged)?;
        }
        self.unfinished += (deal.matches.len() - counted) as u64;
        Ok(())
    }
}

/// Returns a hash of everything that determines a tournament's deals. Without the seed, returns a hash of everything that the scale of its
/// points depends on.
fn hash(spec: &Spec, with_seed: bool) -> [u8; 32] {
    let plan = &spec.plan;
    let mut sum = Sha256::new();
    let mut add = |text: &str| {
        sum.update((text.len() as u64).to_le_bytes());
        sum.update(text);
    };
    add(&plan.game);
    add(&plan.rules_version.to_string());
    add(&plan.rules.to_string());
    add(&plan.seats.to_string());
    if with_seed {
        add(&plan.seed.to_string());
    }
    sum.finalize().into()
}

/// Returns the identity of a bot: its name, and the hash of its copy.
fn identity(bot: &Entrant) -> Identity {
    let copy = match (&bot.bot, bot.sources()) {
        (Bot::Builtin(name), _) => format!("builtin:{name}"),
        (_, Some(sources)) => sources.to_owned(),
        (bot, None) => hexadecimal(&bot.to_string()),
    };
    let mut version = copy.clone();
    if let Some(program) = bot.program() {
        // Include the arguments, because the same copy may run with other arguments. Leave out its location, which has no meaning.
        for word in &program.command {
            let name = Path::new(word)
                .file_name()
                .filter(|_| word.starts_with('/'));
            version += &format!(
                "\n{}",
                name.map_or(word.as_str().into(), |name| name.to_string_lossy())
            );
        }
        version += &format!("\n{:?}", program.env);
    }
    Identity {
        name: bot.name.clone(),
        copy: Some(copy),
        version: Some(hexadecimal(&version)),
    }
}

fn hexadecimal(text: &str) -> String {
    Sha256::digest(text)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Returns the rank of each bot in its tournament.
fn ranks(ledger: &Ledger, bots: &[u32]) -> Result<Vec<(u32, usize)>, LedgerError> {
    let analysis = Analysis::from_ledger(ledger)?;
    let rows = analysis
        .standings
        .standings
        .iter()
        .filter(|row| row.matches > 0);
    let rank = |row: &arena_statistics::standings::Standing| {
        let bot = analysis.index(&row.bot)?;
        Some((bots[bot], row.rank))
    };
    Ok(rows.filter_map(rank).collect())
}
