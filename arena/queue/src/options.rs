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

/// How this machine works for others.
#[derive(Clone, Debug)]
pub struct Working {
    pub server: Server,
    /// The number of matches at a time; if none, one for each core.
    pub jobs: Option<usize>,
    pub oversubscribe: bool,
    pub as_root: bool,
    /// True if tournaments may lower the protection of this machine.
    pub trust: bool,
    pub name: Option<String>,
    /// True if it ends with the first tournament.
    pub once: bool,
}
