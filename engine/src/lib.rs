//! The rules of the games, and one match as a value without I/O.
//!
//! A match is a [`machine::Match`]. It names the seats that must act, takes their replies in any order, and hands each seat the events that
//! it may see. It ends with a verdict and a record. A match knows nothing of processes, clocks or files, so that tournaments, replays,
//! analyses and tests can all use it.
//!
//! ```
//! use arena_engine::chance::Seed;
//! use arena_engine::game::Game;
//! use arena_engine::games::coda::Coda;
//! use arena_engine::machine::Match;
//! use arena_engine::record::Reply;
//!
//! let seed = Seed::try_from(7).unwrap();
//! let mut chance = seed.stream("players", 0);
//! let mut table = Match::<Coda>::new(&Default::default(), 2, seed).unwrap();
//! while !table.is_over() {
//!     for seat in table.to_act() {
//!         let action = table.game().sample(seat, &mut chance);
//!         table.reply(seat, Reply::Act(action)).unwrap();
//!     }
//! }
//! assert_eq!(table.verdict().unwrap().outcome.seats.len(), 2);
//! ```

#![warn(missing_docs)]

pub mod chance;
pub mod deduction;
pub mod draws;
pub mod fault;
pub mod form;
pub mod frames;
pub mod game;
pub mod games;
pub mod insight;
pub mod json;
pub mod machine;
mod notation;
pub mod outcome;
pub mod player;
pub mod record;
pub mod replay;
pub mod resample;
pub mod seat;
pub mod set;
pub mod small;
pub mod table;
