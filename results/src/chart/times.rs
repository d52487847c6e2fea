//! Chart of the time that moves took, for bots in separate processes, by quantiles on a logarithmic scale.

use plotters::data::fitting_range;
use plotters::prelude::{Color, IntoLogRange, RGBColor, Rectangle};

use super::layout::Sheet;
use super::material::Material;
use super::palette::{BLUE, INK, PALE, VERMILION};
use super::rows::{MAX_ROWS, Rows, across, best_of, error_bar, numbered};
use super::{Chart, Labels};
use crate::table::counted;
use arena_statistics::histogram::Histogram;
use arena_tournament::deals::Scored;
use arena_tournament::entrant::{Bot, Entrant};

/// Approximate maximum number of matches read. If there are more, a sample is read.
const MAX_MATCHES: u64 = 20_000;

/// Times of moves by bot, in microseconds, with the number of matches read and in total.
struct MoveTimes {
    bots: Vec<LogHistogram>,
    read: u64,
    all: u64,
}

/// Prepares the chart; `None` without programs.
pub(super) fn chart<'a>(material: &Material<'a>) -> anyhow::Result<Option<Chart<'a>>> {
    let mut times = times(material)?;
    let footnote = footnote(&times);
    let names = &material.analysis.bots;
    let mut timed = Vec::new();
    for bot in material.best_first() {
        if times.bots[bot].bins.count() > 0 {
            timed.push((names[bot].as_str(), std::mem::take(&mut times.bots[bot])));
        }
    }
    let shown = timed.iter().take(MAX_ROWS);
    let Some((slowest, its)) = shown.max_by(|a, b| a.1.median().total_cmp(&b.1.median())) else {
        return Ok(None);
    };
    let spec = material.ledger.spec();
    let is_common = spec.time_odds().is_empty();
    let limit = spec.conditions.clock.move_ms;
    let limit = limit.filter(|limit| *limit > 0 && is_common);
    let limit = limit.map(|limit| limit as f64 * 1e3);
    let labels = Labels {
        name: "times",
        title: "time for a move",
        caption: "How long bots in separate processes took for a move, on a logarithmic scale: the median, the middle half, \
                  5 % to 95 %, and the longest.",
        alt: format!(
            "Quantiles of the time for a move, by bot. The slowest by the median is {slowest}: {}.",
            figures(its)
        ),
    };
    Ok(Some(Chart::new(material, labels, move |sheet| {
        draw(sheet, &timed, limit, &footnote)
    })))
}

fn draw(
    sheet: &Sheet,
    timed: &[(&str, LogHistogram)],
    limit: Option<f64>,
    footnote: &str,
) -> anyhow::Result<String> {
    let shown = &timed[..timed.len().min(MAX_ROWS)];
    let cells = shown.iter().map(|(bot, times)| (*bot, figures(times)));
    let footnote = footnote.to_owned() + &best_of(shown.len(), timed.len());
    let rows = Rows {
        label: |us| duration(*us),
        legend: 3 + i32::from(limit.is_some()),
        ..Rows::new(cells.collect(), "time for a move", footnote)
    };
    let least = shown.iter().filter_map(|(_, times)| times.quantile(0.05));
    let most = |times: &LogHistogram| times.most.max(1) as f64;
    let ends = shown.iter().map(|(_, times)| most(times));
    let powers = least.chain(ends).chain(limit).map(f64::log10);
    let powers = fitting_range(&powers.collect::<Vec<f64>>());
    let (low, high) = (powers.start.floor(), powers.end.ceil());
    // Widen the range a little, so that its ends are ticks. The library labels fractions of a lone power of ten, too closely.
    let x = (0.999 * 10f64.powf(low)..1.001 * 10f64.powf(high.max(low + 2.0))).log_scale();
    rows.draw(sheet, x, |chart, half| {
        let swatch = |colour: RGBColor| {
            move |(x, y)| Rectangle::new([(x, y - 7), (x + 14, y + 7)], colour.filled())
        };
        let longest = numbered(shown).map(|(row, (_, times))| {
            let tail = times.quantile(0.95).map(|from| [from, most(times)]);
            error_bar(row, most(times), tail, INK)
        });
        let series = chart.draw_series(longest)?.label("median and longest");
        series.legend(swatch(INK));
        for (colour, low, high, label) in [
            (PALE, 0.05, 0.95, "5 % to 95 %"),
            (BLUE, 0.25, 0.75, "middle half"),
        ] {
            let boxes = numbered(shown).filter_map(|(row, (_, times))| {
                let low = (times.quantile(low)?, row - half * 4 / 10);
                let high = (times.quantile(high)?, row + half * 4 / 10);
                Some(Rectangle::new([low, high], colour.filled()))
            });
            let series = chart.draw_series(boxes)?.label(label);
            series.legend(swatch(colour));
        }
        let medians = numbered(shown)
            .map(|(row, (_, times))| across(times.median(), row, half * 7 / 10, INK));
        chart.draw_series(medians)?;
        if let Some(limit) = limit {
            let line = numbered(shown).map(|(row, _)| across(limit, row, half, VERMILION));
            let series = chart.draw_series(line)?;
            series.label(format!("the limit of {}", duration(limit)));
            series.legend(swatch(VERMILION));
        }
        Ok(())
    })
}

/// Reads the matches in which a program sat, or a sample that depends only on the set of matches.
fn times(material: &Material<'_>) -> anyhow::Result<MoveTimes> {
    let tournament = material.ledger.spec();
    let is_program = |bot: &Entrant| matches!(bot.bot, Bot::Program(_));
    let program: Vec<bool> = tournament.bots.iter().map(is_program).collect();
    let timed = |scored: &Scored| scored.bots.iter().any(|bot| program[*bot]);
    let mut times = MoveTimes {
        bots: vec![LogHistogram::default(); program.len()],
        read: 0,
        all: 0,
    };
    if !program.contains(&true) {
        return Ok(times);
    }
    material.ledger.scores(|scored| {
        times.all += u64::from(timed(&scored));
        anyhow::Ok(())
    })?;
    // Choose by a checksum, which spreads the sample evenly whatever the order of the schedule.
    let every = times.all.div_ceil(MAX_MATCHES).max(1);
    let interest = |scored: &Scored| timed(scored) && u64::from(scored.transcript) % every == 0;
    let index = |name: &String| tournament.bots.iter().position(|bot| bot.name == *name);
    material.ledger.each_with(interest, |played| {
        times.read += 1;
        let bots: Vec<Option<usize>> = played.bots.iter().map(index).collect();
        for time in &played.times.moves {
            if let Some(Some(bot)) = bots.get(time.seat.index()) {
                times.bots[*bot].add(time.wall_us);
            }
        }
        anyhow::Ok(())
    })?;
    Ok(times)
}

fn figures(times: &LogHistogram) -> String {
    let [median, most] = [times.median(), times.most as f64].map(duration);
    format!("{median}, at most {most}")
}

/// Formats a time in microseconds, in the unit that suits it.
fn duration(us: f64) -> String {
    let (number, unit) = match us {
        us if us < 999.5 => (us, "µs"),
        us if us < 999_500.0 => (us / 1e3, "ms"),
        us => (us / 1e6, "s"),
    };
    let decimals = usize::from(number < 9.95);
    let figures = format!("{number:.decimals$}");
    format!("{} {unit}", figures.strip_suffix(".0").unwrap_or(&figures))
}

fn footnote(times: &MoveTimes) -> String {
    let moves: u64 = times.bots.iter().map(|bot| bot.bins.count()).sum();
    let (moves, all) = (counted(moves, "move"), counted(times.all, "match"));
    let sample = if times.read < times.all {
        format!("a sample of {} of the ", times.read)
    } else {
        String::new()
    };
    format!(
        "{moves} of {sample}{all} with programs, from when a turn was sent until its answer was read; built-in bots are not timed; \
         quantiles to 1 %"
    )
}

/// Histogram of positive numbers, in bins of two per cent.
#[derive(Clone, Debug, Default)]
struct LogHistogram {
    bins: Histogram,
    /// The greatest number so far.
    most: u64,
}

/// Ratio of the ends of a bin.
const BIN: f64 = 1.02;

impl LogHistogram {
    fn add(&mut self, number: u64) {
        let bin = (number.max(1) as f64).ln() / BIN.ln();
        self.bins.add(bin.floor());
        self.most = self.most.max(number);
    }

    /// Returns the middle of the bin that holds a quantile, but no more than the greatest number. Returns `None` if there are no numbers.
    fn quantile(&self, share: f64) -> Option<f64> {
        let bin = self.bins.quantile(share)?;
        Some(BIN.powf(bin + 0.5).min(self.most.max(1) as f64))
    }

    /// Returns the middle of the median's bin; 0 if there are no numbers.
    fn median(&self) -> f64 {
        self.quantile(0.5).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_the_unit_that_suits_them() {
        let all = [1.0, 10.0, 999.6, 1500.0, 2e6, 1e7, 9.96, 12_345.0].map(duration);
        assert_eq!(
            all,
            [
                "1 µs", "10 µs", "1 ms", "1.5 ms", "2 s", "10 s", "10 µs", "12 ms"
            ]
        );
    }

    #[test]
    fn quantiles_are_those_of_the_sorted_numbers() {
        let (mut exact, mut log) = (Histogram::default(), LogHistogram::default());
        assert_eq!((exact.quantile(0.5), log.quantile(0.5)), (None, None));
        for number in (1..=1000).rev() {
            exact.add(number.into());
            log.add(number as u64);
        }
        for (share, expected) in [(0.0, 1), (0.05, 50), (0.5, 500), (0.95, 950), (1.0, 1000)] {
            assert_eq!(exact.quantile(share), Some(expected.into()));
            let near = log.quantile(share).unwrap() / f64::from(expected);
            assert!((0.98..=1.02).contains(&near), "{share}: {near}");
        }
        assert_eq!(
            (exact.count(), log.bins.count(), log.most),
            (1000, 1000, 1000)
        );
        assert_eq!(exact.cells().len(), 1000);
    }
}
