//! `arena analyse`: what the decisions of bots were worth, by a judge that knows what their seats knew.

mod report;

use std::process::ExitCode;

use anyhow::Context;
use arena_bots::decision::Judged;
use arena_bots::judge::{self, Judge};
use arena_ledger::ledger::Ledger;
use arena_results::{json, profile, text};
use arena_runner::status::status;
use arena_tournament::played::Played;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

pub use self::report::Analysed;
use super::{finished, print, wrong_use};
use crate::cli::Analyse;
use crate::terminal;
use arena_session::judgements::Kept;

/// Matches that are judged, and kept, before the progress is shown.
const AT_ONCE: usize = 64;

/// Prints what decisions were worth.
pub fn run(args: &Analyse) -> anyhow::Result<ExitCode> {
    let ledger = Ledger::open_read_only(&args.dir)?;
    if args.profile {
        let profiles = profile::of(&ledger)?;
        return print(&if args.json {
            json::document(&profiles)?
        } else {
            text::profile(&profiles, terminal::width())
        });
    }
    let (spec, dir) = (ledger.spec(), args.dir.display());
    let Some(judge) = judge::of(&spec.plan.game) else {
        let game = &spec.plan.game;
        return wrong_use(format!(
            "{game} has no judge; `arena show {dir} MATCH --known` shows what each seat could know by counting"
        ));
    };
    let bot = args
        .bot
        .as_ref()
        .map(|name| spec.bots.iter().position(|bot| bot.name == *name));
    if let (Some(None), Some(name)) = (bot, &args.bot) {
        return wrong_use(format!("there is no bot {name} in {dir}"));
    }
    let kept = Kept::read(&args.dir, judge);
    let pool = ThreadPoolBuilder::new()
        .num_threads(args.jobs.unwrap_or(0))
        .build()?;
    let mut analysed = Analysed::new(&judge, args.match_id.is_some());
    let mut take = |chunk: &[Played]| -> anyhow::Result<()> {
        for some in chunk.chunks(AT_ONCE) {
            let judged = pool.install(|| judge_all(&judge, &kept, some))?;
            some.iter()
                .zip(judged)
                .for_each(|(played, judged)| analysed.add(played, judged, args.bot.as_deref()));
        }
        Ok(())
    };
    match &args.match_id {
        Some(id) => take(&[finished(&ledger, &args.dir, id)?])?,
        None => {
            let of_bot = |bots: &[usize]| bot.flatten().is_none_or(|bot| bots.contains(&bot));
            ledger.each_chunk(|scored| of_bot(&scored.bots), take)?;
        }
    }
    analysed.finish(&ledger, &judge)?;
    print(&if args.json {
        json::document(&analysed)?
    } else {
        analysed.in_words(terminal::width())
    })
}

/// The judgements of these matches, kept or new.
fn judge_all(judge: &Judge, kept: &Kept, matches: &[Played]) -> anyhow::Result<Vec<Judged>> {
    let is_new: Vec<&Played> = matches
        .iter()
        .filter(|played| kept.get(played).is_none())
        .collect();
    let judged = |played: &&&Played| {
        judge
            .judge(played.record.as_str())
            .with_context(|| format!("match {}", played.id()))
    };
    let new: Vec<Judged> = is_new
        .par_iter()
        .map(|played| judged(&played))
        .collect::<anyhow::Result<_>>()?;
    let new: Vec<(&Played, Judged)> = is_new.into_iter().zip(new).collect();
    if let Some((last, _)) = new.last() {
        kept.add(&new)?;
        status(format_args!(
            "judged     {} new, to {}",
            new.len(),
            last.id()
        ));
    }
    let mut new = new.into_iter().map(|(_, judged)| judged);
    Ok(matches
        .iter()
        .filter_map(|played| kept.get(played).cloned().or_else(|| new.next()))
        .collect())
}
