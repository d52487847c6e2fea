//! The number of deals that it takes to see a difference, for the field of a tournament.

use std::collections::BTreeMap;
use std::time::Duration;

use arena_statistics::power::{self, Difference};
use arena_tournament::field::Meeting;
use arena_tournament::spec::Spec;
use indicatif::HumanDuration;
use serde::Serialize;

use super::measure::Measured;
use super::row;
use super::sample::lengthened;
use crate::commands::wrong_use;

/// What it takes to see a difference, in exact numbers. The difference itself is in `elo` or in `points`, as on the command line.
#[derive(Serialize)]
pub struct ToSee {
    #[serde(flatten)]
    difference: Difference,
    /// The number of deals that it takes until the interval of two bots leaves out 0; null if it is unknown, and beyond 10^9.
    deals: Option<u64>,
    /// The number of deals until the two have a mark of significance among all pairs of the field; null likewise.
    marked_deals: Option<u64>,
    /// The number of those pairs.
    pairs: usize,
    /// The number of matches on those deals; null if it is unknown.
    matches: Option<u64>,
    /// How long those matches take, in seconds; null if it is unknown, or nothing was measured.
    seconds: Option<f64>,
    /// The standard deviation over deals of the mean score of two bots that differ so on a deal, or of their mean difference of points
    /// in a match, for the pair for which it is greatest; null if it is unknown.
    sigma: Option<f64>,
    /// The number of results of two bots on a deal that it was measured by; 0 for the worst case of independent matches.
    measured_deals: u64,
    /// The chance to see the difference, in 0 … 1.
    power: f64,
    /// The least difference that the planned deals see, in the same unit; null if it is unknown.
    planned_deals_see: Option<f64>,
    /// The share of the deals on which two given bots meet.
    #[serde(skip)]
    share: f64,
    #[serde(skip)]
    planned_deals: u32,
}

/// Refuses formats in which the results decide who meets: there the deals on which two bots meet are not those of the tournament.
pub fn check(spec: &Spec, to_see: Option<Difference>) -> anyhow::Result<()> {
    let format = &spec.plan.format;
    if to_see.is_none() || format.listed().more == Some("deals") {
        return Ok(());
    }
    wrong_use(format!(
        "--to-see is for formats in which it is known beforehand who meets: in the format {} results decide on how many \
         deals two bots meet; plan a round-robin, or let `arena compare` find out which of two bots is stronger",
        format.name()
    ))
}

impl ToSee {
    /// By what was measured, or by the worst case where that is not enough.
    pub fn new(spec: &Spec, difference: Difference, measured: &Measured) -> Self {
        let meetings = lengthened(spec).meetings(1, &[]);
        let Encounters { share, matches } = encounters(&meetings, spec.field().orders());
        let spread = difference
            .spread(&measured.deals)
            .or_else(|| difference.worst_spread(matches));
        let (delta, bots) = (difference.delta(), spec.bots.len());
        let pairs = bots * bots.saturating_sub(1) / 2;
        let sigma = spread.as_ref().map(|spread| spread.sigma(delta));
        // Of two bots that meet on some deals only it takes more.
        let in_all = |deals: u64| (deals as f64 / share).ceil() as u64;
        let deals = spread
            .as_ref()
            .and_then(|spread| spread.deals(delta))
            .map(in_all);
        let marked_deals = sigma
            .and_then(|sigma| power::marked(delta, sigma, pairs))
            .map(in_all);
        let per_deal = spec.matches_per_deal().unwrap_or(0);
        let matches = deals.map(|deals| deals.saturating_mul(per_deal));
        let seconds = matches
            .zip(measured.speed)
            .map(|(matches, speed)| matches as f64 / speed);
        let planned = (f64::from(spec.plan.deals) * share) as u64;
        let least = spread.as_ref().and_then(|spread| spread.least(planned));
        Self {
            difference,
            deals,
            marked_deals: marked_deals.max(deals),
            pairs,
            matches,
            seconds,
            sigma,
            measured_deals: spread.map_or(0, |spread| spread.deals),
            power: power::POWER,
            planned_deals_see: least.and_then(|delta| difference.of_delta(delta)).map(size),
            share,
            planned_deals: spec.plan.deals,
        }
    }

    /// For people. The measurement took this many seconds.
    pub fn in_words(&self, seconds: f64) -> String {
        let (unit, wanted) = (unit(self.difference), size(self.difference));
        let what = format!("to see {wanted} {unit}");
        let why = if seconds > 0.0 {
            "(too few deals were finished within --seconds, or all were equal)"
        } else {
            "(nothing was measured: --seconds 0)"
        };
        if self.sigma.is_none() {
            return row(
                &what,
                &format!("unknown: depends on how {unit} differ from deal to deal"),
            ) + &row("", why);
        }
        let mut text = row(&what, &self.answer());
        text += &row(
            "",
            "(the 95 % interval of two bots then excludes \"equal\" with a probability of 80 %)",
        );
        if let Some(deals) = self.marked_deals.filter(|_| self.pairs > 1) {
            text += &row(
                "with a mark",
                &format!(
                    "among all {} pairs: about {} deals",
                    self.pairs,
                    power::rounded(deals)
                ),
            );
        }
        if let Some(seconds) = self.seconds {
            let time = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
            text += &row("which takes about", &HumanDuration(time).to_string());
        }
        if self.share < 1.0 {
            text += &row(
                "two bots meet",
                &format!("on {:.0} % of the deals", self.share * 100.0),
            );
        }
        if let Some(least) = self.planned_deals_see.map(shown) {
            let planned = self.planned_deals;
            text += &row(
                "as planned",
                &format!(
                    "{planned} deals can show differences of about {least} {unit} between two bots"
                ),
            );
        }
        text + &match self.measured_deals {
            0 => row("by the worst case", "of independent matches without draws") + &row("", why),
            deals => row(
                "by the spread",
                &format!(
                    "of that pair whose deals differ most; {deals} results were played for this"
                ),
            ),
        }
    }

    fn answer(&self) -> String {
        match (
            self.deals.map(power::rounded),
            self.matches.map(power::rounded),
        ) {
            (Some(deals), Some(matches)) => format!("about {deals} deals, {matches} matches"),
            _ => "more than a billion deals".into(),
        }
    }
}

fn unit(difference: Difference) -> &'static str {
    match difference {
        Difference::Elo(_) => "Elo",
        Difference::Points(_) => "points",
    }
}

fn size(difference: Difference) -> f64 {
    match difference {
        Difference::Elo(size) | Difference::Points(size) => size,
    }
}

/// A difference with two digits that count.
fn shown(size: f64) -> String {
    match size {
        10.0.. => power::rounded(size.round() as u64).to_string(),
        1.0.. => format!("{size:.1}"),
        _ => format!("{size:.2}"),
    }
}

/// How two given bots meet, of those that meet at all.
struct Encounters {
    /// On which share of the deals, on average over pairs.
    share: f64,
    /// The matches of the two on such a deal, where they are fewest.
    matches: f64,
}

/// The encounters of the meetings of a stage, which come in order of their deals.
fn encounters(meetings: &[Meeting], orders: usize) -> Encounters {
    /// The last deal of two bots so far, the number of their deals, and that of their tables.
    type Met = (u32, u64, u64);
    let mut pairs = BTreeMap::<[usize; 2], Met>::new();
    let mut all = 0;
    for meeting in meetings {
        let (first, last) = (*meeting.deals.start(), *meeting.deals.end());
        all = all.max(last);
        for (at, one) in meeting.bots.iter().enumerate() {
            for other in &meeting.bots[at + 1..] {
                let (until, deals, tables) = pairs.entry([*one, *other]).or_default();
                *deals += u64::from(last.saturating_sub(first.saturating_sub(1).max(*until)));
                *tables += u64::from(last + 1 - first);
                *until = last.max(*until);
            }
        }
    }
    let shares = pairs
        .values()
        .map(|(_, deals, _)| *deals as f64 / f64::from(all));
    let tables = pairs
        .values()
        .map(|(_, deals, tables)| *tables as f64 / *deals as f64);
    Encounters {
        share: shares.sum::<f64>() / pairs.len().max(1) as f64,
        matches: tables.fold(f64::INFINITY, f64::min) * orders as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(meetings: &[(&[usize], std::ops::RangeInclusive<u32>)], share: f64, matches: f64) {
        let meeting = |(bots, deals): &(&[usize], _)| Meeting {
            bots: bots.to_vec(),
            deals: Clone::clone(deals),
        };
        let meetings: Vec<Meeting> = meetings.iter().map(meeting).collect();
        let found = encounters(&meetings, 2);
        assert!(
            (found.share - share).abs() < 1e-12 && (found.matches - matches).abs() < 1e-12,
            "{meetings:?}"
        );
    }

    #[test]
    fn encounters_are_counted_by_deals_and_by_tables() {
        check(
            &[(&[0, 1], 1..=10), (&[0, 2], 1..=10), (&[1, 2], 1..=10)],
            1.0,
            2.0,
        );
        check(
            &[
                (&[0, 1], 1..=1),
                (&[2, 3], 1..=1),
                (&[0, 2], 2..=2),
                (&[1, 3], 2..=2),
            ],
            0.5,
            2.0,
        );
        // Three seats: 0 and 1 meet at two tables of each deal, and so do all others.
        check(
            &[
                (&[0, 1, 2], 1..=5),
                (&[0, 1, 3], 1..=5),
                (&[0, 2, 3], 1..=5),
                (&[1, 2, 3], 1..=5),
            ],
            1.0,
            4.0,
        );
    }

    #[test]
    fn sizes_are_shown_with_two_digits() {
        assert_eq!(
            [165.3, 21.6, 1.26, 0.057].map(shown),
            ["170", "22", "1.3", "0.06"]
        );
    }
}
