//! The sample of matches for a measurement. The sample consists of complete deals from the whole field, ordered so that some deals are soon
//! finished in every seating, and pairs of bots soon have results from more than one deal.

use std::collections::BTreeSet;

use arena_tournament::field::Meeting;
use arena_tournament::schedule::{Planned, schedule};
use arena_tournament::spec::{Plan, Spec};

/// Number of matches after which no further deals are begun.
const TARGET_MATCHES: usize = 2_000;
/// Maximum number of matches, for games with many matches per deal.
const MAX_MATCHES: usize = 100_000;
/// Minimum number of deals, for games with many matches per deal.
const MIN_DEALS: u32 = 8;
/// Number of deals in the first batch. Each batch is four times as large as the one before.
const FIRST_BATCH_DEALS: usize = 4;
/// Target number of tables when a short tournament is lengthened.
const TARGET_TABLES: u64 = 1_000_000;

/// Returns the sample in playing order. The sample consists of batches. Within a batch, tables of two are on different deals. Every table
/// plays its first seating before any table plays its second, because a program that meets a deal again must be restarted.
pub fn sample(spec: &Spec) -> Vec<Planned> {
    let longer = lengthened(spec);
    let meetings = longer.meetings(1, &[]);
    let mut deals = deals(spec, &longer, &meetings);
    let batches = std::iter::successors(Some(FIRST_BATCH_DEALS), |size| Some(size * 4));
    let batches = batches.map(|size| deals.by_ref().take(size).collect::<Vec<_>>());
    batches
        .take_while(|batch| !batch.is_empty())
        .flat_map(in_turn)
        .collect()
}

/// Returns the matches deal by deal, until there are enough. With two seats, each table gets two consecutive deals of its own, so that its
/// results can be compared.
fn deals(spec: &Spec, longer: &Spec, meetings: &[Meeting]) -> impl Iterator<Item = Vec<Planned>> {
    let tables = if spec.plan.seats == 2 {
        tables(spec, meetings)
    } else {
        Vec::new()
    };
    let on = move |deal: u32| match tables.len() {
        0 => all_on(meetings, deal),
        count => vec![Meeting {
            bots: tables[(deal as usize - 1) / 2 % count].clone(),
            deals: deal..=deal,
        }],
    };
    let last = if spec.plan.seats == 2 {
        TARGET_MATCHES as u32
    } else {
        longer.plan.deals
    };
    (1..=last).scan(0, move |count, deal| {
        if *count >= MAX_MATCHES || (*count >= TARGET_MATCHES && deal > MIN_DEALS) {
            return None;
        }
        let matches: Vec<Planned> = schedule(spec.field(), &on(deal))
            .take(MAX_MATCHES)
            .collect();
        *count += matches.len();
        Some(matches)
    })
}

/// Returns the tournament with enough deals for a measurement. Its planned matches are unchanged.
pub fn lengthened(spec: &Spec) -> Spec {
    let tables = spec.matches_per_deal().unwrap_or(1) / spec.field().orders() as u64;
    let deals = (TARGET_TABLES / tables.max(1)).clamp(1, TARGET_MATCHES as u64) as u32;
    Spec {
        plan: Plan {
            deals: spec.plan.deals.max(deals),
            ..spec.plan.clone()
        },
        ..spec.clone()
    }
}

/// Returns the distinct tables of two, shuffled.
fn tables(spec: &Spec, meetings: &[Meeting]) -> Vec<Vec<usize>> {
    let tables: BTreeSet<&Vec<usize>> = meetings.iter().map(|meeting| &meeting.bots).collect();
    let mut tables: Vec<Vec<usize>> = tables.into_iter().cloned().collect();
    spec.plan.seed.stream("plan", 0).shuffle(&mut tables);
    tables
}

/// Returns all tables of a deal.
fn all_on(meetings: &[Meeting], deal: u32) -> Vec<Meeting> {
    let here = meetings
        .iter()
        .filter(|meeting| meeting.deals.contains(&deal));
    here.map(|meeting| Meeting {
        bots: meeting.bots.clone(),
        deals: deal..=deal,
    })
    .collect()
}

/// Interleaves deals: the first match of each, then the second of each, and so on.
fn in_turn(deals: Vec<Vec<Planned>>) -> impl Iterator<Item = Planned> {
    let mut deals: Vec<_> = deals.into_iter().map(Vec::into_iter).collect();
    std::iter::from_fn(move || {
        let turn: Vec<Planned> = deals.iter_mut().filter_map(Iterator::next).collect();
        (!turn.is_empty()).then_some(turn)
    })
    .flatten()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::*;
    use arena_config::read::{Flags, of_kept};

    fn spec(keys: &str, bots: usize) -> Spec {
        let bots: String = (0..bots)
            .map(|bot| format!("[[bots]]\nname = \"{bot}\"\nbuiltin = \"random\"\n"))
            .collect();
        of_kept(
            &format!("{keys}\n{bots}"),
            Path::new("/t.toml"),
            &Flags::default(),
        )
        .unwrap()
    }

    /// Returns the tables of each deal, each with its seatings.
    fn seated(sample: &[Planned]) -> BTreeMap<u32, BTreeMap<Vec<usize>, BTreeSet<Vec<usize>>>> {
        let mut deals = BTreeMap::<u32, BTreeMap<Vec<usize>, BTreeSet<Vec<usize>>>>::new();
        for Planned { deal, seats } in sample {
            let mut bots = seats.clone();
            bots.sort_unstable();
            assert!(
                deals
                    .entry(*deal)
                    .or_default()
                    .entry(bots)
                    .or_default()
                    .insert(seats.clone()),
                "twice: {seats:?}"
            );
        }
        deals
    }

    #[test]
    fn every_table_is_seated_in_every_order() {
        for (keys, bots, orders, tables) in [
            ("deals = 3", 2, 2, 1),
            ("deals = 20", 5, 2, 1),
            ("format = 'swiss'\ndeals = 2", 7, 2, 1),
            ("format = 'balanced'\nseats = 3\ndeals = 2", 7, 6, 3),
            ("deals = 1\nseats = 3", 4, 6, 4),
            ("format = 'balanced'\ntables = 2\nseats = 4", 9, 4, 2),
        ] {
            let sample = sample(&spec(keys, bots));
            for (deal, seated) in seated(&sample) {
                let whole =
                    seated.len() == tables && seated.values().all(|seated| seated.len() == orders);
                assert!(whole, "{keys}: deal {deal}: {seated:?}");
            }
            assert!(
                (TARGET_MATCHES..TARGET_MATCHES + orders * tables).contains(&sample.len()),
                "{keys}: {}",
                sample.len()
            );
        }
    }

    /// Checks that even a very short measurement has results to compare.
    #[test]
    fn the_first_batch_has_two_deals_of_each_of_two_tables() {
        let sample = sample(&spec("deals = 20", 5));
        let first = seated(&sample[..8]);
        assert_eq!(first.keys().copied().collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert!(first[&1] == first[&2] && first[&3] == first[&4] && first[&1] != first[&3]);
        assert_eq!(
            sample[..4]
                .iter()
                .map(|planned| planned.deal)
                .collect::<Vec<_>>(),
            [1, 2, 3, 4]
        );
    }

    #[test]
    fn large_deals_are_few_and_huge_ones_are_cut() {
        let large = sample(&spec("seats = 3", 15));
        assert_eq!(large.len(), MIN_DEALS as usize * 15 * 14 * 13);
        assert_eq!(
            sample(&spec("seats = 4\nseatings = 'all'", 20)).len(),
            MAX_MATCHES
        );
    }
}
