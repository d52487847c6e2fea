//! How a tournament stands by the rules of its format, where that is another order than that of the points.

use std::collections::BTreeSet;

use arena_results::text::clean;

use super::field::{Block, Field};
use super::{Format, knockout, ladder, plan, swiss};

/// The scores of a swiss tournament, the pairings of a knockout, the order of a ladder; nothing for other formats.
pub fn told(field: &Field, blocks: &[Block]) -> Option<String> {
    let done = finished(field, blocks);
    let told = match &field.format {
        Format::RoundRobin | Format::Gauntlet { .. } | Format::Balanced { .. } => return None,
        Format::Swiss { .. } => swiss_standings(field, done, blocks),
        Format::Knockout => bracket(field, done, blocks),
        Format::Ladder { .. } => rungs(field, done, blocks),
    };
    let (name, rounds) = (plan::name(&field.format), plan::rounds(field));
    Some(format!("{name}, {done} of {rounds} rounds finished\n\n{told}"))
}

/// How many rounds are finished.
fn finished(field: &Field, blocks: &[Block]) -> u32 {
    let there: BTreeSet<(u32, [usize; 2])> = blocks.iter().map(|block| (block.deal, block.bots)).collect();
    let is_there = |deal: u32, bots: &[usize]| there.contains(&(deal, [bots[0], bots[1]]));
    let all = |round: &u32| {
        let meetings = plan::meetings(field, *round, blocks);
        meetings.iter().all(|meeting| meeting.deals.clone().all(|deal| is_there(deal, &meeting.bots)))
    };
    (1..=plan::rounds(field)).take_while(all).count() as u32
}

fn swiss_standings(field: &Field, done: u32, blocks: &[Block]) -> String {
    let width = widest(field);
    let mut told = format!("   #  {:<width$}  score  Buchholz  points  byes\n", "bot");
    for (place, one) in swiss::standings(field, done + 1, blocks).iter().enumerate() {
        let (name, score, buchholz) = (name(field, one.bot), halves(one.score), halves(one.buchholz));
        let gap = padding(&name, width);
        told +=
            &format!("{:>4}  {name}{gap}  {score:>5}  {buchholz:>8}  {:>+6}  {:>4}\n", place + 1, one.points, one.byes);
    }
    if let Some(bye) = swiss::bye(field, done + 1, blocks).filter(|_| done < plan::rounds(field)) {
        told += &format!("\n{} has a bye in round {}\n", name(field, bye), done + 1);
    }
    told
}

fn bracket(field: &Field, done: u32, blocks: &[Block]) -> String {
    let mut told = String::new();
    for round in 1..=done {
        let through = knockout::survivors(field, round + 1, blocks);
        told += &format!("round {round}\n");
        for (pair, winner) in knockout::survivors(field, round, blocks).chunks(2).zip(through) {
            told += &match (pair, winner) {
                ([Some(one), Some(other)], Some(winner)) => {
                    let loser = if winner == *one { *other } else { *one };
                    let (score, against) =
                        (scored(field, round, winner, loser, blocks), scored(field, round, loser, winner, blocks));
                    format!("  {} beats {}, {score} : {against}\n", name(field, winner), name(field, loser))
                }
                (_, Some(winner)) => format!("  {} has a bye\n", name(field, winner)),
                _ => String::new(),
            };
        }
    }
    if done == plan::rounds(field)
        && let [Some(winner)] = knockout::survivors(field, done + 1, blocks)[..]
    {
        told += &format!("winner: {}\n", name(field, winner));
    }
    told
}

/// The score of a bot against another one in a round.
fn scored(field: &Field, round: u32, bot: usize, other: usize, blocks: &[Block]) -> String {
    let (bots, deals) = ([bot.min(other), bot.max(other)], field.deals_of(round));
    let of_both = blocks.iter().filter(|block| block.bots == bots && deals.contains(&block.deal));
    halves(of_both.map(|block| u64::from(block.halves[usize::from(bot > other)])).sum())
}

fn rungs(field: &Field, done: u32, blocks: &[Block]) -> String {
    let order = ladder::order(field, (done + 1).min(plan::rounds(field)), blocks);
    order.iter().enumerate().map(|(place, bot)| format!("{:>4}  {}\n", place + 1, name(field, *bot))).collect()
}

/// Half points as points.
fn halves(halves: u64) -> String {
    format!("{}{}", halves / 2, if halves.is_multiple_of(2) { ".0" } else { ".5" })
}

fn name(field: &Field, bot: usize) -> String {
    clean(&field.entrants[bot].name)
}

fn widest(field: &Field) -> usize {
    (0..field.entrants.len()).map(|bot| name(field, bot).chars().count()).max().unwrap_or(0).max(3)
}

fn padding(name: &str, width: usize) -> String {
    " ".repeat(width.saturating_sub(name.chars().count()))
}
