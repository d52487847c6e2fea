//! Flags that change a tournament, as plain values.

use arena_tournament::complaint::Complaint;
use serde_json::{Value, json};

use super::reader::{BOT, NAME_VALUE};
use super::word;

/// Path of the key for the folder of a program given by flags.
pub const DIR: &str = "program.dir";
/// Prefix of the paths of keys for environment variables of a program given by flags.
const ENV: &str = "program.env";
/// Prefix of a flag that reads the seed from a file. No bot may read that file.
pub const SEED_FILE: &str = "--seed-file ";

/// The value of a flag that replaces a key of the file.
#[derive(Clone, Debug)]
pub struct FlagValue {
    /// Path of the key, such as `clock.move_ms`.
    pub path: String,
    pub value: Value,
    /// The words on the command line.
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

    /// Creates the values for bots that are separate words.
    pub fn bots<S: AsRef<str>>(words: &[S]) -> Vec<Self> {
        let words = words.iter().map(AsRef::as_ref);
        words.map(|word| Self::new("bots", word, word)).collect()
    }

    /// Creates the values of a repeatable flag.
    pub fn each<S: AsRef<str>>(path: &str, flag: &str, texts: &[S]) -> Vec<Self> {
        let new = |text: &str| Self::new(path, text, format!("--{flag} {text}"));
        texts.iter().map(|text| new(text.as_ref())).collect()
    }

    /// Returns the equivalent text of a tournament file.
    fn document(&self) -> Result<String, Complaint> {
        let text = self.value.as_str().unwrap_or_default();
        let document = match self.path.as_str() {
            "bots" => toml::to_string(&json!({"bots": [word::bot(text)?]})).ok(),
            "rules" => rule_table(text),
            ENV => {
                let variable = text.split_once('=').filter(|(name, _)| !name.is_empty());
                let env = variable.map(|(name, value)| json!({BOT: {"env": {name: value}}}));
                env.and_then(|env| toml::to_string(&env).ok())
            }
            path => {
                let value = toml::Value::try_from(&self.value)
                    .map_or_else(|_| self.value.to_string(), |value| value.to_string());
                Some(format!("{path} = {value}"))
            }
        };
        document.ok_or_else(|| Complaint::new("", "this sets nothing", NAME_VALUE))
    }
}

/// Flags that change a tournament.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// Keys that are set by flags: each bot as read by `word::bot`, and each rule and variable as NAME=VALUE.
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
    /// Returns the words of each flag with the equivalent text of a tournament file, or the problem with its value.
    pub fn documents(&self) -> Vec<(String, Result<String, Complaint>)> {
        let values = self.values.iter();
        values
            .map(|flag| (flag.text.clone(), flag.document()))
            .collect()
    }
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
