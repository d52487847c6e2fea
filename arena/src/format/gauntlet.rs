//! Gauntlet: every combination with exactly one of the challengers meets on every deal, in every seating. The others,
//! against whom the challengers are measured, do not meet without a challenger, and challengers do not meet each other.

use super::field::{Field, Meeting, choices, combinations};

/// Every combination of one challenger with others, on all deals.
pub fn meetings(field: &Field, challengers: &[usize]) -> Vec<Meeting> {
    let others = combinations(&others(field, challengers), field.seats - 1);
    let with = |challenger: &usize, others: &Vec<usize>| {
        let mut bots = [&[*challenger], others.as_slice()].concat();
        bots.sort_unstable();
        Meeting { bots, deals: 1..=field.deals }
    };
    challengers.iter().flat_map(|challenger| others.iter().map(move |others| with(challenger, others))).collect()
}

/// How many tables a deal has, each of which is seated in several orders.
pub fn tables(field: &Field, challengers: &[usize]) -> u64 {
    let ways = choices(others(field, challengers).len(), field.seats - 1);
    ways.saturating_mul(challengers.len() as u64)
}

/// What is wrong with the challengers.
pub fn check(field: &Field, challengers: &[usize]) -> Vec<String> {
    let bots = field.entrants.len();
    let mut wrong = Vec::new();
    if challengers.is_empty() {
        wrong.push("a gauntlet has at least one challenger, name one".to_owned());
    }
    for (at, challenger) in challengers.iter().enumerate() {
        if *challenger >= bots {
            wrong.push(format!("challenger {challenger} is none of the {bots} bots, which are counted from 0"));
        } else if challengers[..at].contains(challenger) {
            let name = &field.entrants[*challenger].name;
            wrong.push(format!("{name} is a challenger twice, name it once"));
        }
    }
    let (others, needed) = (others(field, challengers).len(), field.seats.saturating_sub(1));
    if others < needed {
        let seats = field.seats;
        wrong.push(format!(
            "a gauntlet of {seats} seats needs {needed} bots that are no challengers, there are {others}"
        ));
    }
    wrong
}

/// Whether the old challengers still meet the same others: a bot that was there stays on its side. Bots that are
/// appended may come on either side, since a new challenger meets the old others beside, and a new other the old
/// challengers.
pub fn extends(old: &Field, before: &[usize], after: &[usize]) -> Result<(), String> {
    let changed = (0..old.entrants.len()).find(|bot| before.contains(bot) != after.contains(bot));
    match changed.map(|bot| (&old.entrants[bot].name, before.contains(&bot))) {
        None => Ok(()),
        Some((name, true)) => Err(format!("{name} was a challenger and has to stay one")),
        Some((name, false)) => {
            Err(format!("{name} was no challenger and cannot become one, append it under another name"))
        }
    }
}

/// Those that are no challengers.
fn others(field: &Field, challengers: &[usize]) -> Vec<usize> {
    (0..field.entrants.len()).filter(|bot| !challengers.contains(bot)).collect()
}
