//! `arena serve`: shows the tournaments of a folder live in a browser, replays their matches, and opens tables for people.
//!
//! Pages are derived from ledgers, like reports, so a tournament runs without the server. Input from a page never becomes a path, a command
//! or markup: tournaments are looked up among those found, and texts are escaped.

mod access;
mod answer;
mod assets;
mod catalogue;
mod judging;
mod key;
mod pages;
mod parts;
pub mod play;
mod routes;
mod season;
mod seats;
mod server;
mod work;

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use arena_ledger::ledger::Ledger;
use arena_ledger::matches::Index;
use tokio::runtime;
use tokio::time::sleep;

use self::access::Access;
use self::answer::Answer;
use self::catalogue::{Catalogue, TournamentFolder};
use self::judging::Judging;
use self::parts::{Made, Memo, Part, Parts};
use self::play::{Program, Tables};
use self::season::Seasons;
use self::work::Work;
use arena_results::rate::Choices;
use arena_runner::Stop;
use arena_runner::status::status;

/// Default port, used if it is free.
pub const PORT: u16 = 4270;
/// Maximum number of cached parts of pages.
const MAX_PARTS: usize = 128;
const MAX_INDICES: usize = 4;
/// Interval between checks for a request to stop.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Settings of the server.
pub struct Settings {
    /// Folder whose tournaments are served.
    pub dir: PathBuf,
    /// Address or name to listen on.
    pub host: String,
    /// The port; `None` for the default port, or for any free port if that one is taken.
    pub port: Option<u16>,
    /// True if people on other machines may play.
    pub allows_play: bool,
    /// Programs that people may play against.
    pub programs: Vec<Program>,
    /// The file that stores the token; `None` to create a new token at each start.
    pub token_file: Option<PathBuf>,
    /// The file that stores the viewers' token; `None` if there are no viewers.
    pub view_token_file: Option<PathBuf>,
    /// Choices for the rating of a season.
    pub season: Choices,
}

/// State shared by all requests.
pub struct Site {
    access: Access,
    catalogue: Catalogue,
    parts: Parts,
    /// Cached indices of matches.
    indices: Memo<(), Index>,
    /// Choices for the rating of a season.
    season: Choices,
    seasons: Seasons,
    work: Work,
    judging: Arc<Judging>,
    tables: Tables,
    /// True if people may play on this server.
    has_play: bool,
}

impl Site {
    /// Returns a part of a tournament's pages.
    async fn part(&self, found: &TournamentFolder, part: Part) -> Answer<Arc<Made<String>>> {
        let standings = pages::address(found, "");
        let make = move |dir: &Path, ledger: &Ledger| part.make(dir, ledger, &standings);
        self.parts.get(&self.work, found, part, make).await
    }
}

/// Serves requests until it is stopped.
pub fn serve(settings: &Settings, stop: &Arc<Stop>) -> anyhow::Result<()> {
    let listener = listen(settings)?;
    let address = listener.local_addr()?;
    let token_file = settings.token_file.as_deref();
    let token = token_file.map_or_else(key::new, key::kept)?;
    let view_token_file = settings.view_token_file.as_deref();
    let view_token = view_token_file.map(key::kept).transpose()?;
    ensure!(
        view_token.as_ref() != Some(&token),
        "--token-file and --view-token-file hold the same token"
    );
    let access = Access {
        token,
        view_token,
        host: settings.host.clone(),
        address,
    };
    status(format_args!("serving    {}", access.link(&access.token)));
    if let Some(token) = &access.view_token {
        status(format_args!("to watch   {}", access.link(token)));
    }
    status("           open it in a browser; Ctrl-C to stop");
    if !address.ip().is_loopback() {
        let play = if settings.allows_play {
            " and play"
        } else {
            "; to let them play, add --allow-play"
        };
        status(format_args!(
            "           other machines reach it: all who have this address can see the tournaments{play}"
        ));
        if address.ip().is_unspecified() {
            status("           there, replace 127.0.0.1 by the address of this machine");
        }
    }
    let site = Arc::new(Site {
        access,
        catalogue: Catalogue::new(settings.dir.clone()),
        parts: Memo::new(MAX_PARTS),
        indices: Memo::new(MAX_INDICES),
        season: settings.season.clone(),
        seasons: Seasons::default(),
        work: Work::default(),
        judging: Arc::default(),
        tables: Tables::new(settings.dir.clone(), settings.programs.clone()),
        has_play: settings.allows_play || address.ip().is_loopback(),
    });
    if site.has_play
        && let Err(error) = site.tables.resume()
    {
        status(format_args!(
            "cannot resume saved matches of people: {error:#}"
        ));
    }
    let router = routes::router(Arc::clone(&site));
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start a server")?;
    let done = runtime.block_on(async {
        let stopped = async {
            while !stop.is_set() {
                sleep(CHECK_INTERVAL).await;
            }
        };
        server::serve(listener, router, stopped).await
    });
    let saved = site.tables.playing().len();
    if saved > 0 {
        status(format_args!(
            "unfinished matches saved: {saved}; `arena serve` in this folder resumes them at the same links"
        ));
    }
    // Drop pending computations, because their clients are gone.
    runtime.shutdown_background();
    done
}

fn listen(settings: &Settings) -> anyhow::Result<TcpListener> {
    let host = settings.host.as_str();
    let at = |port: u16| TcpListener::bind((host, port));
    let listener = match settings.port {
        Some(port) => at(port),
        None => at(PORT).or_else(|_| at(0)),
    };
    let listener = listener.with_context(|| match settings.port {
        Some(port) => format!("cannot listen at {host}, port {port} (--host, --port)"),
        None => format!("cannot listen at {host} (--host)"),
    })?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}
