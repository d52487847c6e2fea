//! Which of two bots is stronger, and how sure we are: pairwise and sequential statistics.
//!
//! The unit of every interval is the block (one deal played by one set of bots in every seating), never the match;
//! blocks in which the same two bots meet on the same deal count as one. Sums are integers, so that the order in which
//! matches of a deal arrive changes nothing.

pub mod betting;
pub mod brownian;
pub mod cluster;
pub mod elo;
pub mod forfeits;
pub mod holm;
pub mod identical;
pub mod multinomial;
pub mod normal;
pub mod pair;
pub mod pairwise;
pub mod power;
pub mod sprt;
pub mod stopped;
pub mod student;
pub mod wilson;
