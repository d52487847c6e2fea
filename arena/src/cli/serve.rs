//! What is said to `arena serve`.

use std::path::PathBuf;

use clap::Args;

use super::folders::folder;

/// `arena serve`
#[derive(Args)]
#[command(after_help = SAFE)]
pub struct Serve {
    /// The folder whose tournaments are shown, with those in folders below it
    #[arg(default_value = ".", value_parser = folder)]
    pub dir: PathBuf,
    /// The address, or the name of this machine, at which to listen; 0.0.0.0 for all of its addresses
    #[arg(long, default_value = "127.0.0.1", value_name = "HOST")]
    pub host: String,
    /// The port; 4270 if left out, or any other if that is taken
    #[arg(long, value_name = "PORT")]
    pub port: Option<u16>,
    /// Let people play also if other machines reach the server
    #[arg(long)]
    pub allow_play: bool,
    /// A program that people may play against, beside the built-in bots; may be repeated
    #[arg(long = "bot", value_name = "NAME=COMMAND")]
    pub bots: Vec<String>,
}

const SAFE: &str = "It prints the address to open, with a token that lets a browser in; without that, and by another name than an \
address, localhost or HOST, nothing is answered. Only this machine reaches it unless --host says otherwise, and then nobody plays without --allow-play. It reads \
ledgers; what it writes are the matches of people, in the folder `played`.";
