//! What each command does.

pub mod bench;
pub mod bot;
pub mod check;
pub mod export;
pub mod faults;
pub mod init;
pub mod list;
pub mod repro;
pub mod run;
pub mod schema;
pub mod show;
pub mod single;
