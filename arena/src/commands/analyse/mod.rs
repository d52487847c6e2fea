//! `arena analyse`: grades the decisions of bots. The judge knows only what the deciding seat knew.

mod report;

use std::cell::Cell;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use arena_bots::decision::Judged;
use arena_bots::judge::{self, Judge};
use arena_ledger::error::LedgerError;
use arena_ledger::ledger::Ledger;
use arena_results::{json, profile, text};
use arena_runner::status::status;
use arena_tournament::played::Played;
use indicatif::HumanDuration;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;

pub use self::report::Analysed;
use super::{finished, print, wrong_use};
use crate::cli::Analyse;
use crate::terminal;
use arena_session::judgements::JudgementFile;
use arena_session::progress::{Display, ProgressMode};
use arena_session::stopping::{self, INTERRUPTED};

/// Number of matches per thread that are judged before they are saved.
const PER_THREAD: usize = 4;
/// Time after which judging stops and the report is printed, unless a number of matches is requested.
const JUDGING_TIME: Duration = Duration::from_secs(30);
/// Message after the first Ctrl-C.
const STOPPING: &str =
    "stopping: the report of what is judged so far follows; press Ctrl-C again to stop at once";
/// Template of the progress bar.
const BAR_TEMPLATE: &str = "{bar:16} {human_pos}/{human_len} matches judged{msg}";

/// Judges the decisions of a tournament or match, and prints the report.
pub fn run(args: &Analyse) -> anyhow::Result<ExitCode> {
    let ledger = Ledger::open_read_only(&args.dir)?;
    if args.profile {
        let profiles = profile::profiles(&ledger)?;
        return print(&if args.json {
            json::document(&profiles)?
        } else {
            text::profile(&profiles, terminal::width())
        });
    }
    let (spec, dir) = (ledger.spec(), args.dir.display());
    let Some(judge) = judge::find(&spec.plan.game) else {
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
        let names = spec.names().join(", ");
        return wrong_use(format!("there is no bot {name} in {dir}, only {names}"));
    }
    let kept = JudgementFile::read(&args.dir, judge);
    let stop = stopping::on_ctrl_c(STOPPING)?;
    let pool = ThreadPoolBuilder::new()
        .num_threads(args.jobs.unwrap_or(0))
        .build()?;
    let is_of_bot = |bots: &[usize]| bot.flatten().is_none_or(|bot| bots.contains(&bot));
    let mut all = u64::from(args.match_id.is_some());
    if all == 0 {
        ledger.scores(|scored| {
            all += u64::from(is_of_bot(&scored.bots));
            Ok::<(), LedgerError>(())
        })?;
    }
    let wanted = args.matches.map_or(all, |matches| matches.min(all));
    // Take the wanted number of matches at equal distances.
    let seen = Cell::new(0);
    let is_wanted = |bots: &[usize]| {
        let is_of_bot = is_of_bot(bots);
        let taken = || seen.get() * wanted / all.max(1);
        let before = taken();
        seen.set(seen.get() + u64::from(is_of_bot));
        taken() > before
    };
    let limit =
        (args.matches.is_none() && args.match_id.is_none() && !args.json).then_some(JUDGING_TIME);
    let began = Instant::now();
    let is_over = || limit.is_some_and(|limit| began.elapsed() >= limit);
    let mut progress = Progress::new(wanted);
    let mut analysed = Analysed::new(&ledger, &judge, wanted, args.match_id.is_some())?;
    let is_stopped = || stop.is_set() || is_over();
    let mut take = |chunk: &[Played]| -> anyhow::Result<()> {
        for some in chunk.chunks(PER_THREAD * pool.current_num_threads()) {
            let judged =
                pool.install(|| judge_all(&judge, &kept, some, &is_stopped, &mut progress))?;
            some.iter().zip(judged).for_each(|(played, judged)| {
                if let Some(judged) = judged {
                    analysed.add(played, judged, args.bot.as_deref());
                }
            });
        }
        Ok(())
    };
    match &args.match_id {
        Some(id) => take(&[finished(&ledger, &args.dir, id)?])?,
        None => ledger.each_chunk(|scored| !is_stopped() && is_wanted(&scored.bots), take)?,
    }
    progress.finish();
    analysed.finish();
    print(&if args.json {
        json::document(&analysed)?
    } else {
        analysed.in_words(terminal::width())
    })?;
    Ok(if stop.is_set() && analysed.is_partial() {
        ExitCode::from(INTERRUPTED)
    } else {
        ExitCode::SUCCESS
    })
}

/// Progress on standard error. The remaining time is estimated from new judgements only, because cached ones take no time.
struct Progress {
    display: Display,
    wanted: u64,
    done: u64,
    new: AtomicU64,
}

impl Progress {
    fn new(wanted: u64) -> Self {
        Self {
            display: Display::new(ProgressMode::Auto, Some(wanted), BAR_TEMPLATE),
            wanted,
            done: 0,
            new: AtomicU64::new(0),
        }
    }

    /// Counts a match that was just judged, on any thread.
    fn judged(&self) {
        let new = self.new.fetch_add(1, Ordering::Relaxed) + 1;
        self.display.bar.inc(1);
        let left = self.left(self.display.bar.position(), new);
        self.display.bar.set_message(format!(", {left} left"));
    }

    fn left(&self, done: u64, new: u64) -> HumanDuration {
        let left = self.wanted.saturating_sub(done) as f64 / self.display.rate(new).max(1e-9);
        HumanDuration(Duration::from_secs_f64(left.min(1e9)))
    }

    /// Counts matches added to the report, whether judged now or cached.
    fn add(&mut self, matches: u64) {
        self.done += matches;
        self.display.bar.set_position(self.done);
        if self.display.is_line_due() {
            let new = self.new.load(Ordering::Relaxed);
            let left = self.left(self.done, new);
            status(format_args!(
                "judged     {} of {} matches, {left} left",
                self.done, self.wanted
            ));
        }
    }

    fn finish(self) {
        self.display.bar.finish_and_clear();
        let new = self.new.into_inner();
        if new > 0 {
            status(format_args!("judged     {new} new"));
        }
    }
}

/// Returns the judgement of each match, cached or new; `None` if judging was stopped before it.
fn judge_all(
    judge: &Judge,
    kept: &JudgementFile,
    matches: &[Played],
    is_stopped: &(dyn Fn() -> bool + Sync),
    progress: &mut Progress,
) -> anyhow::Result<Vec<Option<Judged>>> {
    let judged: Vec<(Option<Judged>, bool)> = matches
        .par_iter()
        .map(|played| {
            if let Some(judged) = kept.get(played) {
                return Ok((Some(judged.clone()), false));
            }
            if is_stopped() {
                return Ok((None, false));
            }
            let judged = judge
                .judge(played.record.as_str())
                .with_context(|| format!("match {}", played.id()))?;
            progress.judged();
            Ok((Some(judged), true))
        })
        .collect::<anyhow::Result<_>>()?;
    let new: Vec<(&Played, &Judged)> = matches
        .iter()
        .zip(&judged)
        .filter_map(|(played, (judged, is_new))| {
            Some((played, judged.as_ref().filter(|_| *is_new)?))
        })
        .collect();
    kept.add(&new)?;
    let judged: Vec<Option<Judged>> = judged.into_iter().map(|(judged, _)| judged).collect();
    progress.add(judged.iter().flatten().count() as u64);
    Ok(judged)
}
