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
