//! The matches that a measurement plays: whole deals of tables from all over the field, so that some are soon finished in every
//! seating, and the results of two bots are there of more than one deal.

use std::collections::BTreeSet;

use arena_tournament::field::Meeting;
use arena_tournament::schedule::{Planned, schedule};
use arena_tournament::spec::{Plan, Spec};

/// The number of matches from which on no more deals are begun.
const ENOUGH: usize = 2_000;
/// The most matches, where a deal has many.
const MOST: usize = 100_000;
/// The least deals, where a deal has many matches.
const FEWEST: u32 = 8;
/// The number of deals in the first batch; each further one has four times as many as the one before.
const FIRST: usize = 4;
/// The most tables that are looked for beyond those that are planned.
const TABLES: u64 = 1_000_000;

/// The sample, in the order in which it is played. It comes in batches: the tables of two in a batch are on deals of their own,
/// and each is seated in one order before any is seated in the next, since programs are started anew where they would meet a deal
/// again.
pub fn sample(spec: &Spec) -> Vec<Planned> {
    let longer = lengthened(spec);
    let meetings = longer.meetings(1, &[]);
    let mut deals = deals(spec, &longer, &meetings);
    let batches = std::iter::successors(Some(FIRST), |size| Some(size * 4));
    let batches = batches.map(|size| deals.by_ref().take(size).collect::<Vec<_>>());
    batches
        .take_while(|batch| !batch.is_empty())
        .flat_map(in_turn)
        .collect()
}

/// The matches of one deal after the other, until there are enough. At tables of two, each table has two deals of its own before the
/// next, so that there is something to compare.
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
        ENOUGH as u32
    } else {
        longer.plan.deals
    };
    (1..=last).scan(0, move |count, deal| {
        if *count >= MOST || (*count >= ENOUGH && deal > FEWEST) {
            return None;
        }
        let matches: Vec<Planned> = schedule(spec.field(), &on(deal)).take(MOST).collect();
        *count += matches.len();
        Some(matches)
    })
}

/// The same tournament with enough deals for a measurement. What is planned of it stays planned.
pub fn lengthened(spec: &Spec) -> Spec {
    let tables = spec.matches_per_deal().unwrap_or(1) / spec.field().orders() as u64;
    let deals = (TABLES / tables.max(1)).clamp(1, ENOUGH as u64) as u32;
    Spec {
        plan: Plan {
            deals: spec.plan.deals.max(deals),
            ..spec.plan.clone()
        },
        ..spec.clone()
    }
}

/// The tables of two that meet, in an order that mixes them.
fn tables(spec: &Spec, meetings: &[Meeting]) -> Vec<Vec<usize>> {
    let tables: BTreeSet<&Vec<usize>> = meetings.iter().map(|meeting| &meeting.bots).collect();
    let mut tables: Vec<Vec<usize>> = tables.into_iter().cloned().collect();
    spec.plan.seed.stream("plan", 0).shuffle(&mut tables);
    tables
}

/// All tables of a deal.
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

/// The first match of each deal, then the second of each, and so on.
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

    /// The tables of each deal with the orders in which they are seated.
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
                (ENOUGH..ENOUGH + orders * tables).contains(&sample.len()),
                "{keys}: {}",
                sample.len()
            );
        }
    }

    /// However little time there is, the first results can be compared.
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
        assert_eq!(large.len(), FEWEST as usize * 15 * 14 * 13);
        assert_eq!(sample(&spec("seats = 4\nseatings = 'all'", 20)).len(), MOST);
    }
}
