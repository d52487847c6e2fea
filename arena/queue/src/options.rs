//! Options of a queue, given on the command line or by another program.

use std::path::PathBuf;

/// Server address and credentials.
#[derive(Clone, Debug, Default)]
pub struct Server {
    /// Address of the server; commas separate several servers of a cluster.
    pub url: String,
    /// File with NATS credentials (a JWT and its key).
    pub creds: Option<PathBuf>,
    /// File with the seed of an nkey.
    pub nkey: Option<PathBuf>,
    /// Root certificates (PEM) for the server; requires TLS.
    pub ca: Option<PathBuf>,
    /// Client certificate and its key (PEM).
    pub identity: Option<(PathBuf, PathBuf)>,
}

/// Options of a worker.
#[derive(Clone, Debug)]
pub struct Working {
    pub server: Server,
    /// Number of concurrent matches; `None` for one per core.
    pub jobs: Option<usize>,
    pub oversubscribe: bool,
    pub as_root: bool,
    /// True if tournaments may lower the protection of this machine.
    pub trust: bool,
    pub name: Option<String>,
    /// True to exit after the first tournament.
    pub once: bool,
}
