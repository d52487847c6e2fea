//! Bots on Linux: three processes are at work for each.
//!
//! The arena (`child.rs`) starts `arena supervise` (`supervisor.rs`), which stays between it and the bot: it adopts whatever
//! the bot's processes leave behind, holds them to their limits, and ends them all when the arena asks for it or is gone. It
//! starts `arena launch` (`launcher.rs`), which isolates itself and becomes the bot. Lines go between the arena and the bot
//! directly.

mod bubblewrap;
mod cgroup;
mod child;
mod disk;
mod landlock;
pub mod launcher;
mod messages;
mod meter;
mod monitor;
mod orphans;
mod process_tree;
pub mod supervisor;

pub use self::cgroup::{Cgroup, Cgroups};
pub use self::child::SandboxedChild;
pub use self::meter::{Meter, Reading, State, Thread};
pub use self::orphans::adopt as prepare;
use super::backend::Available;
use super::scratch::Scratch;

/// The control group of this run, if one can be had.
pub fn groups() -> Option<Cgroups> {
    Cgroups::new().ok()
}

/// Tries what this machine offers.
pub fn probe(scratch: &Scratch) -> Available {
    Available { bubblewrap: bubblewrap::probe(scratch), landlock: landlock::probe() }
}
