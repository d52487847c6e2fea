//! Tournaments that workers on other machines play.

pub mod bundle;
