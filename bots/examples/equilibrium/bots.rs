//! The policies of the built-in bots, asked at every decision that there is.

use arena_bots::roster;
use arena_engine::chance::Seed;
use arena_engine::games::coda::Coda;
use arena_engine::games::coda::prompt::{Choice, Prompt};
use arena_engine::games::coda::types::Action;
use arena_engine::player::{Player, Start};
use arena_engine::seat::Seat;
use arena_engine::set::Set;

use super::solve::Policy;
use super::tree::{self, Tree};

/// The seeds with which a bot is asked first: where all lead to the same action, it leaves nothing to chance there.
const SEEDS: u64 = 12;
/// The seeds with which it is asked where they do not, until every action that it may take was taken.
const MANY: u64 = 300;

/// What the bot does at each decision.
pub fn policy(tree: &Tree, name: &str) -> Policy {
    let mut policy = vec![0.0; tree.actions];
    for set in &tree.sets {
        let taken = taken(tree, name, set);
        policy[set.range()].iter_mut().zip(&set.actions).for_each(|(share, action)| *share = chance(*action, &taken));
    }
    policy
}

/// The actions that the bot takes at a decision, by its own chance.
pub fn taken(tree: &Tree, name: &str, set: &tree::Set) -> Vec<Action> {
    if let [only] = set.actions[..] {
        return vec![only];
    }
    let mut taken = Vec::new();
    let mut seeds = 0..SEEDS;
    while let Some(seed) = seeds.next() {
        let action = decide(tree, name, set, seed);
        if !taken.contains(&action) {
            taken.push(action);
            seeds.end = if taken.len() > 1 { MANY } else { SEEDS };
        }
    }
    taken
}

/// The chance of an action among those that are taken. The bots choose evenly where they leave something to chance: a colour or a
/// number; a place, and then a face.
pub fn chance(action: Action, taken: &[Action]) -> f32 {
    if !taken.contains(&action) {
        return 0.0;
    }
    let place = |action: &Action| match *action {
        Action::Attack { position, .. } => Some(position),
        _ => None,
    };
    let places: Set<u8> = taken.iter().filter_map(place).collect();
    match place(&action) {
        None => 1.0 / taken.len() as f32,
        Some(here) => {
            let faces = taken.iter().filter(|other| place(other) == Some(here)).count();
            1.0 / (places.len() * faces) as f32
        }
    }
}

/// What the bot does at a decision, with its own chance by this seed.
pub fn decide(tree: &Tree, name: &str, set: &tree::Set, seed: u64) -> Action {
    let mut bot: Box<dyn Player<Coda>> = roster::make(name).expect("a built-in bot");
    let seed = Seed::try_from(seed).expect("a small number");
    bot.start(&Start { rules: &tree.rules, seat: Seat(set.seat as u8), seats: 2, seed, move_ms: None });
    // What it does follows from all that it has seen: it need not be asked on the way.
    bot.act(&mut tree.seen(set).into_iter(), &prompt(&set.actions))
}

/// The prompt that offers these actions.
fn prompt(actions: &[Action]) -> Prompt {
    let (mut dark, mut colour, mut position, mut face) = (Set::EMPTY, Set::EMPTY, Set::EMPTY, Set::EMPTY);
    let (mut opponent, mut stop) = (Set::EMPTY, None);
    for action in actions {
        match *action {
            Action::SetUp { dark: number } => dark.insert(number),
            Action::Draw { colour: other } => colour.insert(other),
            Action::Expose { position: other } => position.insert(other),
            Action::Attack { seat, position: other, face: named } => {
                opponent.insert(seat);
                position.insert(other);
                face.insert(named);
            }
            _ => stop = Some(Choice::Stop {}),
        }
    }
    let first = match actions[0] {
        Action::SetUp { .. } => Choice::SetUp { dark },
        Action::Draw { .. } => Choice::Draw { colour },
        Action::Expose { .. } => Choice::Expose { position },
        _ => Choice::Attack { seat: opponent, position, face },
    };
    Prompt([first].into_iter().chain(stop).collect())
}
