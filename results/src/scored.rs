//! A finished match in short.

pub use arena_tournament::deals::{Scored, Seated};
