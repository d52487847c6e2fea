//! The real binary from outside: every test may run beside any other.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod analyse;
mod arguments;
mod browser;
mod check;
mod compare;
mod conditions;
mod config;
mod copies;
mod debugging;

mod docs;
mod durability;
mod export;
mod failures;
mod faults;
mod formats;
mod fuzz;
mod hostile;
mod json;
mod kits;
mod levels;
mod llm;
mod paths;
mod people;
mod plan;
mod profile;
mod programs;
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
