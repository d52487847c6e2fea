//! Laws of the leaderboard as a whole.
