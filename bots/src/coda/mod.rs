//! Bots for Coda.

pub mod exact;
pub mod excluding;
pub mod knowledge;
mod odds;
