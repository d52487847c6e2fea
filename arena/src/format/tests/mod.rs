//! The laws of the formats.
