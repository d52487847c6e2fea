//! Gauntlet: every combination with exactly one challenger meets on every deal, in every seating. The other bots measure the challengers,
//! and never meet without a challenger. Challengers never meet each other.

use serde::{Deserialize, Serialize};

use crate::complaint::Complaint;
use crate::deals::Block;
use crate::field::{Field, Meeting, choices, combinations};
use crate::format::{Format, Options, not_fewer};
use crate::key::{Key, Kind};
use crate::suggest::quoted;

/// The gauntlet format.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gauntlet {
    /// Names of the challengers.
    pub challengers: Vec<String>,
}

impl Format for Gauntlet {
    const NAME: &'static str = "gauntlet";
    const ABOUT: &'static str = "each challenger meets all others, who do not meet each other";
    const KEYS: &'static [Key] = &[Key::new(
        "challengers",
        Kind::Texts,
        "the first bot",
        "names of the bots that all others meet",
    )
    .flag("challenger", "NAME")];

    fn fill(options: &mut Options, field: Field<'_>) {
        let first = field.bots.first().map(|bot| bot.name.clone());
        options
            .entry("challengers")
            .or_insert_with(|| first.into_iter().collect());
    }

    fn check(&self, field: Field<'_>) -> Vec<Complaint> {
        let mut wrong = Vec::new();
        if self.challengers.is_empty() {
            let help = "name a bot, or leave the key out";
            wrong.push(Complaint::new(
                "challengers",
                "a gauntlet has at least one challenger",
                help,
            ));
        }
        for (at, name) in self.challengers.iter().enumerate() {
            let place = format!("challengers.{at}");
            if self.challengers[..at].contains(name) {
                let what = format!("{} is named twice among the challengers", quoted(name));
                wrong.push(Complaint::new(place, what, "name it once"));
            } else {
                wrong.extend(field.find(&place, name).err());
            }
        }
        let (others, needed) = (self.others(field).len(), field.seats.saturating_sub(1));
        if others < needed && field.bots.len() >= field.seats {
            let what = format!(
                "a challenger needs {needed} opponents at a table, but only {others} bots are not challengers"
            );
            wrong.push(Complaint::new(
                "challengers",
                what,
                "name fewer challengers, or add bots",
            ));
        }
        wrong
    }

    /// Returns every combination of one challenger with other bots, on all deals.
    fn meetings(&self, field: Field<'_>, _round: u32, _before: &[Block]) -> Vec<Meeting> {
        let others = combinations(&self.others(field), field.seats - 1);
        let with = |challenger: usize, others: &[usize]| {
            let mut bots = [&[challenger], others].concat();
            bots.sort_unstable();
            Meeting {
                bots,
                deals: 1..=field.deals,
            }
        };
        let challengers = self
            .challengers
            .iter()
            .filter_map(|name| field.bots.iter().position(|bot| bot.name == *name));
        challengers
            .flat_map(|challenger| others.iter().map(move |others| with(challenger, others)))
            .collect()
    }

    fn choices(&self, field: Field<'_>) -> u64 {
        let ways = choices(self.others(field).len(), field.seats - 1);
        ways.saturating_mul(self.challengers.len() as u64)
    }

    /// Requires that every existing bot stays on its side, so that the old challengers still meet the old other bots. New bots may join
    /// either side.
    fn extends(&self, was: &Self, old: Field<'_>, new: Field<'_>) -> Result<(), Complaint> {
        not_fewer("deals", old.deals, new.deals)?;
        for name in old.bots.iter().map(|bot| &bot.name) {
            let (what, help) = match (
                was.challengers.contains(name),
                self.challengers.contains(name),
            ) {
                (true, false) => (format!("{name} was a challenger and must stay one"), ""),
                (false, true) => (
                    format!("{name} was not a challenger and cannot become one"),
                    "append it under another name",
                ),
                _ => continue,
            };
            return Err(Complaint::new("challengers", what, help));
        }
        Ok(())
    }
}

impl Gauntlet {
    /// Returns the bots that are not challengers.
    fn others(&self, field: Field<'_>) -> Vec<usize> {
        (0..field.bots.len())
            .filter(|bot| !self.challengers.contains(&field.bots[*bot].name))
            .collect()
    }
}
