//! The flags that change a description, as plain values.

use serde_json::{Value, json};

/// The word that stands for a person in place of a command.
pub const HUMAN: &str = "human";
/// Prefix of a built-in bot's name in place of a command.
const BUILTIN: &str = "builtin:";
/// The first key of the path of a key of a bot that flags alone describe.
pub const BOT: &str = "program";
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
        let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
        (!texts.is_empty()).then(|| Self {
            path: path.to_owned(),
            value: json!(texts),
            text: format!("--{flag} {}", texts.join(" ")),
        })
    }

    /// The values of arguments without a flag; none if there are none.
    pub fn words(path: &str, words: &[String]) -> Option<Self> {
        Some(Self {
            text: words.first()?.clone(),
            ..Self::texts(path, "", words)?
        })
    }

    /// The values of a flag that may be repeated, each with its words on the command line: behind the flag, if there is one.
    fn each(&self) -> impl Iterator<Item = (&str, String)> {
        let flag = self.text.split(' ').next();
        let flag = flag.filter(|flag| flag.starts_with("--")).unwrap_or("");
        let texts = self.value.as_array().into_iter().flatten();
        let texts = texts.filter_map(Value::as_str);
        texts.map(move |text| (text, format!("{flag} {text}").trim().to_owned()))
    }
}

/// The flags that change a description.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// The keys that they give; bots as NAME=COMMAND, rules and variables as NAME=VALUE.
    pub values: Vec<FlagValue>,
    /// True if there is no limit to the time for an answer.
    pub no_clock: bool,
    /// True if whoever wrote the file may lower the protection of this machine.
    pub trust: bool,
}

impl Flags {
    /// True if a key is given.
    pub fn has(&self, path: &str) -> bool {
        self.values.iter().any(|flag| flag.path == path)
    }

    /// Returns each flag's words, and what it would be in a tournament file; none that can be read if its value is wrong.
    pub fn documents(&self) -> Vec<(String, String)> {
        let mut documents = Vec::new();
        for flag in &self.values {
            match (flag.path.as_str(), &flag.value) {
                ("bots", _) => documents.extend(flag.each().map(|(bot, words)| {
                    let bots = json!({"bots": [bot_table(bot)]});
                    (words, toml::to_string(&bots).unwrap_or_default())
                })),
                ("rules", _) => {
                    documents.extend(flag.each().map(|(rule, words)| (words, rule_table(rule))));
                }
                (path, Value::Array(_)) if path.ends_with(".env") => {
                    documents.extend(flag.each().map(|(text, words)| {
                        let (name, value) = text.split_once('=').unwrap_or_default();
                        let env = json!({BOT: {"env": {name: value}}});
                        let env = toml::to_string(&env).ok().filter(|_| !name.is_empty());
                        (words, env.unwrap_or("=".into()))
                    }));
                }
                (path, value) => {
                    let value = toml::Value::try_from(value)
                        .map_or_else(|_| value.to_string(), |value| value.to_string());
                    documents.push((flag.text.clone(), format!("{path} = {value}")));
                }
            }
        }
        documents
    }
}

/// The bot of NAME=COMMAND, NAME=builtin:BOT, NAME=human or BOT.
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

/// The rule of NAME=VALUE. A value that is no TOML is a word: `master=seats` needs no quotes.
fn rule_table(rule: &str) -> String {
    let table = format!("[rules]\n{rule}");
    match rule.split_once('=') {
        Some((name, word)) if toml::from_str::<toml::Table>(&table).is_err() => {
            let word = toml::Value::String(word.trim().to_owned());
            format!("[rules]\n{name} = {word}")
        }
        Some(_) => table,
        None => "=".into(),
    }
}
