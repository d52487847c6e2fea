//! The solver's averages, and how strong the bots for Crack the code are against each other.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use arena_bots::crack_the_code::packed::{Packed, Size};
use arena_bots::crack_the_code::solver::{Strategy, average};
use arena_bots::roster;
use arena_engine::chance::Seed;
use arena_engine::games::crack_the_code::CrackTheCode;
use arena_engine::games::crack_the_code::code::Code;
use arena_engine::games::crack_the_code::words::Rules;
use arena_engine::machine::Match;
use arena_engine::player::play;
use arena_engine::seat::Seat;

const CLASSIC: Size = Size { positions: 4, colours: 6 };
const STANDARD: Size = Size { positions: 5, colours: 6 };

fn packed(digits: &str) -> Packed {
    Packed::from(&digits.bytes().map(|digit| digit - b'0').collect::<Code>())
}

/// Checks how many guesses a strategy takes over all codes, and the most for any.
fn check(size: Size, strategy: Strategy, first: Option<&str>, (total, most): (u64, u32)) {
    let guesses = average(strategy, size, first.map(packed));
    let Size { positions, colours } = size;
    println!("{positions}x{colours} {strategy:?} from {first:?}: {:.4}, most {}", guesses.mean(), guesses.most);
    assert_eq!((guesses.total, guesses.most), (total, most));
}

/// Knuth's strategy by the letter of his paper, ties included, takes 5801 guesses over the 1296 codes, 4.476 on
/// average; the 4.478 printed there has been found by nobody since.
#[test]
fn averages_of_four_positions() {
    check(CLASSIC, Strategy::Minimax, None, (5801, 5));
    check(CLASSIC, Strategy::Minimax, Some("1122"), (5801, 5));
    check(CLASSIC, Strategy::ExpectedSize, None, (5696, 6));
    check(CLASSIC, Strategy::Entropy, None, (5722, 6));
    check(CLASSIC, Strategy::MostParts, None, (5668, 6));
}

#[test]
fn averages_of_five_positions() {
    check(STANDARD, Strategy::Minimax, Some("11223"), (37_925, 6));
    check(STANDARD, Strategy::ExpectedSize, None, (37_134, 6));
    check(STANDARD, Strategy::Entropy, None, (37_087, 7));
    check(STANDARD, Strategy::MostParts, None, (37_127, 7));
}

/// Plays so many deals in both seatings; wins, draws and losses of the first bot.
fn duel(rules: &Rules, bots: [&str; 2], deals: u64) -> [u32; 3] {
    let mut results = [0; 3];
    for deal in 0..deals {
        for seat in 0..2 {
            let mut table = Match::<CrackTheCode>::new(rules, 2, Seed::try_from(deal).unwrap()).unwrap();
            let mut players = bots.map(|bot| roster::make::<CrackTheCode>(bot).unwrap());
            if seat == 1 {
                players.reverse();
            }
            play(&mut table, &mut players);
            let verdict = table.verdict().unwrap();
            assert!(verdict.faults.iter().all(Option::is_none), "{:?}", verdict.faults);
            let points = |seat: u8| verdict.outcome.seats[Seat(seat)].points;
            results[(1 + points(1 - seat) - points(seat)) as usize] += 1;
        }
    }
    let [wins, draws, losses] = results;
    println!("{} against {}: {wins} wins, {draws} draws, {losses} losses", bots[0], bots[1]);
    results
}

/// How much of the points the first bot has, a draw counted as a half.
fn share([wins, draws, losses]: [u32; 3]) -> f64 {
    f64::from(2 * wins + draws) / f64::from(2 * (wins + draws + losses))
}

#[test]
fn the_roster_is_in_order_of_strength() {
    let rules = Rules::default();
    assert!(share(duel(&rules, ["consistent", "random"], 100)) > 0.99);
    assert!(share(duel(&rules, ["minimax", "consistent"], 200)) > 0.55);
    assert!(share(duel(&rules, ["entropy", "consistent"], 200)) > 0.58);
    let deals: u64 = std::env::var("DEALS").map_or(200, |d| d.parse().unwrap());
    duel(&rules, ["entropy", "minimax"], deals);
    duel(&rules, ["racer", "entropy"], deals);
    duel(&rules, ["racer", "consistent"], deals);
}
