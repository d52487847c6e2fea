//! The list of formats. To add a format, add a file here and two lines below: the module, and the entry in the list.

pub mod balanced;
pub mod gauntlet;
pub mod knockout;
pub mod ladder;
pub mod round_robin;
pub mod swiss;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::complaint::Complaint;
use crate::field::Field;
pub use crate::format::Options;
use crate::format::{Format, check_positive, same, same_past};
use crate::key::Key;

/// Maximum number of candidate tables per deal. The candidates are held in memory.
const MAX_TABLES: u64 = 1_000_000;

/// An available format: its name, keys and functions.
#[derive(Debug)]
pub struct Listed {
    /// See [`Format::NAME`].
    pub name: &'static str,
    /// See [`Format::ABOUT`].
    pub about: &'static str,
    /// See [`Format::KEYS`].
    pub keys: &'static [Key],
    /// See [`Format::MORE`].
    pub more: Option<&'static str>,
    /// See [`Format::MIN_SEATS`].
    pub min_seats: usize,
    /// See [`Format::NEWCOMERS`].
    pub newcomers: bool,
    /// See [`Format::fill`].
    pub fill: fn(&mut Options, Field<'_>),
}

macro_rules! formats {
    ($($module:ident::$Format:ident),* $(,)?) => {
        /// A chosen format with its options. It is stored as an object with the name as key: `{"swiss":{"rounds":5}}`.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Choice {
            $(#[doc = concat!("See [`", stringify!($module), "`].")] $Format($module::$Format)),*
        }

        /// All formats; the first is the default.
        pub const LISTED: &[Listed] = &[$(Listed {
            name: $module::$Format::NAME,
            about: $module::$Format::ABOUT,
            keys: $module::$Format::KEYS,
            more: $module::$Format::MORE,
            min_seats: $module::$Format::MIN_SEATS,
            newcomers: $module::$Format::NEWCOMERS,
            fill: $module::$Format::fill,
        }),*];

        /// The names of the formats; the first is the default.
        pub const NAMES: &[&str] = &[$($module::$Format::NAME),*];

        /// Evaluates an expression with the chosen format, whichever one it is.
        macro_rules! with {
            ($choice:expr, $format:ident => $do:expr) => {
                match $choice { $(Choice::$Format($format) => $do),* }
            };
        }

        impl Choice {
            /// Checks that this choice still plans everything that `was` planned, if both have the same format; see [`Format::extends`].
            ///
            /// # Errors
            /// If an old plan would change.
            fn extends_same(&self, was: &Self, old: Field<'_>, new: Field<'_>) -> Result<(), Complaint> {
                match (self, was) {
                    $((Choice::$Format(now), Choice::$Format(was)) => now.extends(was, old, new),)*
                    _ => same("format", "the format", was.name(), self.name()),
                }
            }

            /// Returns the name of the format in the tournament file.
            pub fn name(&self) -> &'static str {
                match self { $(Choice::$Format(_) => $module::$Format::NAME),* }
            }
        }
    };
}

formats! {
    round_robin::RoundRobin,
    gauntlet::Gauntlet,
    balanced::Balanced,
    swiss::Swiss,
    knockout::Knockout,
    ladder::Ladder,
}

pub(crate) use with;

impl Default for Choice {
    fn default() -> Self {
        Choice::RoundRobin(round_robin::RoundRobin::default())
    }
}

/// Returns the format with this name.
pub fn find(name: &str) -> Option<&'static Listed> {
    LISTED.iter().find(|listed| listed.name == name)
}

/// Returns a complaint if a key belongs only to other formats. `None` if the key belongs to this format, or to none.
pub fn not_for(key: &str, name: &str, at: &str) -> Option<Complaint> {
    let has = |listed: &&Listed| listed.keys.iter().any(|one| one.name == key);
    let formats: Vec<&str> = LISTED
        .iter()
        .filter(has)
        .map(|listed| listed.name)
        .collect();
    if formats.is_empty() || formats.contains(&name) {
        return None;
    }
    let help = format!("remove it, or choose the format {}", formats.join(" or "));
    Some(Complaint::new(
        at,
        format!("`{key}` is for {}, not for {name}", formats.join(" and ")),
        help,
    ))
}

impl Choice {
    /// Reads a format's complete options.
    ///
    /// # Errors
    /// If there is no such format, or an option is missing or invalid.
    pub fn read(name: &str, options: Options) -> Result<Self, Complaint> {
        let read =
            serde_json::from_value(Options::from_iter([(name.to_owned(), options.into())]).into());
        read.map_err(|error| Complaint::new("format", format!("{name}: {error}"), ""))
    }

    /// Returns the entry of this format in [`LISTED`].
    pub fn listed(&self) -> &'static Listed {
        find(self.name()).expect("every format is listed")
    }

    /// Returns the complete options by key.
    pub fn options(&self) -> Options {
        match with!(self, format => serde_json::to_value(format)) {
            Ok(Value::Object(options)) => options,
            _ => Options::new(),
        }
    }

    /// Returns all reasons why the format cannot be played with this field.
    pub fn check(&self, field: Field<'_>) -> Vec<Complaint> {
        let bots = field.bots.len();
        let seats = field.seats;
        let name = self.name();
        let mut wrong = Vec::new();
        if seats < 2 {
            let what = format!("a table must have at least 2 seats, not {seats}");
            wrong.push(Complaint::new("seats", what, "write 2 or more"));
        } else if seats < self.listed().min_seats {
            let least = self.listed().min_seats;
            let what = format!("{name} is for {least} or more seats, not {seats}");
            wrong.push(Complaint::new(
                "format",
                what,
                "use round-robin or gauntlet",
            ));
        }
        if bots < seats {
            let what = format!("{seats} seats need at least {seats} bots, there are {bots}");
            wrong.push(Complaint::new(
                "seats",
                what,
                "add a [[bots]] table for each, or name more on the command line",
            ));
        }
        wrong.extend(check_positive("deals", field.deals));
        wrong.extend(with!(self, format => format.check(field)));
        if !wrong.is_empty() {
            return wrong;
        }
        let tables = with!(self, format => format.choices(field));
        if tables > MAX_TABLES {
            let what = format!(
                "a {name} of {bots} bots at {seats} seats has {tables} possible tables, more than the maximum of {MAX_TABLES}"
            );
            let help = if seats == 2 {
                "choose the format swiss, or fewer bots"
            } else {
                "choose the format balanced with fewer tables a deal, or fewer bots"
            };
            wrong.push(Complaint::new("format", what, help));
        }
        wrong
    }

    /// Checks that everything that `was` planned for the old field is also planned for the new one, given the same results, so that a
    /// tournament can continue with the new field after some rounds have begun.
    ///
    /// # Errors
    /// If an old plan would change.
    pub fn extends(
        &self,
        was: &Self,
        old: Field<'_>,
        new: Field<'_>,
        begun: u32,
    ) -> Result<(), Complaint> {
        same("seats", "the number of seats", old.seats, new.seats)?;
        same("seed", "the seed", old.seed, new.seed)?;
        if (old.orders(), old.plays_all_orders()) != (new.orders(), new.plays_all_orders()) {
            return Err(Complaint::new(
                "seatings",
                "the order of seats cannot change",
                "leave seatings as it was",
            ));
        }
        let moved = |at: &usize| {
            new.bots
                .get(*at)
                .is_none_or(|bot| bot.name != old.bots[*at].name)
        };
        if let Some(at) = (0..old.bots.len()).find(moved) {
            let what = format!(
                "bot {} was {} and must keep its place",
                at + 1,
                old.bots[at].name
            );
            return Err(Complaint::new("bots", what, "append new bots at the end"));
        }
        if self.listed().newcomers {
            same_past(old, new, begun)?;
        }
        self.extends_same(was, old, new)
    }
}
