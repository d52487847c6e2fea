//! `arena serve` on the command line.

use clap::Args;

use super::folders::TournamentDir;

/// `arena serve`
#[derive(Args)]
#[command(after_help = SAFE)]
pub struct Serve {
    /// Show the tournaments in this folder and below it
    #[arg(default_value = ".")]
    pub dir: TournamentDir,
    /// Listen on this address or name of this machine; 0.0.0.0 for all of its addresses
    #[arg(long, default_value = "127.0.0.1", value_name = "HOST")]
    pub host: String,
    /// Port [default: 4270, or any other if that is taken]
    #[arg(long, value_name = "PORT")]
    pub port: Option<u16>,
    /// Let people play even if other machines reach the server
    #[arg(long)]
    pub allow_play: bool,
    /// Offer this program as an opponent, besides the built-in bots; repeatable
    #[arg(long = "bot", value_name = "NAME=COMMAND")]
    pub bots: Vec<String>,
}

const SAFE: &str = "The server prints the address to open, with a token that lets a browser in. Without the token, or under a name other than an \
address, localhost or HOST, it answers nothing. Only this machine can reach it unless --host is given; then people can play only with --allow-play. The server reads \
ledgers, and writes only the matches of people, in the folder `played`.";
