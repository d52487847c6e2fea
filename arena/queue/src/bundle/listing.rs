//! What travels with a bot and what stays at home, for people.

use super::pack::Bundle;
use super::tree::shown_size;

/// The most things at home that a summary names.
const MOST_NAMED: usize = 5;

impl Bundle {
    /// A line about what travels with a bot, and what stays.
    pub fn summary(&self, bot: &str) -> String {
        let home: Vec<String> = self
            .home
            .iter()
            .map(|(path, why)| format!("{} ({why})", path.display()))
            .collect();
        let mut text = self.count(bot);
        if !home.is_empty() {
            text += &format!(
                "; at home: {}",
                home[..home.len().min(MOST_NAMED)].join(", ")
            );
        }
        if home.len() > MOST_NAMED {
            text += &format!(
                ", and {} more, which `arena bundle --list` shows",
                home.len() - MOST_NAMED
            );
        }
        text
    }

    /// Everything, with sizes and reasons.
    pub fn list(&self, bot: &str) -> String {
        let mut text = self.count(bot) + " travel\n";
        for (name, size) in &self.files {
            text += &format!("  {:>9}  {name}\n", shown_size(*size));
        }
        for (path, why) in &self.home {
            text += &format!("  at home    {}: {why}\n", path.display());
        }
        text
    }

    fn count(&self, bot: &str) -> String {
        let bytes = self.files.iter().map(|(_, size)| size).sum();
        format!(
            "bot {bot}: {} files, {}",
            self.files.len(),
            shown_size(bytes)
        )
    }
}
