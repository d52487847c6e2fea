//! The flags that change a description, as plain values.

use serde_json::Value;

/// The path of the keys of a bot that flags alone describe.
pub const BOT: &str = "bots.0";
/// The first words of a flag that reads the seed from a file, which no bot may read.
pub const SEED_FILE: &str = "--seed-file ";

/// A value that a flag gives in place of a key of the file.
#[derive(Clone, Debug)]
pub struct FlagValue {
    /// The path of the key, such as `clock.move_ms`.
    pub path: String,
    /// The value.
    pub value: Value,
    /// The words on the command line.
    pub text: String,
}

impl FlagValue {
    /// The values of a flag that may be repeated; none if it was not given.
    pub fn texts<S: AsRef<str>>(path: &str, flag: &str, texts: &[S]) -> Option<Self> {
        let text = format!("--{flag} {}", texts.first()?.as_ref());
        let value = texts
            .iter()
            .map(|text| Value::from(text.as_ref()))
            .collect();
        Some(Self {
            path: path.to_owned(),
            value,
            text,
        })
    }

    /// The values of arguments without a flag; none if there are none.
    pub fn words(path: &str, words: &[String]) -> Option<Self> {
        Some(Self {
            text: words.first()?.clone(),
            ..Self::texts(path, "", words)?
        })
    }
}

/// The flags that change a description.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// The keys that they give; bots as NAME=COMMAND, rules as NAME=VALUE.
    pub values: Vec<FlagValue>,
    /// True if there is no limit to the time for an answer.
    pub no_clock: bool,
    /// True if whoever wrote the file may lower the protection of this machine.
    pub trust: bool,
}

impl Flags {
    /// The values of a flag that may be repeated.
    pub fn texts(&self, path: &str) -> Vec<&str> {
        let values = self.values.iter().filter(|value| value.path == path);
        values
            .filter_map(|value| value.value.as_array())
            .flatten()
            .filter_map(Value::as_str)
            .collect()
    }

    /// The bots, each with its words on the command line: behind the flag, if there is one.
    pub fn bots(&self) -> impl Iterator<Item = (&str, String)> {
        let value = self.values.iter().find(|value| value.path == "bots");
        let flag = value
            .and_then(|value| value.text.split_once(' '))
            .map_or("", |(flag, _)| flag);
        let flag = if flag.starts_with("--") { flag } else { "" };
        self.texts("bots")
            .into_iter()
            .map(move |bot| (bot, format!("{flag} {bot}").trim().to_owned()))
    }
}
