//! What the command line or another program chooses for a queue.

use std::path::PathBuf;

/// A server, and as whom to connect.
#[derive(Clone, Debug, Default)]
pub struct Server {
    /// Its address; several servers of a cluster are separated by commas.
    pub url: String,
    /// A file with NATS credentials (a JWT and its key).
    pub creds: Option<PathBuf>,
    /// A file with the seed of an nkey.
    pub nkey: Option<PathBuf>,
    /// Certificates (PEM) that the server's must descend from; TLS is then required.
    pub ca: Option<PathBuf>,
    /// Our certificate and its key (PEM).
    pub identity: Option<(PathBuf, PathBuf)>,
}

/// How a tournament is distributed.
#[derive(Clone, Debug)]
pub struct Distribution {
    pub server: Server,
    /// How many of a hundred stretches of deals are played again by another worker.
    pub recheck: u32,
    /// For how many seconds a worker may have a stretch of deals; if none, as long as they are found to take.
    pub unit_timeout: Option<u64>,
    /// True if workers may have another build of the same version.
    pub other_builds: bool,
}

/// How this machine works for others.
#[derive(Clone, Debug)]
pub struct Working {
    pub server: Server,
    /// How many matches at a time; if none, one for each core.
    pub jobs: Option<usize>,
    pub oversubscribe: bool,
    pub as_root: bool,
    /// True if tournaments may lower the protection of this machine.
    pub trust: bool,
    pub name: Option<String>,
    /// Where bots that came over the queue are kept; if none, in the user's cache.
    pub cache: Option<PathBuf>,
    /// True if it ends with the first tournament.
    pub once: bool,
}
