//! Statistics of finished matches: standings, ratings and comparisons, with their uncertainty. All functions take and return plain values.
//!
//! The unit of every interval is the block (one deal played by one set of bots in every seating), never the match. All blocks on the same
//! deal in which the same two bots meet count as one. Sums are integers, so that results do not depend on the order in which matches of a
//! deal arrive.

pub mod ahead;
pub mod betting;
pub mod carryover;
pub mod cluster;
pub mod compare;
pub mod crosstable;
pub mod elo;
pub mod histogram;
pub mod holm;
pub mod identical;
pub mod interval;
pub mod multinomial;
pub mod normal;
pub mod pair;
pub mod paired;
pub mod pairwise;
pub mod power;
pub mod profile;
pub mod rating;
pub mod scoring;
pub mod sprt;
pub mod standings;
pub mod student;
pub mod tune;
pub mod wilson;
