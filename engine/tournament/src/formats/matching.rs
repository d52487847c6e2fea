//! Pairing all of an even number of things at the least cost.
//!
//! Edmonds' blossom algorithm (Edmonds 1965, "Maximum matching and a polyhedron with 0,1-vertices") with dual
//! variables and slacks as in Galil 1986, "Efficient algorithms for finding maximum matching in graphs". Its time
//! grows with the third power of the number of things.
//!
//! Things are the nodes `1..=things`; node 0 is none; greater nodes are blossoms, odd rings of nodes that act as one. A
//! node is *outer* or *inner* by how far it is from the root of its tree, and *free* if it is in no tree.

use std::collections::VecDeque;

/// For each of the things, which one it is paired with, such that the costs of the pairs add up to as little as can be.
/// The cost of a pair is symmetric and at least 0.
///
/// # Panics If the number of things is odd, or if costs are so great that `things` times the greatest does not fit an
/// eighth of an `i128`.
pub fn cheapest(things: usize, cost: impl Fn(usize, usize) -> i128) -> Vec<usize> {
    assert!(things.is_multiple_of(2), "one of an odd number stays alone");
    let pairs = (0..things).flat_map(|one| (0..one).map(move |other| (one, other)));
    let greatest = pairs
        .map(|(one, other)| cost(one, other))
        .max()
        .unwrap_or(0);
    assert!(
        greatest < i128::MAX / (8 * (things as i128 + 1)),
        "costs are small enough to be added up"
    );
    let mut forest = Forest::new(things, |one, other| greatest - cost(one, other));
    while forest.grow() {}
    forest.mate[1..=things]
        .iter()
        .map(|mate| mate - 1)
        .collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Free,
    Outer,
    Inner,
}

/// The search for a matching of the greatest weight.
struct Forest {
    things: usize,
    /// The greatest node in use.
    nodes: usize,
    weight: Vec<Vec<i128>>,
    /// The tightest edge between two nodes, as the things at its ends in the first and the second.
    edge: Vec<Vec<(usize, usize)>>,
    /// The dual variables.
    label: Vec<i128>,
    /// The thing at the other end of a node's matched edge.
    mate: Vec<usize>,
    /// The thing from which the tightest edge to a node comes that is not inner.
    slack: Vec<usize>,
    /// The outermost blossom that holds a node; 0 for blossoms that are not in use.
    top: Vec<usize>,
    /// The thing in the tree from which an inner node was reached.
    parent: Vec<usize>,
    /// The node of a blossom's ring that holds a thing.
    holder: Vec<Vec<usize>>,
    side: Vec<Side>,
    /// The last walk to the roots that passed a node.
    passed: Vec<usize>,
    walks: usize,
    /// The ring of a blossom, from its base on.
    ring: Vec<Vec<usize>>,
    queue: VecDeque<usize>,
}

impl Forest {
    fn new(things: usize, weight: impl Fn(usize, usize) -> i128) -> Self {
        let size = things + things / 2 + 2;
        let between = |one: usize, other: usize| {
            if one == other {
                0
            } else {
                weight(one - 1, other - 1)
            }
        };
        let row = |one: usize| {
            (0..=things)
                .map(|other| {
                    if one * other == 0 {
                        0
                    } else {
                        between(one, other)
                    }
                })
                .collect()
        };
        let weight: Vec<Vec<i128>> = (0..=things).map(row).collect();
        let greatest = weight.iter().flatten().copied().max().unwrap_or(0);
        let mut edge = vec![vec![(0, 0); size]; size];
        let mut holder = vec![vec![0; things + 1]; size];
        for one in 1..=things {
            holder[one][one] = one;
            (1..=things)
                .filter(|other| *other != one)
                .for_each(|other| edge[one][other] = (one, other));
        }
        Self {
            things,
            nodes: things,
            weight,
            edge,
            label: (0..size)
                .map(|node| if node <= things { greatest } else { 0 })
                .collect(),
            mate: vec![0; size],
            slack: vec![0; size],
            top: (0..size)
                .map(|node| if node <= things { node } else { 0 })
                .collect(),
            parent: vec![0; size],
            holder,
            side: vec![Side::Free; size],
            passed: vec![0; size],
            walks: 0,
            ring: vec![Vec::new(); size],
            queue: VecDeque::new(),
        }
    }

    /// Twice how far an edge is from being tight.
    fn distance(&self, (one, other): (usize, usize)) -> i128 {
        self.label[one] + self.label[other] - 2 * self.weight[one][other]
    }

    fn is_top(&self, node: usize) -> bool {
        self.top[node] == node
    }

    /// Matches one more pair; false if all are matched.
    fn grow(&mut self) -> bool {
        self.side.fill(Side::Free);
        self.slack.fill(0);
        self.queue.clear();
        for node in 1..=self.nodes {
            if self.is_top(node) && self.mate[node] == 0 {
                self.parent[node] = 0;
                self.make_outer(node);
            }
        }
        if self.queue.is_empty() {
            return false;
        }
        loop {
            if self.scan() {
                return true;
            }
            self.relabel();
            if self.follow_tight() {
                return true;
            }
            for blossom in self.things + 1..=self.nodes {
                if self.is_top(blossom)
                    && self.side[blossom] == Side::Inner
                    && self.label[blossom] == 0
                {
                    self.expand(blossom);
                }
            }
        }
    }

    fn make_outer(&mut self, node: usize) {
        self.side[node] = Side::Outer;
        self.enqueue(node);
    }

    /// Puts the things of a node in the queue of those whose edges are to be scanned.
    fn enqueue(&mut self, node: usize) {
        if node <= self.things {
            self.queue.push_back(node);
        } else {
            self.ring[node]
                .clone()
                .into_iter()
                .for_each(|inner| self.enqueue(inner));
        }
    }

    /// Scans the edges of all outer things; true if a pair was matched.
    fn scan(&mut self) -> bool {
        while let Some(thing) = self.queue.pop_front() {
            for other in 1..=self.things {
                if self.top[thing] == self.top[other] {
                    continue;
                }
                if self.distance((thing, other)) > 0 {
                    self.note_slack(thing, self.top[other]);
                } else if self.follow((thing, other)) {
                    return true;
                }
            }
        }
        false
    }

    fn note_slack(&mut self, thing: usize, node: usize) {
        let noted = self.slack[node];
        if noted == 0
            || self.distance(self.edge[thing][node]) < self.distance(self.edge[noted][node])
        {
            self.slack[node] = thing;
        }
    }

    /// Finds the tightest edge from outer things to a node again.
    fn find_slack(&mut self, node: usize) {
        self.slack[node] = 0;
        for thing in 1..=self.things {
            let there = self.edge[thing][node].0 != 0 && self.top[thing] != node;
            if there && self.side[self.top[thing]] == Side::Outer {
                self.note_slack(thing, node);
            }
        }
    }

    /// Changes the dual variables until an edge gets tight or a blossom can be expanded.
    fn relabel(&mut self) {
        let step = (1..=self.nodes)
            .filter_map(|node| self.room(node))
            .min()
            .expect("every thing has edges to all others");
        for thing in 1..=self.things {
            match self.side[self.top[thing]] {
                Side::Outer => self.label[thing] -= step,
                Side::Inner => self.label[thing] += step,
                Side::Free => {}
            }
        }
        for blossom in self.things + 1..=self.nodes {
            match self.side[blossom] {
                Side::Outer if self.is_top(blossom) => self.label[blossom] += 2 * step,
                Side::Inner if self.is_top(blossom) => self.label[blossom] -= 2 * step,
                _ => {}
            }
        }
    }

    /// By how much the dual variables can change until something happens at a node.
    fn room(&self, node: usize) -> Option<i128> {
        if !self.is_top(node) {
            return None;
        }
        let distance =
            (self.slack[node] != 0).then(|| self.distance(self.edge[self.slack[node]][node]));
        match self.side[node] {
            Side::Free => distance,
            Side::Outer => distance.map(|distance| distance / 2),
            Side::Inner => (node > self.things).then(|| self.label[node] / 2),
        }
    }

    /// Follows all edges that have got tight; true if a pair was matched.
    fn follow_tight(&mut self) -> bool {
        for node in 1..=self.nodes {
            let from = self.slack[node];
            let open = self.is_top(node) && from != 0 && self.top[from] != node;
            if open
                && self.distance(self.edge[from][node]) == 0
                && self.follow(self.edge[from][node])
            {
                return true;
            }
        }
        false
    }

    /// Follows a tight edge from an outer node: to a free node, which joins the tree with its mate; into another
    /// tree, which matches a pair; or within the tree, which makes a blossom. True if a pair was matched.
    fn follow(&mut self, edge: (usize, usize)) -> bool {
        let (from, to) = (self.top[edge.0], self.top[edge.1]);
        match self.side[to] {
            Side::Inner => false,
            Side::Free => {
                let mate = self.top[self.mate[to]];
                self.parent[to] = edge.0;
                self.side[to] = Side::Inner;
                self.slack[to] = 0;
                self.slack[mate] = 0;
                self.make_outer(mate);
                false
            }
            Side::Outer => match self.meeting_point(from, to) {
                0 => {
                    self.augment(from, to);
                    self.augment(to, from);
                    true
                }
                base => {
                    self.contract(from, base, to);
                    false
                }
            },
        }
    }

    /// The node in which the ways of two outer nodes to their roots meet; 0 if they are in different trees.
    fn meeting_point(&mut self, one: usize, other: usize) -> usize {
        self.walks += 1;
        let (mut here, mut there) = (one, other);
        while here != 0 || there != 0 {
            if here != 0 {
                if self.passed[here] == self.walks {
                    return here;
                }
                self.passed[here] = self.walks;
                let mate = self.top[self.mate[here]];
                here = if mate == 0 {
                    0
                } else {
                    self.top[self.parent[mate]]
                };
            }
            std::mem::swap(&mut here, &mut there);
        }
        0
    }

    /// Matches an outer node with another, and all on its way to the root the other way round.
    fn augment(&mut self, mut node: usize, mut with: usize) {
        loop {
            let old = self.top[self.mate[node]];
            self.marry(node, with);
            if old == 0 {
                return;
            }
            let next = self.top[self.parent[old]];
            self.marry(old, next);
            (node, with) = (next, old);
        }
    }

    /// Makes the edge from a node to another its matched one, through all its rings.
    fn marry(&mut self, node: usize, with: usize) {
        let (inside, outside) = self.edge[node][with];
        self.mate[node] = outside;
        if node <= self.things {
            return;
        }
        let base = self.holder[node][inside];
        let even = self.turn_to(node, base);
        for at in 0..even {
            self.marry(self.ring[node][at], self.ring[node][at ^ 1]);
        }
        self.marry(base, with);
        self.ring[node].rotate_left(even);
    }

    /// The place of a node in a ring, which is turned round if that place would be odd.
    fn turn_to(&mut self, blossom: usize, node: usize) -> usize {
        let ring = &mut self.ring[blossom];
        let place = ring
            .iter()
            .position(|one| *one == node)
            .expect("the ring holds the node");
        if place % 2 == 0 {
            return place;
        }
        ring[1..].reverse();
        ring.len() - place
    }

    /// Makes a blossom of the ways from two outer nodes to where they meet.
    fn contract(&mut self, one: usize, base: usize, other: usize) {
        let unused = (self.things + 1..=self.nodes).find(|node| self.top[*node] == 0);
        let blossom = unused.unwrap_or(self.nodes + 1);
        self.nodes = self.nodes.max(blossom);
        self.label[blossom] = 0;
        self.mate[blossom] = self.mate[base];
        let mut ring = vec![base];
        self.walk(one, base, &mut ring);
        ring[1..].reverse();
        self.walk(other, base, &mut ring);
        self.ring[blossom] = ring;
        self.side[blossom] = Side::Outer;
        self.set_top(blossom, blossom);
        self.join_edges(blossom);
        self.find_slack(blossom);
    }

    /// Adds the nodes on the way from an outer node to the base; inner ones become outer.
    fn walk(&mut self, from: usize, base: usize, ring: &mut Vec<usize>) {
        let mut node = from;
        while node != base {
            let inner = self.top[self.mate[node]];
            ring.extend([node, inner]);
            self.enqueue(inner);
            node = self.top[self.parent[inner]];
        }
    }

    fn set_top(&mut self, node: usize, top: usize) {
        self.top[node] = top;
        if node > self.things {
            self.ring[node]
                .clone()
                .into_iter()
                .for_each(|inner| self.set_top(inner, top));
        }
    }

    /// Gives a blossom the tightest edges of its ring.
    fn join_edges(&mut self, blossom: usize) {
        for node in 1..=self.nodes {
            self.edge[blossom][node] = (0, 0);
            self.edge[node][blossom] = (0, 0);
        }
        self.holder[blossom].fill(0);
        for inner in self.ring[blossom].clone() {
            for node in 1..=self.nodes {
                let (new, known) = (self.edge[inner][node], self.edge[blossom][node]);
                if new.0 != 0 && (known.0 == 0 || self.distance(new) < self.distance(known)) {
                    self.edge[blossom][node] = new;
                    self.edge[node][blossom] = (new.1, new.0);
                }
            }
            for thing in 1..=self.things {
                if self.holder[inner][thing] != 0 {
                    self.holder[blossom][thing] = inner;
                }
            }
        }
    }

    /// Takes an inner blossom apart: the even way round its ring stays in the tree, the rest is free.
    fn expand(&mut self, blossom: usize) {
        for inner in self.ring[blossom].clone() {
            self.set_top(inner, inner);
        }
        let (inside, _) = self.edge[blossom][self.parent[blossom]];
        let entry = self.holder[blossom][inside];
        let even = self.turn_to(blossom, entry);
        let ring = self.ring[blossom].clone();
        for pair in ring[..even].chunks(2) {
            let (inner, outer) = (pair[0], pair[1]);
            self.parent[inner] = self.edge[outer][inner].0;
            self.side[inner] = Side::Inner;
            self.slack[inner] = 0;
            self.side[outer] = Side::Outer;
            self.find_slack(outer);
            self.enqueue(outer);
        }
        self.side[entry] = Side::Inner;
        self.parent[entry] = self.parent[blossom];
        for node in &ring[even + 1..] {
            self.side[*node] = Side::Free;
            self.find_slack(*node);
        }
        self.top[blossom] = 0;
    }
}
