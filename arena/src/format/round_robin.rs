//! Round-robin: every combination of bots that fits the table meets on every deal, in every seating.

use arena_engine::chance::Seed;

/// The tables of one deal, as bots by seat. Two and three seats are played in all orders, which makes 2 and 6 matches
/// of each combination; four in the 4 rotations of an order drawn for the deal.
pub fn tables(bots: usize, seats: usize, seed: Seed, deal: u32) -> Vec<Vec<usize>> {
    let mut tables = Vec::new();
    for (index, combination) in combinations(bots, seats).into_iter().enumerate() {
        if seats <= 3 {
            tables.extend(permutations(&combination));
        } else {
            let mut order = combination;
            seed.child("seating", deal.into()).stream("combination", index as u64).shuffle(&mut order);
            tables.extend((0..seats).map(|turn| {
                let mut rotated = order.clone();
                rotated.rotate_left(turn);
                rotated
            }));
        }
    }
    tables
}

/// All ways of choosing `size` of `0..count`, each ascending, in lexicographic order.
fn combinations(count: usize, size: usize) -> Vec<Vec<usize>> {
    let mut found = vec![vec![]];
    for _ in 0..size {
        found = found
            .into_iter()
            .flat_map(|chosen: Vec<usize>| {
                let from = chosen.last().map_or(0, |last| last + 1);
                (from..count).map(move |next| [chosen.as_slice(), &[next]].concat())
            })
            .collect();
    }
    found
}

/// All orders of the list.
fn permutations(list: &[usize]) -> Vec<Vec<usize>> {
    if list.is_empty() {
        return vec![vec![]];
    }
    let starting_with = |at: usize| {
        let rest = [&list[..at], &list[at + 1..]].concat();
        permutations(&rest).into_iter().map(move |tail| [&[list[at]], tail.as_slice()].concat())
    };
    (0..list.len()).flat_map(starting_with).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables_of(bots: usize, seats: usize) -> Vec<Vec<usize>> {
        tables(bots, seats, Seed::try_from(3).unwrap(), 5)
    }

    #[test]
    fn two_seats_are_played_both_ways() {
        assert_eq!(tables_of(3, 2), [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1]]);
    }

    #[test]
    fn everyone_sits_everywhere_equally_often() {
        for (bots, seats, matches) in [(4, 2, 12), (5, 3, 60), (6, 4, 60)] {
            let tables = tables_of(bots, seats);
            assert_eq!(tables.len(), matches);
            for seat in 0..seats {
                for bot in 0..bots {
                    let sat = tables.iter().filter(|table| table[seat] == bot).count();
                    assert_eq!(sat, matches / bots, "bot {bot} in seat {seat}");
                }
            }
        }
    }
}
