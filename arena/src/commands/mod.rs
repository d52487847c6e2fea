//! What each command does.

pub mod audit;
pub mod bench;
pub mod bot;
pub mod check;
pub mod compare;
pub mod export;
pub mod extend;
pub mod faults;
pub mod init;
pub mod list;
pub mod plan;
pub mod report;
pub mod repro;
pub mod reset;
pub mod run;
pub mod schema;
pub mod show;
pub mod single;
pub mod stop;
pub mod verify;
