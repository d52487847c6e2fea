//! Decides which bots of different sources are the same.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Maximum number of bots of all sources.
pub const MAX_BOTS: usize = 100_000;
/// Maximum length of a name, in characters.
pub const MAX_NAME_CHARS: usize = 200;
/// Number of digits shown of a hash.
const DIGITS: usize = 8;

/// A name, and the version that played under it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Identity {
    pub name: String,
    /// The hash of the copy, or the name of the built-in bot; `None` in files of other programs.
    pub copy: Option<String>,
    /// The hash of the copy and the command.
    pub version: Option<String>,
}

impl Identity {
    /// Creates the identity of a bot of which only the name is known.
    pub fn of_name(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }
}

/// All bots, by number.
#[derive(Debug, Default)]
pub struct Bots {
    all: Vec<Identity>,
    numbers: HashMap<Identity, u32>,
    /// True if versions of the same name are one bot.
    pub by_name: bool,
    /// The new names, by old name.
    aliases: BTreeMap<String, String>,
    /// The new names. All versions with such a name are one bot.
    joined: BTreeSet<String>,
}

impl Bots {
    /// Adds aliases, each an old name and a new one.
    pub fn alias(&mut self, pairs: Vec<(String, String)>) -> Result<(), String> {
        for (old, new) in pairs {
            if let Some(other) = self.aliases.get(&old).filter(|other| **other != new) {
                return Err(format!("{old} has two new names, {other} and {new}"));
            }
            self.joined.insert(new.clone());
            self.aliases.insert(old, new);
        }
        match self
            .joined
            .iter()
            .find(|new| self.aliases.get(*new).is_some_and(|next| next != *new))
        {
            Some(new) => Err(format!(
                "{new} is both a new name and an old one: give each old name its final name"
            )),
            None => Ok(()),
        }
    }

    pub(super) fn number(&mut self, identity: Identity) -> Result<u32, String> {
        let identity = self.resolved(identity);
        if let Some(number) = self.numbers.get(&identity) {
            return Ok(*number);
        }
        let length = identity.name.chars().count();
        if length == 0 || length > MAX_NAME_CHARS {
            return Err(format!(
                "a name has 1 to {MAX_NAME_CHARS} characters, this one {length}"
            ));
        }
        if self.all.len() >= MAX_BOTS {
            return Err(format!("more than {MAX_BOTS} bots"));
        }
        let number = self.all.len() as u32;
        self.all.push(identity.clone());
        self.numbers.insert(identity, number);
        Ok(number)
    }

    /// Applies the aliases. An old name may include the version, as it is shown.
    fn resolved(&self, identity: Identity) -> Identity {
        let exact = identity
            .copy
            .as_ref()
            .map(|copy| shown(&identity.name, copy));
        let new = exact.and_then(|exact| self.aliases.get(&exact));
        let new = new.or_else(|| self.aliases.get(&identity.name));
        let name = new.unwrap_or(&identity.name);
        if self.by_name || self.joined.contains(name) {
            Identity::of_name(name)
        } else {
            identity
        }
    }

    /// Returns the number of bots.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns a bot's identity.
    pub fn identity(&self, bot: usize) -> &Identity {
        &self.all[bot]
    }

    /// Returns a unique label for each bot: its name, or `name@hash` if there are several versions.
    pub fn labels(&self, plays: impl Fn(usize) -> bool) -> Vec<String> {
        let mut versions: HashMap<&str, u32> = HashMap::new();
        for (number, bot) in self.all.iter().enumerate() {
            *versions.entry(&bot.name).or_default() += u32::from(plays(number));
        }
        let is_alone = |bot: &Identity| versions[bot.name.as_str()] <= 1 || bot.copy.is_none();
        let plain = self
            .all
            .iter()
            .filter(|bot| is_alone(bot))
            .map(|bot| bot.name.clone());
        let mut taken: BTreeSet<String> = plain.collect();
        let label = |bot: &Identity| {
            let (Some(copy), Some(version)) = (&bot.copy, &bot.version) else {
                return bot.name.clone();
            };
            if is_alone(bot) {
                return bot.name.clone();
            }
            let longer = (DIGITS..=version.len())
                .map(|digits| format!("{}@{}", bot.name, &version[..digits]));
            let mut all = std::iter::once(shown(&bot.name, copy)).chain(longer);
            let free = all.find(|label| taken.insert(label.clone()));
            free.unwrap_or_else(|| bot.name.clone())
        };
        self.all.iter().map(label).collect()
    }
}

/// Returns a name with the beginning of the hash of its copy.
fn shown(name: &str, copy: &str) -> String {
    let is_hash = copy.bytes().all(|byte| byte.is_ascii_hexdigit());
    let copy = if is_hash {
        copy.get(..DIGITS).unwrap_or(copy)
    } else {
        copy
    };
    format!("{name}@{copy}")
}
