//! Writes the marks of a class: a table with a row for each bot, whether it plays or not, from which a script can grade.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use arena_bots::kits;
use arena_config::class::Roster;
use arena_results::analysis::Analysis;
use arena_results::csv::guarded;
use arena_tournament::entrant::Entrant;
use arena_tournament::spec::Spec;

use crate::snapshot;

/// The name of the table in the folder with the authors' pages.
pub(super) const FILE: &str = "marks.csv";
/// Columns that precede those of the roster, and columns that follow them.
const COLUMNS: (&str, [&str; 9]) = (
    "bot",
    [
        "rank",
        "best_rank",
        "worst_rank",
        "points_per_match",
        "points",
        "matches",
        "forfeits",
        "same_as",
        "reason",
    ],
);

/// Returns the table: bots that have entered in their order, then those that are left out.
pub(super) fn marks(
    spec: &Spec,
    analysis: &Analysis,
    roster: Option<&Roster>,
) -> anyhow::Result<String> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    let head = roster.map(|roster| roster.columns.clone());
    let head = head.unwrap_or_default();
    let empty: csv::StringRecord = head.iter().map(|_| "").collect();
    let (first, rest) = COLUMNS;
    csv.write_record([first].into_iter().chain(&head).chain(rest).map(guarded))?;
    let mut write = |name: &str, why: Option<&str>, result: [String; 7], same: &str| {
        let line = roster.and_then(|roster| roster.line_of(name, why));
        let line = line.unwrap_or(&empty);
        let result = result.iter().map(String::as_str);
        let rest = result.chain([same, why.unwrap_or_default()]);
        let cells = [name].into_iter().chain(line).chain(rest);
        csv.write_record(cells.map(guarded))
    };
    let alike = alike(spec);
    for bot in &spec.bots {
        let withdrawn = bot.withdrawn.map(|_| "withdrawn".to_owned());
        let refused = bot.refused.as_ref();
        let why = withdrawn.or_else(|| refused.map(|why| format!("newer version: {why}")));
        let same = alike.get(bot.name.as_str()).map_or("", String::as_str);
        write(&bot.name, why.as_deref(), result(analysis, bot), same)?;
    }
    for bot in &spec.left_out {
        write(&bot.name, Some(&bot.why), Default::default(), "")?;
    }
    Ok(String::from_utf8(csv.into_inner()?)?)
}

/// Returns the rank of a bot, its best and worst rank, and its totals; empty cells before its first match.
fn result(analysis: &Analysis, bot: &Entrant) -> [String; 7] {
    let mut rows = analysis.standings.standings.iter();
    let row = rows.find(|row| row.bot == bot.name && row.matches > 0);
    row.map_or_else(Default::default, |row| {
        [
            row.rank.to_string(),
            row.ranks[0].to_string(),
            row.ranks[1].to_string(),
            row.points_per_match
                .map_or_else(String::new, |points| points.to_string()),
            row.points.to_string(),
            row.matches.to_string(),
            row.forfeits.total.to_string(),
        ]
    })
}

/// Returns what the files of each bot equal, by bot: the supplied kit, or those of other bots.
fn alike(spec: &Spec) -> BTreeMap<&str, String> {
    let mut by_files: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for bot in &spec.bots {
        if let Some(hash) = bot.sources() {
            by_files.entry(hash).or_default().push(&bot.name);
        }
    }
    let same = spec.bots.iter().filter_map(|bot| {
        let others = &by_files[bot.sources()?];
        let others = others.iter().filter(|other| **other != bot.name);
        let kit = bot
            .program()
            .filter(|program| {
                is_kit(&program.dir, &spec.plan.game)
                    && snapshot::hash(program).ok().as_deref() == bot.sources()
            })
            .map(|_| "the supplied kit");
        let all: Vec<&str> = kit.into_iter().chain(others.copied()).collect();
        (!all.is_empty()).then(|| (bot.name.as_str(), all.join(", ")))
    });
    same.collect()
}

/// Returns `true` if the program in a folder is that of a kit, whatever name `arena new` gave it. Texts and settings may differ.
fn is_kit(folder: &Path, game: &str) -> bool {
    let readme = fs::read_to_string(folder.join("README.md")).unwrap_or_default();
    let title = readme.lines().next().unwrap_or_default();
    let name = title.trim_start_matches("# ").trim();
    let is_code = |path: &Path| {
        let ending = path.extension().and_then(|ending| ending.to_str());
        !matches!(ending, None | Some("md" | "toml"))
    };
    kits::LANGUAGES.iter().any(|(language, _)| {
        let files = kits::files(language, name, game, game);
        let mut code = files.iter().filter(|(path, _)| is_code(path));
        code.all(|(path, text)| {
            fs::read(folder.join(path)).is_ok_and(|bytes| bytes == text.as_bytes())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena_ledger::ledger::Ledger;
    use arena_tournament::entrant::{Bot, Program};
    use arena_tournament::sample;
    use arena_tournament::spec::LeftOut;

    #[test]
    fn every_student_has_a_row() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        let folder = |name: &str, files: &[(&str, &str)]| {
            fs::create_dir(at(name)).unwrap();
            for (file, text) in files {
                fs::write(at(name).join(file), text).unwrap();
            }
        };
        let kit = kits::files("python", "first", "coda", "coda");
        let kit: Vec<(&str, &str)> = kit
            .iter()
            .map(|(path, text)| (path.to_str().unwrap(), text.as_str()))
            .collect();
        folder("ann", &[("bot.py", "print(1)")]);
        folder("bea", &[("bot.py", "print(1)")]);
        folder("carl", &kit);
        folder("eva", &kit);
        fs::write(at("eva/bot.py"), "print(2)").unwrap();
        let (mut spec, all) = sample::cup(&["owl", "emu", "crab", "eel"], 4);
        spec.pseudonyms = true;
        for (bot, folder) in spec.bots.iter_mut().zip(["ann", "bea", "carl", "eva"]) {
            bot.bot = Bot::Program(Program {
                command: ["python3", "bot.py"].map(String::from).into(),
                dir: at(folder),
                build: Some("true".into()),
                ..Program::default()
            });
        }
        let mut spec = snapshot::with_files(spec);
        spec.bots[1].refused = Some("it does not start".into());
        for (name, why) in [
            ("dodo", "its folder dora is missing"),
            (
                "owl (line 7)",
                "line 2 of the roster has the same pseudonym",
            ),
            ("", "line 8 of the roster has no pseudonym"),
        ] {
            spec.left_out.push(LeftOut {
                name: name.into(),
                why: why.into(),
                ..LeftOut::default()
            });
        }
        fs::write(
            at("roster.csv"),
            "folder,mail,pseudonym\nann,a@x,owl\nbea,b@x,emu\ncarl,c@x,crab\neva,e@x,eel\ndora,d@x,dodo\nfay,f@x,owl\ngus,g@x,\n",
        )
        .unwrap();
        let roster = Roster::read(&at("roster.csv")).unwrap();
        let mut ledger = Ledger::create(&at("cup"), &spec).unwrap();
        ledger.append(&all).unwrap();
        let analysis = Analysis::from_ledger(&ledger).unwrap();
        let text = marks(&spec, &analysis, Some(&roster)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0],
            "bot,folder,mail,pseudonym,rank,best_rank,worst_rank,points_per_match,points,matches,forfeits,same_as,reason"
        );
        let ends = [
            ("owl,ann,a@x,owl,", ",emu,"),
            ("emu,bea,b@x,emu,", ",owl,newer version: it does not start"),
            ("crab,carl,c@x,crab,", ",the supplied kit,"),
            ("eel,eva,e@x,eel,", ",,"),
            ("dodo,dora,d@x,dodo,,,,", ",its folder dora is missing"),
            ("owl (line 7),fay,f@x,owl,,", "has the same pseudonym"),
            (",gus,g@x,,,,", "line 8 of the roster has no pseudonym"),
        ];
        assert_eq!(lines.len(), 1 + ends.len(), "{text}");
        for (line, (start, end)) in lines[1..].iter().zip(ends) {
            assert!(line.starts_with(start) && line.ends_with(end), "{line}");
        }
        let row = &analysis.standings.standings[0];
        let [best, worst] = row.ranks;
        let result = format!(",{},{best},{worst},", row.rank);
        let its = lines.iter().find(|line| line.starts_with(&row.bot));
        assert!(its.unwrap().contains(&result), "{text}");
    }
}
