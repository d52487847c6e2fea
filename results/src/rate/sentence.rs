//! Describes which bots are ahead of which.

use arena_statistics::ahead::Ahead;

use super::Row;
use crate::table::listed;

/// Maximum number of bots that the sentence describes.
const MAX_BOTS: usize = 3;

/// Describes which bots are ahead of which. `order` holds the number of the bot in each row.
pub fn result(rows: &[Row], order: &[usize], ahead: &Result<Ahead, String>) -> String {
    let ahead = match ahead {
        Ok(ahead) => ahead,
        Err(why) => return format!("It cannot be said who is ahead: {why}."),
    };
    if ahead.leads().is_empty() {
        return "It cannot be said who is ahead: no two bots met.".into();
    }
    let winners: Vec<usize> = (0..rows.len())
        .filter(|row| !rows[*row].ahead_of.is_empty())
        .collect();
    if winners.is_empty() {
        let few = ahead.leads().values().all(|lead| lead.too_few);
        return if few {
            "It cannot be said who is ahead: there are too few deals.".into()
        } else {
            "No bot is ahead of another: chance explains the differences.".into()
        };
    }
    let describe = |row: &usize| {
        let bot = &rows[*row];
        let behind: Vec<&str> = bot.ahead_of.iter().map(String::as_str).collect();
        let open = rows.iter().zip(order).filter(|(other, number)| {
            let lead = ahead.lead(order[*row], **number);
            other.bot != bot.bot && lead.is_some_and(|lead| lead.ahead.is_none())
        });
        let open: Vec<&str> = open.map(|(other, _)| other.bot.as_str()).collect();
        if behind.len() + 1 == rows.len() && behind.len() > 1 {
            return format!("{} is ahead of all others.", bot.bot);
        }
        let text = format!("{} is ahead of {}", bot.bot, listed(&behind));
        if open.is_empty() {
            text + "."
        } else {
            format!("{text}, and cannot be separated from {}.", listed(&open))
        }
    };
    let first: Vec<String> = winners.iter().take(MAX_BOTS).map(describe).collect();
    let first = first.join(" ");
    match winners.len() - winners.len().min(MAX_BOTS) {
        0 => first,
        1 => format!("{first} Another bot is ahead of some."),
        more => format!("{first} {more} more are ahead of some."),
    }
}
