//! The flags for the queue that connects a tournament's machines.

use std::path::PathBuf;

use clap::Args;

use super::folders::Trust;

/// Help heading of these flags.
const HEADING: &str = "Many machines";

/// The server, and the credentials for it.
#[derive(Args, Clone, Default)]
pub struct NatsArgs {
    /// Play on the machines that run `arena work`, over this NATS server, such as nats://queue.example.org:4222
    #[arg(long = "nats", value_name = "URL", help_heading = HEADING)]
    pub url: Option<String>,
    /// File with NATS credentials (a JWT and its key)
    #[arg(long, value_name = "FILE", requires = "url", help_heading = HEADING, hide_short_help = true)]
    pub nats_creds: Option<PathBuf>,
    /// File with the seed of an nkey
    #[arg(long, value_name = "FILE", requires = "url", conflicts_with = "nats_creds", help_heading = HEADING, hide_short_help = true)]
    pub nats_nkey: Option<PathBuf>,
    /// File with the root certificates (PEM) of the server; requires TLS
    #[arg(long, value_name = "FILE", requires = "url", help_heading = HEADING, hide_short_help = true)]
    pub nats_ca: Option<PathBuf>,
    /// File with your certificate (PEM), if the server wants one
    #[arg(long, value_name = "FILE", requires = "nats_key", help_heading = HEADING, hide_short_help = true)]
    pub nats_cert: Option<PathBuf>,
    /// File with the key of your certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "nats_cert", help_heading = HEADING, hide_short_help = true)]
    pub nats_key: Option<PathBuf>,
}

/// `arena work`
#[derive(Args)]
#[command(mut_arg("url", |arg| arg.help("Take matches from this NATS server, such as nats://queue.example.org:4222")))]
pub struct Work {
    #[command(flatten)]
    pub nats: NatsArgs,
    /// Play this many matches at a time [default: one per core]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Allow more jobs than cores
    #[arg(long)]
    pub oversubscribe: bool,
    /// If the arena runs as root: let bots run as root where they cannot run as another user
    #[arg(long)]
    pub as_root: bool,
    /// Name of the worker, which no other worker may have [default: the machine's name and the process ID]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Exit when a tournament has ended
    #[arg(long)]
    pub once: bool,
    #[command(flatten)]
    pub trust: Trust,
}

#[cfg(feature = "nats")]
impl NatsArgs {
    /// Returns the server; `None` if no address is given.
    pub fn server(&self) -> Option<arena_queue::options::Server> {
        Some(arena_queue::options::Server {
            url: self.url.clone()?,
            creds: self.nats_creds.clone(),
            nkey: self.nats_nkey.clone(),
            ca: self.nats_ca.clone(),
            identity: self.nats_cert.clone().zip(self.nats_key.clone()),
        })
    }
}

#[cfg(feature = "nats")]
impl Work {
    /// Returns the options of this machine as a worker; `None` if no address is given.
    pub fn working(&self) -> Option<arena_queue::options::Working> {
        let Self {
            jobs,
            oversubscribe,
            as_root,
            once,
            trust: Trust { trust },
            ..
        } = *self;
        Some(arena_queue::options::Working {
            server: self.nats.server()?,
            jobs,
            oversubscribe,
            as_root,
            trust,
            name: self.name.clone(),
            once,
        })
    }
}
