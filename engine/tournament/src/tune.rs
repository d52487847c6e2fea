//! Tuned parameters of a bot: their ranges, and the placeholders in the bot's command that stand for them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Number;

use crate::complaint::Complaint;
use crate::entrant::{Bot, Entrant};
use crate::keys::TUNE;
use crate::suggest::{self, quoted};

/// Default budget of a tuning: total number of deals over all settings.
pub const DEALS: u32 = 5_000;
/// Maximum number of parameters tuned together.
pub const MAX_PARAMETERS: usize = 8;

/// A parameter to be tuned. Its values are integers if its minimum, maximum and start are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// The name of the parameter; `{name}` is replaced by its value.
    pub name: String,
    /// The minimum.
    pub from: Number,
    /// The maximum.
    pub to: Number,
    /// The value in the first setting.
    pub start: Number,
    /// The spacing of the values.
    #[serde(default)]
    pub scale: Scale,
}

/// Spacing of a parameter's values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Values are evenly spaced.
    #[default]
    Linear,
    /// Logarithms of values are evenly spaced.
    Log,
}

impl Parameter {
    /// Returns the minimum, the maximum and the start.
    pub fn numbers(&self) -> [f64; 3] {
        [&self.from, &self.to, &self.start].map(|number| number.as_f64().unwrap_or(f64::NAN))
    }

    /// Returns the value at this fraction of the range, rounded to the value that is played.
    pub fn at(&self, share: f64) -> f64 {
        let [from, to, _] = self.numbers();
        let is_log = self.scale == Scale::Log;
        let value = if is_log {
            from * (to / from).powf(share)
        } else {
            from + (to - from) * share
        };
        let is_whole = [&self.from, &self.to, &self.start]
            .iter()
            .all(|number| !number.is_f64());
        // Six digits are precise enough, and readable.
        let rounded = if is_whole {
            value.round() + 0.0
        } else {
            format!("{value:.5e}").parse().unwrap_or(value)
        };
        rounded.clamp(from, to)
    }

    /// Returns the fraction of the range at which a value lies.
    pub fn share(&self, value: f64) -> f64 {
        let [from, to, _] = self.numbers();
        if self.scale == Scale::Log {
            (value / from).ln() / (to / from).ln()
        } else {
            (value - from) / (to - from)
        }
    }
}

/// Returns `true` if the name is valid for a placeholder: letters, digits and underscores.
pub fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns the placeholder names in the command and the environment of a bot.
pub fn placeholders(bot: &Bot) -> BTreeSet<&str> {
    let Bot::Program(program) = bot else {
        return BTreeSet::new();
    };
    let texts = program.command.iter().chain(program.env.values());
    let parts = texts.flat_map(|text| text.split('{').skip(1));
    parts
        .filter_map(|part| Some(part.split_once('}')?.0))
        .filter(|name| is_name(name))
        .collect()
}

/// Returns the bot under a new name, with these parameter values filled into its command and environment.
pub fn set(bot: &Entrant, name: String, parameters: &[Parameter], values: &[f64]) -> Entrant {
    let mut set = Entrant {
        name,
        ..bot.clone()
    };
    if let Bot::Program(program) = &mut set.bot {
        for text in program.command.iter_mut().chain(program.env.values_mut()) {
            for (parameter, value) in parameters.iter().zip(values) {
                *text = text.replace(&format!("{{{}}}", parameter.name), &value.to_string());
            }
        }
    }
    set
}

/// Returns complaints about the parameters.
pub fn check(tune: &[Parameter]) -> Vec<Complaint> {
    let mut wrong = Vec::new();
    for (number, parameter) in tune.iter().enumerate() {
        let [from, to, start] = parameter.numbers();
        let name = quoted(&parameter.name);
        let mut refuse = |key: &str, is_wrong: bool, what: String, help: &str| {
            if is_wrong {
                let at = format!("{TUNE}.{number}.{key}");
                wrong.push(Complaint::new(at, what, help));
            }
        };
        refuse(
            "name",
            !is_name(&parameter.name),
            format!("{name} is not a valid name for a number"),
            "use letters, digits and _",
        );
        refuse(
            "name",
            tune[..number].iter().any(|one| one.name == parameter.name),
            format!("two numbers are named {name}"),
            "rename one of the two",
        );
        refuse(
            "name",
            number == MAX_PARAMETERS,
            format!("more than {MAX_PARAMETERS} numbers"),
            "tune the most important ones first",
        );
        refuse(
            "to",
            from >= to,
            format!("`to` must be above `from`, not {to}"),
            "write the smallest value as `from`",
        );
        refuse(
            "start",
            from < to && !(from..=to).contains(&start),
            format!("`start` must be from {from} to {to}, not {start}"),
            "start within the range",
        );
        refuse(
            "from",
            parameter.scale == Scale::Log && from <= 0.0,
            format!("a log scale must begin above 0, not at {from}"),
            "write a small positive number",
        );
    }
    wrong
}

/// Returns complaints about unknown placeholders, about parameters that no bot uses, and about a second bot that uses any.
pub fn check_bots<'a>(
    tune: &[Parameter],
    bots: impl Iterator<Item = (usize, &'a Bot)>,
) -> Vec<Complaint> {
    let mut wrong = Vec::new();
    if tune.is_empty() {
        return wrong;
    }
    let known: Vec<&str> = tune.iter().map(|one| one.name.as_str()).collect();
    let mut held = BTreeSet::new();
    for (number, bot) in bots {
        let names = placeholders(bot);
        let path = format!("bots.{number}.command");
        for name in names.iter().filter(|name| !known.contains(name)) {
            let what = format!("there is no [[tune]] table named {}", quoted(name));
            wrong.push(Complaint::new(&path, what, suggest::value(name, &known)));
        }
        if !held.is_empty() && !names.is_empty() {
            let what = "a second bot contains numbers to tune";
            wrong.push(Complaint::new(path, what, "tune one bot at a time"));
        }
        held.extend(names);
    }
    for (number, name) in known.iter().enumerate() {
        if !held.contains(name) {
            let what = format!("no bot uses {}", quoted(name));
            let help = format!("write {{{name}}} into a bot's `command` or `env`");
            wrong.push(Complaint::new(format!("{TUNE}.{number}.name"), what, help));
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entrant::Program;

    fn parameter(scale: Scale, numbers: [Number; 3]) -> Parameter {
        let [from, to, start] = numbers;
        Parameter {
            name: "x".into(),
            from,
            to,
            start,
            scale,
        }
    }

    fn real(numbers: [f64; 3]) -> [Number; 3] {
        numbers.map(|number| Number::from_f64(number).unwrap())
    }

    #[test]
    fn values_lie_in_the_range_and_are_rounded() {
        let whole = parameter(Scale::Linear, [1.into(), 9.into(), 3.into()]);
        assert_eq!(
            [0.0, 0.3, 0.44, 1.0].map(|share| whole.at(share)),
            [1.0, 3.0, 5.0, 9.0]
        );
        let log = parameter(Scale::Log, real([0.01, 100.0, 1.0]));
        assert_eq!(
            [0.0, 0.25, 0.5, 0.6].map(|share| log.at(share)),
            [0.01, 0.1, 1.0, 2.51189]
        );
        let mixed = parameter(
            Scale::Linear,
            [0.into(), 1.into(), Number::from_f64(0.5).unwrap()],
        );
        assert_eq!((mixed.at(0.123_456_789), mixed.at(2.0)), (0.123_457, 1.0));
        for share in [0.0, 0.3, 1.0] {
            assert!((log.share(log.at(share)) - share).abs() < 1e-6);
        }
        let reversed = parameter(Scale::Linear, real([-2.5, -0.5, -1.0]));
        assert_eq!(reversed.at(0.5), -1.5);
    }

    #[test]
    fn braces_are_filled_in_and_others_are_left() {
        let words = ["bot", "{x}", "--both={x},{y}", "{\"a\":{x}}", "{ x }", "{}"]
            .map(str::to_owned)
            .to_vec();
        let env = [("LEVEL".to_owned(), "{z_1}".to_owned())].into();
        let bot = Entrant::new(
            "bot",
            Bot::Program(Program {
                command: words,
                env,
                ..Program::default()
            }),
        );
        assert_eq!(
            placeholders(&bot.bot).into_iter().collect::<Vec<_>>(),
            ["x", "y", "z_1"]
        );
        let named = |name: &str| Parameter {
            name: name.into(),
            ..parameter(Scale::Linear, real([0.0, 1.0, 0.5]))
        };
        let set = set(
            &bot,
            "bot-01".into(),
            &["x", "y", "z_1"].map(named),
            &[0.25, 1.0, 3.0],
        );
        let program = set.program().unwrap();
        assert_eq!(
            program.command,
            [
                "bot",
                "0.25",
                "--both=0.25,1",
                "{\"a\":0.25}",
                "{ x }",
                "{}"
            ]
        );
        assert_eq!(
            (set.name.as_str(), program.env["LEVEL"].as_str()),
            ("bot-01", "3")
        );
    }
}
