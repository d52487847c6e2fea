//! The flags of a queue through which the machines of a tournament speak.

use std::path::PathBuf;

use clap::Args;

/// Where the queue is, and as whom to speak to it.
#[derive(Args, Clone)]
pub struct NatsArgs {
    /// Play on the machines that run `arena work`: the NATS server with JetStream through which they get matches, such as
    /// nats://queue.example.org:4222; several servers of a cluster are separated by commas
    #[arg(long = "nats", value_name = "URL")]
    pub url: Option<String>,
    /// A file with NATS credentials (a JWT and its key)
    #[arg(long, value_name = "FILE", requires = "url", help_heading = "NATS")]
    pub nats_creds: Option<PathBuf>,
    /// A file with the seed of an nkey
    #[arg(long, value_name = "FILE", requires = "url", conflicts_with = "nats_creds", help_heading = "NATS")]
    pub nats_nkey: Option<PathBuf>,
    /// A file with certificates (PEM) that the server's must descend from; TLS is then required
    #[arg(long, value_name = "FILE", requires = "url", help_heading = "NATS")]
    pub nats_ca: Option<PathBuf>,
    /// A file with the own certificate (PEM), where the server wants one
    #[arg(long, value_name = "FILE", requires = "nats_key", help_heading = "NATS")]
    pub nats_cert: Option<PathBuf>,
    /// A file with the key of the own certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "nats_cert", help_heading = "NATS")]
    pub nats_key: Option<PathBuf>,
}

/// A tournament's queue.
#[derive(Args, Clone)]
pub struct QueueArgs {
    /// Where it is
    #[command(flatten)]
    pub nats: NatsArgs,
    /// How many of a hundred stretches of deals are played a second time by another worker and compared
    #[arg(long, value_name = "PERCENT", default_value_t = 2, value_parser = clap::value_parser!(u32).range(..=100), requires = "url", help_heading = "NATS")]
    pub recheck: u32,
    /// For how many seconds a worker may have a stretch of deals before another gets it [default: 20 times as long as the longest took, and at least 600]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..), requires = "url", help_heading = "NATS")]
    pub unit_timeout: Option<u64>,
    /// Let workers take part whose program is of the same version but not the same file, such as one built for another system
    #[arg(long, requires = "url", help_heading = "NATS")]
    pub other_builds: bool,
}

/// `arena work`
#[derive(Args)]
pub struct Work {
    /// Where the queue is
    #[command(flatten)]
    pub nats: NatsArgs,
    /// How many matches at a time [default: the number of cores]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// More jobs than there are cores
    #[arg(long)]
    pub oversubscribe: bool,
    /// Let bots run as root where they cannot run as another user
    #[arg(long)]
    pub as_root: bool,
    /// The worker's name; others see it [default: that of the machine and some letters]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Where bots that came over the queue are kept [default: coda-arena/bots in the user's cache]
    #[arg(long, value_name = "FOLDER")]
    pub cache: Option<PathBuf>,
    /// End when the first tournament has ended
    #[arg(long)]
    pub once: bool,
}

#[cfg(feature = "nats")]
impl NatsArgs {
    /// The server; none if no address is given.
    fn server(&self) -> Option<arena_queue::options::Server> {
        let identity = self.nats_cert.clone().zip(self.nats_key.clone());
        let (creds, nkey, ca) = (self.nats_creds.clone(), self.nats_nkey.clone(), self.nats_ca.clone());
        Some(arena_queue::options::Server { url: self.url.clone()?, creds, nkey, ca, identity })
    }
}

#[cfg(feature = "nats")]
impl QueueArgs {
    /// How the tournament is distributed; none if it is not.
    pub fn distribution(&self) -> Option<arena_queue::options::Distribution> {
        let Self { recheck, unit_timeout, other_builds, .. } = *self;
        Some(arena_queue::options::Distribution { server: self.nats.server()?, recheck, unit_timeout, other_builds })
    }
}

#[cfg(feature = "nats")]
impl Work {
    /// How this machine works; none if no address is given.
    pub fn working(&self) -> Option<arena_queue::options::Working> {
        let Self { jobs, oversubscribe, as_root, once, .. } = *self;
        let (name, cache) = (self.name.clone(), self.cache.clone());
        let server = self.nats.server()?;
        Some(arena_queue::options::Working { server, jobs, oversubscribe, as_root, name, cache, once })
    }
}
