//! End-to-end tests of the real binary, all of which can run in parallel.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod analyse;
mod arguments;
mod check;
mod compare;
mod conditions;
mod config;
mod debugging;
mod docs;
mod durability;
mod export;
mod failures;
mod faults;
mod formats;
mod fuzz;
mod json;
mod large;
mod paths;
mod people;
mod plan;
mod profile;
mod project;
mod rate;
mod referees;
mod sandbox;
mod secret;
mod serve;
mod serve_play;
mod shards;
mod shell;
mod sigterm;
mod tournament;
mod tune;
mod update;

// These need other programs than Rust and a shell.
#[cfg(feature = "all")]
mod browser;
#[cfg(feature = "all")]
mod copies;
#[cfg(feature = "all")]
mod elsewhere;
#[cfg(feature = "all")]
mod game_programs;
#[cfg(feature = "all")]
mod hostile;
#[cfg(feature = "all")]
mod kits;
#[cfg(feature = "all")]
mod levels;
#[cfg(feature = "all")]
mod llm;
#[cfg(feature = "all")]
mod own_game;
#[cfg(feature = "all")]
mod programs;
