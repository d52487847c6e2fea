//! Who the open connections belong to, and which of them give way.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use arena_runner::lock;
use tokio::sync::Notify;

/// The most connections at a time.
const ALL: usize = 512;
/// The most connections of a seat.
const OF_SEAT: usize = 8;
/// The weight of connections whose clients have not identified themselves.
const UNKNOWN: usize = 4;

/// Who has sent a complete and allowed request on a connection.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// Nobody yet.
    Unknown,
    /// The player with this key.
    Seat(String),
    /// Those with this key who watch a match.
    Onlookers(String),
    /// Those with the token.
    Host,
    /// Those with the token for viewers.
    Viewer,
}

/// The open connections, the oldest first.
#[derive(Default)]
pub struct Connections(Mutex<Open>);

#[derive(Default)]
struct Open {
    latest: u64,
    all: BTreeMap<u64, (Owner, Arc<Notify>)>,
}

/// An open connection.
pub struct Connection {
    number: u64,
    closed: Arc<Notify>,
    among: Arc<Connections>,
}

impl Connections {
    /// Adds a connection. If there are too many, the oldest of whoever has the most is closed.
    pub fn add(self: &Arc<Self>) -> Connection {
        let mut open = lock(&self.0);
        if open.all.len() >= ALL {
            let mut held = BTreeMap::<&Owner, usize>::new();
            for (owner, _) in open.all.values() {
                *held.entry(owner).or_default() +=
                    if *owner == Owner::Unknown { UNKNOWN } else { 1 };
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
    /// Notes who sends requests on it. If a seat has too many, its oldest is closed.
    pub fn belongs_to(&self, owner: &Owner) {
        let mut open = lock(&self.among.0);
        match open.all.get_mut(&self.number) {
            Some(mine) if mine.0 != *owner => mine.0 = owner.clone(),
            _ => return,
        }
        let held = open.all.values().filter(|(other, _)| other == owner);
        if matches!(owner, Owner::Seat(_)) && held.count() > OF_SEAT {
            open.close_oldest(owner);
        }
    }

    /// True if nobody has sent an allowed request on it.
    pub fn is_unknown(&self) -> bool {
        let open = lock(&self.among.0);
        let mine = open.all.get(&self.number);
        mine.is_none_or(|mine| mine.0 == Owner::Unknown)
    }

    /// Returns when it has to give way.
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
        of_others.extend((0..OF_SEAT).map(|_| add(&seat)));
        let unknown: Vec<Connection> = (0..2 * ALL).map(|_| connections.add()).collect();
        assert!(of_others.iter().all(is_open));
        let left = ALL - of_others.len();
        assert!(unknown[2 * ALL - left..].iter().all(is_open));
        assert!(!unknown[..2 * ALL - left].iter().any(is_open));
        // A seat has no more than its share, whoever else is here.
        let _another = add(&seat);
        assert_eq!(of_others.iter().filter(|one| !is_open(one)).count(), 1);
    }
}
