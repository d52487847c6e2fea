//! Flags that change a tournament, as plain values.

use serde_json::{Value, json};

/// Word for a person in place of a command.
pub const HUMAN: &str = "human";
/// Prefix of a built-in bot's name in place of a command.
const BUILTIN: &str = "builtin:";
/// First key in the paths of a bot described by flags alone.
pub const BOT: &str = "program";
/// Path of its environment variables.
const ENV: &str = "program.env";
/// Prefix of a flag that reads the seed from a file, which no bot may read.
pub const SEED_FILE: &str = "--seed-file ";

/// Value of a flag that replaces a key of the file.
#[derive(Clone, Debug)]
pub struct FlagValue {
    /// Path of the key, such as `clock.move_ms`.
    pub path: String,
    /// Value of the key.
    pub value: Value,
    /// Words on the command line.
    pub text: String,
}

impl FlagValue {
    /// Creates the value of a key from these words.
    pub fn new(path: &str, value: impl Into<Value>, text: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            value: value.into(),
            text: text.into(),
        }
    }

    /// Creates the values of a repeatable flag.
    pub fn each<S: AsRef<str>>(path: &str, flag: &str, texts: &[S]) -> Vec<Self> {
        let new = |text: &str| Self::new(path, text, format!("--{flag} {text}"));
        texts.iter().map(|text| new(text.as_ref())).collect()
    }

    /// Returns the equivalent text of a tournament file; `None` if the value is invalid.
    fn document(&self) -> Option<String> {
        let text = self.value.as_str().unwrap_or_default();
        match self.path.as_str() {
            "bots" => toml::to_string(&json!({"bots": [bot_table(text)]})).ok(),
            "rules" => rule_table(text),
            ENV => {
                let (name, value) = text.split_once('=')?;
                let env = json!({BOT: {"env": {name: value}}});
                toml::to_string(&env).ok().filter(|_| !name.is_empty())
            }
            path => {
                let value = toml::Value::try_from(&self.value)
                    .map_or_else(|_| self.value.to_string(), |value| value.to_string());
                Some(format!("{path} = {value}"))
            }
        }
    }
}

/// Flags that change a tournament.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// Keys set by flags; each bot as NAME=COMMAND, each rule and variable as NAME=VALUE.
    pub values: Vec<FlagValue>,
    /// True if answers have no time limit.
    pub no_clock: bool,
    /// True if the file's author may lower the protection of this machine.
    pub trust: bool,
}

impl From<Vec<FlagValue>> for Flags {
    fn from(values: Vec<FlagValue>) -> Self {
        Self {
            values,
            ..Self::default()
        }
    }
}

impl Flags {
    /// Returns the words of each flag with the equivalent text of a tournament file; `None` if its value
    /// is invalid.
    pub fn documents(&self) -> Vec<(String, Option<String>)> {
        let values = self.values.iter();
        values
            .map(|flag| (flag.text.clone(), flag.document()))
            .collect()
    }
}

/// Parses a bot from NAME=COMMAND, NAME=builtin:BOT, NAME=human or BOT.
fn bot_table(bot: &str) -> Value {
    let (name, command) = match bot.split_once('=') {
        None if bot.trim() == HUMAN => (HUMAN, HUMAN),
        None => return json!({"name": bot.trim(), "builtin": bot.trim()}),
        Some((name, command)) => (name.trim(), command.trim()),
    };
    if let Some(builtin) = command.strip_prefix(BUILTIN) {
        return json!({"name": name, "builtin": builtin});
    }
    let here = std::env::current_dir().unwrap_or_default();
    json!({"name": name, "command": command, "dir": here.to_string_lossy()})
}

/// Parses a rule from NAME=VALUE. A value that is not TOML is a string: `master=seats` needs no quotes.
fn rule_table(rule: &str) -> Option<String> {
    let (name, word) = rule.split_once('=')?;
    let table = format!("[rules]\n{rule}");
    if toml::from_str::<toml::Table>(&table).is_ok() {
        return Some(table);
    }
    let word = toml::Value::String(word.trim().to_owned());
    Some(format!("[rules]\n{name} = {word}"))
}
