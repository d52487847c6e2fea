//! The flags of the queue that connects the machines of a tournament.

use std::path::PathBuf;

use clap::Args;

use super::SpecArgs;
use super::folders::{TournamentDir, Trust};

/// The heading of these flags in help.
const MANY: &str = "Many machines";

/// The server, and the credentials for it.
#[derive(Args, Clone)]
pub struct NatsArgs {
    /// Play on the machines that run `arena work`, over this NATS server, such as nats://queue.example.org:4222
    #[arg(long = "nats", value_name = "URL", help_heading = MANY)]
    pub url: Option<String>,
    /// File with NATS credentials (a JWT and its key)
    #[arg(long, value_name = "FILE", requires = "url", help_heading = MANY, hide_short_help = true)]
    pub nats_creds: Option<PathBuf>,
    /// File with the seed of an nkey
    #[arg(long, value_name = "FILE", requires = "url", conflicts_with = "nats_creds", help_heading = MANY, hide_short_help = true)]
    pub nats_nkey: Option<PathBuf>,
    /// File with the root certificates (PEM) of the server; requires TLS
    #[arg(long, value_name = "FILE", requires = "url", help_heading = MANY, hide_short_help = true)]
    pub nats_ca: Option<PathBuf>,
    /// File with your certificate (PEM), if the server wants one
    #[arg(long, value_name = "FILE", requires = "nats_key", help_heading = MANY, hide_short_help = true)]
    pub nats_cert: Option<PathBuf>,
    /// File with the key of your certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "nats_cert", help_heading = MANY, hide_short_help = true)]
    pub nats_key: Option<PathBuf>,
}

/// A tournament's queue.
#[derive(Args, Clone)]
pub struct QueueArgs {
    #[command(flatten)]
    pub nats: NatsArgs,
    /// Let other workers play this percentage of deals again, and at least 15 deals of each worker; 0 for none
    #[arg(long, value_name = "PERCENT", default_value_t = 2, value_parser = clap::value_parser!(u32).range(..=100), requires = "url", help_heading = MANY, hide_short_help = true)]
    pub recheck: u32,
    /// Give a unit of deals to another worker after this many seconds [default: 20 times the longest so far, at least 600]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..), requires = "url", help_heading = MANY, hide_short_help = true)]
    pub unit_timeout: Option<u64>,
    /// Admit workers with another build of the same version, such as one for another system
    #[arg(long, requires = "url", help_heading = MANY, hide_short_help = true)]
    pub other_builds: bool,
}

/// `arena work`
#[derive(Args)]
pub struct Work {
    #[command(flatten)]
    pub nats: NatsArgs,
    /// Play this many matches at a time [default: one per core]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Allow more jobs than cores
    #[arg(long)]
    pub oversubscribe: bool,
    /// As root, let bots run as root where they cannot run as another user
    #[arg(long)]
    pub as_root: bool,
    /// Name of the worker, shown to others [default: that of the machine and some letters]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Keep bots that come over the queue in this folder [default: coda-arena/bots in the user's cache]
    #[arg(long, value_name = "FOLDER")]
    pub cache: Option<PathBuf>,
    /// Exit when the first tournament ends
    #[arg(long)]
    pub once: bool,
    #[command(flatten)]
    pub trust: Trust,
}

/// `arena bundle`
#[derive(Args)]
pub struct Bundle {
    #[command(flatten)]
    pub spec: SpecArgs,
    /// List every file with its size, and everything that stays at home with the reason
    #[arg(long)]
    pub list: bool,
}

/// `arena workers`
#[derive(Args)]
pub struct Workers {
    /// Folder of the tournament, or its file
    pub dir: TournamentDir,
    /// Exclude this worker, and remove its matches, which the next `arena run` plays again
    #[arg(long, value_name = "NAME", conflicts_with = "readmit")]
    pub ban: Option<String>,
    /// Admit this excluded worker again
    #[arg(long, value_name = "NAME")]
    pub readmit: Option<String>,
}

#[cfg(feature = "nats")]
impl NatsArgs {
    /// The server; none if no address is given.
    fn server(&self) -> Option<arena_queue::options::Server> {
        let identity = self.nats_cert.clone().zip(self.nats_key.clone());
        let (creds, nkey, ca) = (
            self.nats_creds.clone(),
            self.nats_nkey.clone(),
            self.nats_ca.clone(),
        );
        Some(arena_queue::options::Server {
            url: self.url.clone()?,
            creds,
            nkey,
            ca,
            identity,
        })
    }
}

#[cfg(feature = "nats")]
impl QueueArgs {
    /// How the tournament is distributed; none if it is not.
    pub fn distribution(&self) -> Option<arena_queue::options::Distribution> {
        let Self {
            recheck,
            unit_timeout,
            other_builds,
            ..
        } = *self;
        Some(arena_queue::options::Distribution {
            server: self.nats.server()?,
            recheck,
            unit_timeout,
            other_builds,
        })
    }
}

#[cfg(feature = "nats")]
impl Work {
    /// How this machine works; none if no address is given.
    pub fn working(&self) -> Option<arena_queue::options::Working> {
        let Self {
            jobs,
            oversubscribe,
            as_root,
            once,
            trust: Trust { trust },
            ..
        } = *self;
        let (name, cache) = (self.name.clone(), self.cache.clone());
        let server = self.nats.server()?;
        Some(arena_queue::options::Working {
            server,
            jobs,
            oversubscribe,
            as_root,
            trust,
            name,
            cache,
            once,
        })
    }
}
