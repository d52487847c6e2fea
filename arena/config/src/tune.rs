//! The numbers that are tuned: their ranges, and the one bot that holds them.

use std::collections::BTreeSet;

use arena_tournament::entrant::Bot;
use arena_tournament::keys::TUNE;
use arena_tournament::suggest::{self, quoted};
use arena_tournament::tune::{MOST, Parameter, Scale, is_name, placeholders};

use super::reader::Reader;

/// Notes what is wrong with the numbers.
pub fn check(reader: &mut Reader<'_>, tune: &[Parameter]) {
    for (number, parameter) in tune.iter().enumerate() {
        let [from, to, start] = parameter.numbers();
        let name = quoted(&parameter.name);
        let mut refuse = |key: &str, is_wrong: bool, what: String, help: &str| {
            if is_wrong {
                reader.add(&format!("{TUNE}.{number}.{key}"), what, help);
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
            number == MOST,
            format!("more than {MOST} numbers"),
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
}

/// Notes names in braces that stand for no number, numbers that no bot holds, and a second bot that holds some.
pub fn check_bots<'a>(
    reader: &mut Reader<'_>,
    tune: &[Parameter],
    bots: impl Iterator<Item = (usize, &'a Bot)>,
) {
    if tune.is_empty() {
        return;
    }
    let known: Vec<&str> = tune.iter().map(|one| one.name.as_str()).collect();
    let mut held = BTreeSet::new();
    for (number, bot) in bots {
        let names = placeholders(bot);
        let path = format!("bots.{number}.command");
        for name in names.iter().filter(|name| !known.contains(name)) {
            let what = format!("there is no [[tune]] table named {}", quoted(name));
            reader.add(&path, what, suggest::value(name, &known));
        }
        if !held.is_empty() && !names.is_empty() {
            let what = "a second bot contains numbers to tune";
            reader.add(&path, what, "tune one bot at a time");
        }
        held.extend(names);
    }
    for (number, name) in known.iter().enumerate() {
        if !held.contains(name) {
            let what = format!("no bot uses {}", quoted(name));
            let help = format!("write {{{name}}} into a bot's `command` or `env`");
            reader.add(&format!("{TUNE}.{number}.name"), what, help);
        }
    }
}
