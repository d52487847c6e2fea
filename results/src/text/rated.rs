//! Ratings over many tournaments as text.

use super::{fitted, lines};
use crate::rate::{Pooled, Season};
use crate::table;

/// Maximum number of tournaments of a season that are shown one by one.
const MAX_TOURNAMENTS: usize = 4;

/// Formats the sentence on which bots are ahead of which, the ratings, and the season if there is one.
pub fn rated(pooled: &Pooled, width: usize) -> String {
    let head = [
        table::rated_facts(pooled),
        String::new(),
        pooled.result.clone(),
    ];
    let mut text = format!(
        "{}\n{}",
        lines(&head, width),
        fitted(&table::rated(pooled), width)
    );
    if let Some(season) = &pooled.season {
        text += &format!("\n{}", self::season(season, width));
    }
    text
}

fn season(season: &Season, width: usize) -> String {
    let mut table = table::season(season);
    let shown = table.columns.len() - season.tournaments.len();
    if season.tournaments.len() > MAX_TOURNAMENTS {
        table.columns.truncate(shown);
    }
    fitted(&table, width)
}
