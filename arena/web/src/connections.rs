//! Open connections by owner, and the choice of which to close when there are too many.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use arena_runner::lock;
use tokio::sync::Notify;

/// Maximum number of open connections.
const MAX_CONNECTIONS: usize = 512;
/// Maximum number of open connections per seat.
const MAX_PER_SEAT: usize = 8;
/// Weight of a connection whose client has not identified itself, when looking for the owner with the most.
const UNKNOWN_WEIGHT: usize = 4;

/// Owner of a connection: the sender of its last complete and allowed request.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// No such request so far.
    Unknown,
    /// Player with this key.
    Seat(String),
    /// Onlookers of a match, with this key.
    Onlookers(String),
    /// Holders of the host's token.
    Host,
    /// Holders of the viewers' token.
    Viewer,
}

/// Open connections, oldest first.
#[derive(Default)]
pub struct Connections(Mutex<Open>);

#[derive(Default)]
struct Open {
    latest: u64,
    all: BTreeMap<u64, (Owner, Arc<Notify>)>,
}

/// Open connection.
pub struct Connection {
    number: u64,
    closed: Arc<Notify>,
    among: Arc<Connections>,
}

impl Connections {
    /// Adds a connection. If there are too many, closes the oldest one of the owner with the most.
    pub fn add(self: &Arc<Self>) -> Connection {
        let mut open = lock(&self.0);
        if open.all.len() >= MAX_CONNECTIONS {
            let mut held = BTreeMap::<&Owner, usize>::new();
            for (owner, _) in open.all.values() {
                *held.entry(owner).or_default() += if *owner == Owner::Unknown {
                    UNKNOWN_WEIGHT
                } else {
                    1
                };
            }
            let most = held.into_iter().max_by_key(|(_, held)| *held);
            let most = most.map(|(owner, _)| owner.clone());
            most.iter().for_each(|owner| open.close_oldest(owner));
        }
        open.latest += 1;
        let (number, closed) = (open.latest, Arc::new(Notify::new()));
        let mine = (Owner::Unknown, Arc::clone(&closed));
        open.all.insert(number, mine);
        Connection {
            number,
            closed,
            among: Arc::clone(self),
        }
    }
}

impl Open {
    fn close_oldest(&mut self, of: &Owner) {
        let mut held = self.all.iter().filter(|(_, (owner, _))| owner == of);
        let oldest = held.next().map(|(number, _)| *number);
        if let Some((_, closed)) = oldest.and_then(|number| self.all.remove(&number)) {
            closed.notify_one();
        }
    }
}

impl Connection {
    /// Records the owner of the connection. If a seat has too many, closes its oldest.
    pub fn belongs_to(&self, owner: &Owner) {
        let mut open = lock(&self.among.0);
        match open.all.get_mut(&self.number) {
            Some(mine) if mine.0 != *owner => mine.0 = owner.clone(),
            _ => return,
        }
        let held = open.all.values().filter(|(other, _)| other == owner);
        if matches!(owner, Owner::Seat(_)) && held.count() > MAX_PER_SEAT {
            open.close_oldest(owner);
        }
    }

    /// Returns `true` if no allowed request has been sent on the connection.
    pub fn is_unknown(&self) -> bool {
        let open = lock(&self.among.0);
        let mine = open.all.get(&self.number);
        mine.is_none_or(|mine| mine.0 == Owner::Unknown)
    }

    /// Waits until the connection must be closed to make room.
    pub async fn closed(&self) {
        self.closed.notified().await;
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        lock(&self.among.0).all.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_open(connection: &Connection) -> bool {
        let open = lock(&connection.among.0);
        open.all.contains_key(&connection.number)
    }

    #[test]
    fn whoever_has_the_most_connections_gives_way() {
        let connections = Arc::new(Connections::default());
        let add = |owner: &Owner| {
            let connection = connections.add();
            connection.belongs_to(owner);
            connection
        };
        let seat = Owner::Seat("key".into());
        let mut of_others = vec![add(&Owner::Host), add(&Owner::Viewer)];
        of_others.extend((0..MAX_PER_SEAT).map(|_| add(&seat)));
        let unknown: Vec<Connection> = (0..2 * MAX_CONNECTIONS)
            .map(|_| connections.add())
            .collect();
        assert!(of_others.iter().all(is_open));
        let left = MAX_CONNECTIONS - of_others.len();
        assert!(unknown[2 * MAX_CONNECTIONS - left..].iter().all(is_open));
        assert!(!unknown[..2 * MAX_CONNECTIONS - left].iter().any(is_open));
        // The limit per seat applies even if there are connections to spare.
        let _another = add(&seat);
        assert_eq!(of_others.iter().filter(|one| !is_open(one)).count(), 1);
    }
}
