//! The whole tree of a small game, with what each seat knows at each of its decisions.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ops::Range;

use arena_engine::game::Game as _;
use arena_engine::games::coda::Coda;
use arena_engine::games::coda::types::{Action, Event, Rules};
use arena_engine::seat::Seat;

use super::game::{Next, Table};

/// All positions of a game.
pub struct Tree {
    /// The small variant.
    pub rules: Rules,
    /// The positions, the first of the game first.
    pub nodes: Vec<Node>,
    /// What follows on the positions, by their ranges.
    followers: Vec<u32>,
    /// The decisions as the seats see them.
    pub sets: Vec<Set>,
    /// All actions of all sets, by their ranges.
    pub actions: usize,
}

/// A position.
#[derive(Clone, Copy, Debug)]
pub enum Node {
    /// The followers, all equally likely.
    Chance { first: u32, count: u32 },
    /// A decision, with a follower for each action of the set.
    Act { set: u32, first: u32 },
    /// The end.
    Over(Score),
}

/// The score of the first seat in a round: 1, ½ or 0.
#[derive(Clone, Copy, Debug)]
pub struct Score(f32);

impl Score {
    fn new([first, second]: [i32; 2]) -> Self {
        Self(match first.cmp(&second) {
            Ordering::Less => 0.0,
            Ordering::Equal => 0.5,
            Ordering::Greater => 1.0,
        })
    }

    /// The score of a seat.
    pub fn of(self, seat: usize) -> f32 {
        if seat == 0 { self.0 } else { 1.0 - self.0 }
    }
}

/// An information set: positions that the seat which decides cannot tell apart.
pub struct Set {
    /// The seat.
    pub seat: usize,
    /// Its decision before, and what it did.
    pub before: Option<(u32, usize)>,
    /// The events that it has seen since.
    pub seen: Vec<Event>,
    /// What it can do.
    pub actions: Vec<Action>,
    /// The place of its first action among those of all sets.
    first: usize,
}

impl Set {
    /// The places of its actions among those of all sets.
    pub fn range(&self) -> Range<usize> {
        self.first..self.first + self.actions.len()
    }
}

/// A seat's way to a position.
#[derive(Clone, Default)]
struct Path {
    before: Option<(u32, usize)>,
    seen: Vec<Event>,
}

impl Tree {
    /// Goes through the whole game.
    pub fn new(numbers: u8, panels: u8) -> Self {
        let rules = Rules { rounds: 1, numbers, panels, ..Rules::default() };
        let table = Table::new(&rules);
        let mut tree = Self { rules, nodes: Vec::new(), followers: Vec::new(), sets: Vec::new(), actions: 0 };
        tree.add(&table, &[Path::default(), Path::default()], &mut HashMap::new());
        tree
    }

    /// What follows on a position.
    pub fn children(&self, node: u32) -> impl Iterator<Item = u32> {
        let (first, count) = match self.nodes[node as usize] {
            Node::Over(_) => (0, 0),
            Node::Chance { first, count } => (first, count as usize),
            Node::Act { set, first } => (first, self.sets[set as usize].actions.len()),
        };
        self.followers[first as usize..][..count].iter().copied()
    }

    /// All events that a seat has seen when it comes to a decision.
    pub fn seen(&self, set: &Set) -> Vec<Event> {
        let before = set.before.map(|(before, _)| self.seen(&self.sets[before as usize]));
        before.into_iter().flatten().chain(set.seen.iter().cloned()).collect()
    }

    fn add(&mut self, table: &Table, paths: &[Path; 2], known: &mut HashMap<String, u32>) -> u32 {
        let at = self.nodes.len();
        self.nodes.push(Node::Over(Score::new([0, 0])));
        self.nodes[at] = match table.next() {
            Next::Over(points) => Node::Over(Score::new(points)),
            Next::Chance(panels) => {
                let first = self.reserve(panels.len());
                for (nth, panel) in panels.iter().enumerate() {
                    let (mut next, mut events) = (table.clone(), Vec::new());
                    next.take(*panel, &mut events);
                    self.followers[first + nth] = self.add(&next, &see(paths, &events), known);
                }
                Node::Chance { first: first as u32, count: panels.len() as u32 }
            }
            Next::Act(seat, actions) => {
                let set = self.set(seat, &paths[seat], &actions, known);
                let first = self.reserve(actions.len());
                for (nth, action) in actions.iter().enumerate() {
                    let (mut next, mut events) = (table.clone(), Vec::new());
                    next.act(*action, &mut events);
                    let mut paths = paths.clone();
                    paths[seat] = Path { before: Some((set, nth)), seen: Vec::new() };
                    self.followers[first + nth] = self.add(&next, &see(&paths, &events), known);
                }
                Node::Act { set, first: first as u32 }
            }
        };
        at as u32
    }

    /// Places for the followers of a node.
    fn reserve(&mut self, count: usize) -> usize {
        let first = self.followers.len();
        self.followers.resize(first + count, 0);
        first
    }

    /// The set of what the seat knows, a new one if it was never there before.
    fn set(&mut self, seat: usize, path: &Path, actions: &[Action], known: &mut HashMap<String, u32>) -> u32 {
        let key = serde_json::to_string(&(seat, &path.before, &path.seen)).expect("events are JSON");
        let found = *known.entry(key).or_insert_with(|| {
            let Path { before, seen } = path.clone();
            self.sets.push(Set { seat, before, seen, actions: actions.to_vec(), first: self.actions });
            self.actions += actions.len();
            self.sets.len() as u32 - 1
        });
        assert_eq!(self.sets[found as usize].actions, actions, "a seat knows what it can do");
        found
    }
}

/// The ways of both seats, with what each sees of these events.
fn see(paths: &[Path; 2], events: &[Event]) -> [Path; 2] {
    std::array::from_fn(|seat| {
        let mut path = paths[seat].clone();
        path.seen.extend(events.iter().map(|event| Coda::seen_by(event, Seat(seat as u8))));
        path
    })
}
