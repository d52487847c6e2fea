//! Small Coda for two seats, one round: an equilibrium, and how far the built-in bots are from it.
//!
//! `cargo run --release -p arena-bots --example equilibrium -- NUMBERS PANELS [ROUNDS]`
//!
//! In an equilibrium neither seat can win more by playing otherwise, whatever it knows of the other. What a best response to a bot wins
//! above that is the bot's exploitability: the most that anybody can gain by knowing how it plays.

mod bots;
mod game;
mod solve;
#[cfg(test)]
mod tests;
mod tree;

use std::env;
use std::process::ExitCode;

use solve::{Policy, best_response, even, solve};
use tree::Tree;

/// The built-in bots whose policy can be asked: what `rollouts` does depends on thousands of draws of its own chance.
const BOTS: [&str; 4] = ["excluding", "exact", "inferring", "bayesian"];
/// The rounds of CFR+ if no number is given.
const ROUNDS: u32 = 1000;

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let number = |at: usize| args.get(at).map(|arg| arg.parse::<u32>());
    let (Some(Ok(numbers @ 2..=4)), Some(Ok(panels @ 1..=2)), rounds) = (number(0), number(1), number(2)) else {
        return wrong();
    };
    let (Ok(rounds @ 1..), true) = (rounds.unwrap_or(Ok(ROUNDS)), numbers + panels <= 5) else { return wrong() };
    let tree = Tree::new(numbers as u8, panels as u8);
    println!("{numbers} numbers of each colour, {panels} first panels each: {} positions,", tree.nodes.len());
    println!("{} information sets with {} actions", tree.sets.len(), tree.actions);
    let policy = solve(&tree, rounds);
    let [first, second] = [0, 1].map(|seat| best_response(&tree, &policy, seat));
    println!("the first seat wins {:.2} to {:.2} % in an equilibrium\n", 100.0 * (1.0 - second), 100.0 * first);
    println!("| policy | a best response wins as first | as second | exploitability |\n|---|---|---|---|");
    show(&tree, "equilibrium", &policy);
    for name in BOTS {
        show(&tree, name, &bots::policy(&tree, name));
    }
    show(&tree, "all actions alike", &even(&tree));
    ExitCode::SUCCESS
}

fn wrong() -> ExitCode {
    eprintln!(
        "usage: equilibrium NUMBERS PANELS [ROUNDS], such as 3 1; NUMBERS 2 to 4, PANELS 1 or 2, together up to 5"
    );
    ExitCode::from(2)
}

fn show(tree: &Tree, name: &str, policy: &Policy) {
    let [first, second] = [0, 1].map(|seat| 100.0 * best_response(tree, policy, seat));
    println!("| {name} | {first:.1} % | {second:.1} % | {:.2} % |", (first + second - 100.0) / 2.0);
}
