//! What bots are put into: the best that this machine offers, found by trying, or what is demanded.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::scratch::Scratch;
use super::words::{Order, Room};
use super::{Launch, StartError, folders};

/// How much isolation is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// The best that can be had
    #[default]
    Auto,
    /// Bubblewrap or Landlock, or nothing is played
    Require,
    /// Bubblewrap, or nothing is played
    Bubblewrap,
    /// Landlock, or nothing is played
    Landlock,
    /// None: bots may read and write what you may
    Off,
}

/// What a cage is made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bars {
    /// Namespaces of its own for everything, by the program at this path.
    Bubblewrap(PathBuf),
    /// Rights on files, and on what else the kernel can withhold, by this version of its interface.
    Landlock(u8),
    /// Limits for each process.
    Rlimits,
    /// Nothing.
    None,
}

/// What there is on this machine: why not, in words, for what there is not.
#[derive(Clone, Debug)]
pub struct Found {
    /// The path of a bubblewrap that works.
    pub bubblewrap: Result<PathBuf, String>,
    /// The version of Landlock's interface.
    pub landlock: Result<u8, String>,
}

/// What the bots of this run are put into, and where they write.
#[derive(Debug)]
pub struct Cage {
    bars: Bars,
    is_degraded: bool,
    told: Option<String>,
    scratch: Scratch,
    read: Vec<PathBuf>,
    hidden: BTreeSet<PathBuf>,
}

/// Why there is no cage.
#[derive(Debug, thiserror::Error)]
pub enum NoCage {
    /// What was demanded is not to be had.
    #[error("the isolation that is required cannot be had: {0}")]
    Refused(String),
    /// There is no room for temporary files.
    #[error("cannot make a folder for temporary files: {0}")]
    NoScratch(#[from] std::io::Error),
}

impl Cage {
    /// Makes a cage of what can be had. What is hidden cannot be read by any bot, though it may lie in a folder that can.
    pub fn new(isolation: Isolation, hidden: impl IntoIterator<Item = PathBuf>) -> Result<Self, NoCage> {
        let scratch = Scratch::new()?;
        let hidden = hidden.into_iter().map(|path| std::fs::canonicalize(&path).unwrap_or(path));
        let hidden = hidden.chain(folders::secrets()).chain([scratch.path().to_path_buf()]).collect();
        let (bars, instead) = choose(isolation, || probe(&scratch)).map_err(NoCage::Refused)?;
        let told = Some(told(&bars, instead.as_deref()));
        Ok(Self { bars, is_degraded: instead.is_some(), told, scratch, read: folders::common(), hidden })
    }

    /// A cage that stays empty.
    pub fn unused() -> Result<Self, NoCage> {
        let (bars, scratch) = (Bars::None, Scratch::new()?);
        Ok(Self { bars, is_degraded: false, told: None, scratch, read: Vec::new(), hidden: BTreeSet::new() })
    }

    /// What holds, in one line, if there is anything to be held.
    pub fn told(&self) -> Option<&str> {
        self.told.as_deref()
    }

    /// Whether this is less than could be had elsewhere.
    pub fn is_degraded(&self) -> bool {
        self.is_degraded
    }

    /// A new room, and the order to launch a bot in it.
    pub(super) fn order(&self, launch: &Launch<'_>) -> Result<(PathBuf, Order), StartError> {
        let said = |what: &Path, error: std::io::Error| format!("{}: {error}", what.display());
        let dir = std::fs::canonicalize(launch.dir).map_err(|error| StartError::Bot(said(launch.dir, error)))?;
        let room = self.scratch.room().map_err(|error| StartError::Arena(said(self.scratch.path(), error)))?;
        let mut own = vec![dir.clone()];
        own.extend(launch.read.iter().cloned());
        let mut read = [self.read.as_slice(), &own].concat();
        let named = folders::named(launch.command, &dir, &read);
        own.extend(named.iter().cloned());
        read.extend(named);
        let order = Order {
            command: folders::from_work(launch.command, &dir),
            env: environment(launch.env, &Room(&room)),
            limits: launch.limits,
            bars: self.bars.clone(),
            hidden: folders::hidden_within(&self.hidden, &read, &own),
            read,
            dir,
            cores: launch.cores.map(<[usize]>::to_vec),
        };
        Ok((room, order))
    }
}

/// What holds in a cage, in one line.
fn told(bars: &Bars, instead: Option<&str>) -> String {
    let (name, holds) = match bars {
        Bars::Bubblewrap(_) => ("bubblewrap", "no network, private files, own process tree"),
        Bars::Landlock(6..) => ("landlock", "private files, no TCP, no signals to others"),
        Bars::Landlock(4..) => ("landlock", "private files, no TCP"),
        Bars::Landlock(_) => ("landlock", "private files; the network can be reached"),
        Bars::Rlimits => ("none", "bots may read and write what you may, and use the network; limits hold"),
        Bars::None => ("none", "bots may do what you may; nothing but time is limited"),
    };
    let instead = instead.map(|why| format!(" ({why})")).unwrap_or_default();
    format!("isolation  {name}{instead}: {holds}")
}

/// The whole environment of a bot: what says where programs are and which language is spoken, its folders, and its own.
fn environment(own: &BTreeMap<String, String>, room: &Room<'_>) -> BTreeMap<String, String> {
    let kept = |name: &str| ["PATH", "LANG", "TZ"].contains(&name) || name.starts_with("LC_") || is_needed(name);
    let mut env: BTreeMap<String, String> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .filter(|(name, _)| kept(name))
        .collect();
    let tmp = room.tmp().display().to_string();
    env.extend(["HOME", "TMPDIR"].map(|name| (name.to_owned(), tmp.clone())));
    env.extend(own.clone());
    env
}

/// What no program can do without on Windows.
fn is_needed(name: &str) -> bool {
    cfg!(windows) && ["SYSTEMROOT", "PATHEXT", "COMSPEC", "WINDIR"].contains(&name.to_ascii_uppercase().as_str())
}

/// The best of what is there, or what was demanded, with what was passed over and why.
fn choose(isolation: Isolation, probe: impl FnOnce() -> Found) -> Result<(Bars, Option<String>), String> {
    let lowest = if cfg!(unix) { Bars::Rlimits } else { Bars::None };
    if isolation == Isolation::Off {
        return Ok((lowest, None));
    }
    let Found { bubblewrap, landlock } = probe();
    match (isolation, bubblewrap, landlock) {
        (Isolation::Landlock, _, landlock) => landlock.map(|version| (Bars::Landlock(version), None)),
        (_, Ok(program), _) => Ok((Bars::Bubblewrap(program), None)),
        (Isolation::Bubblewrap, Err(why), _) => Err(why),
        (_, Err(why), Ok(version)) => Ok((Bars::Landlock(version), Some(why))),
        (Isolation::Require, Err(first), Err(second)) => Err(format!("{first}; {second}")),
        (_, Err(first), Err(second)) => Ok((lowest, Some(format!("{first}; {second}")))),
    }
}

/// Tries what this machine offers.
#[cfg(target_os = "linux")]
fn probe(scratch: &Scratch) -> Found {
    Found { bubblewrap: super::bubblewrap::probe(scratch), landlock: super::landlock::probe() }
}

/// There is nothing to try here.
#[cfg(not(target_os = "linux"))]
fn probe(_: &Scratch) -> Found {
    let why = |name: &str| format!("{name} is for Linux only");
    Found { bubblewrap: Err(why("bubblewrap")), landlock: Err(why("landlock")) }
}
