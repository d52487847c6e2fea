//! The games as learners see them, one file each.

mod coda;
mod code_777;
mod crack_the_code;
mod digit_code;
