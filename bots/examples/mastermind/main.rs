//! Computes the minimum total number of guesses over all codes of a size: the best total found by a search, and a proven lower bound.
//!
//! `cargo run --release -p arena-bots --example mastermind -- POSITIONS COLOURS WIDTH FIRST`

mod search;

use std::env;
use std::process::ExitCode;

use arena_engine::games::crack_the_code::code::Code;
use arena_engine::games::crack_the_code::packed::{Packed, Size};
use arena_engine::set::Set;

use self::search::Search;

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let number = |at: usize| args.get(at).and_then(|arg| arg.parse::<u8>().ok());
    let (Some(positions @ 1..=5), Some(colours @ 2..=8), Some(width @ 1..)) =
        (number(0), number(1), number(2))
    else {
        eprintln!(
            "usage: mastermind POSITIONS COLOURS WIDTH FIRST, such as 4 6 20 1123; up to 5 positions and 8 colours"
        );
        return ExitCode::from(2);
    };
    let first: Code = args.get(3).map_or(Code::default(), |code| {
        code.bytes().map(|digit| digit.wrapping_sub(b'0')).collect()
    });
    if first.0.len() != usize::from(positions)
        || first.0.iter().any(|colour| !(1..=colours).contains(colour))
    {
        eprintln!("FIRST is a code of {positions} colours from 1 to {colours}, such as 1123");
        return ExitCode::from(2);
    }
    let size = Size { positions, colours };
    let search = Search {
        size,
        width: width.into(),
    };
    let codes = size.codes();
    let firsts = size.unlike(Set::EMPTY);
    let bound = firsts
        .into_iter()
        .map(|first| search.at_least(first))
        .min()
        .expect("there is a first guess");
    println!("{positions} positions, {colours} colours: {codes} codes");
    println!(
        "no strategy takes fewer than {bound} guesses over all of them, {:.4} on average",
        f64::from(bound as u32) / f64::from(codes)
    );
    let found = search.guesses(Packed::from(&first));
    println!(
        "found with {first} first: {found}, {:.4} on average",
        f64::from(found as u32) / f64::from(codes)
    );
    ExitCode::SUCCESS
}
