//! The report on judged matches: losses per bot, and single decisions.

use std::collections::{BTreeMap, BTreeSet};

use arena_bots::decision::{Decision, Judged};
use arena_bots::judge::Judge;
use arena_bots::roster;
use arena_ledger::ledger::Ledger;
use arena_results::analysis::Analysis;
use arena_results::text::{self, JudgedBot};
use arena_statistics::histogram::Histogram;
use arena_statistics::interval;
use arena_statistics::pair::Pair;
use arena_tournament::entrant::Bot;
use arena_tournament::played::Played;
use arena_tournament::printable::{clean, folded};
use serde::Serialize;

use crate::terminal::{Colour, painted};

/// Maximum number of decisions listed.
const MAX_DECISIONS_SHOWN: usize = 12;

/// Results of judging decisions.
#[derive(Serialize)]
pub struct Analysed {
    /// The judge's built-in bot. The judge cannot grade bots that play better than this one.
    judge: &'static str,
    /// Number of matches judged.
    matches: u64,
    /// Number of matches selected: more than `matches` if judging was stopped.
    of: u64,
    /// Number of late and failed replies, which are not judged.
    left_out: u64,
    /// The bots, by name.
    bots: Vec<JudgedBot>,
    /// All judged decisions of a single match; for a tournament, only the most costly ones, in descending order.
    decisions: Vec<Judgement>,
    /// Caveats, one sentence each.
    notes: Vec<String>,
    #[serde(skip)]
    is_match: bool,
    /// Bots about as strong as the judge, or whose loss may be due to chance.
    #[serde(skip)]
    strong: BTreeSet<String>,
    /// Number of matches, and win shares lost by kind of decision, for each bot and deal.
    #[serde(skip)]
    deals: BTreeMap<(String, u32), (u64, BTreeMap<String, f64>)>,
}

/// A judged decision, with its match and bot.
#[derive(Serialize)]
struct Judgement {
    /// Id of the match.
    r#match: String,
    /// Name of the bot that decided.
    bot: String,
    #[serde(flatten)]
    decision: Decision,
}

impl Analysed {
    /// Creates an empty report on `of` matches; for a single match, all decisions are kept.
    pub fn new(ledger: &Ledger, judge: &Judge, of: u64, is_match: bool) -> anyhow::Result<Self> {
        Ok(Self {
            judge: judge.bot,
            matches: 0,
            of,
            left_out: 0,
            bots: Vec::new(),
            decisions: Vec::new(),
            notes: Vec::new(),
            is_match,
            strong: as_strong(ledger, judge)?,
            deals: BTreeMap::new(),
        })
    }

    /// Returns `true` if some matches were not judged.
    pub fn is_partial(&self) -> bool {
        self.matches < self.of
    }

    /// Adds a match, or only the decisions of one bot in it.
    pub fn add(&mut self, played: &Played, judged: Judged, only: Option<&str>) {
        self.matches += 1;
        self.left_out += u64::from(judged.left_out);
        for name in played
            .bots
            .iter()
            .filter(|name| only.is_none_or(|only| only == *name))
        {
            let of_bot = self
                .bots
                .iter()
                .position(|bot| bot.bot == *name)
                .unwrap_or_else(|| {
                    self.bots.push(JudgedBot {
                        bot: name.clone(),
                        ..JudgedBot::default()
                    });
                    self.bots.len() - 1
                });
            self.bots[of_bot].matches += 1;
            self.deals.entry((name.clone(), played.deal)).or_default().0 += 1;
        }
        for decision in judged.decisions {
            let name = &played.bots[decision.seat.index()];
            let Some(bot) = self.bots.iter_mut().find(|bot| bot.bot == *name) else {
                continue;
            };
            bot.decisions += 1;
            bot.listed += u64::from(decision.listed);
            if let Some((_, kinds)) = self.deals.get_mut(&(name.clone(), played.deal)) {
                *kinds.entry(decision.kind.to_string()).or_default() += decision.lost;
            }
            if self.is_match || decision.listed {
                self.decisions.push(Judgement {
                    r#match: played.id(),
                    bot: name.clone(),
                    decision,
                });
            }
        }
    }

    /// Computes the losses of each bot, after the last match has been added.
    pub fn finish(&mut self) {
        self.bots.sort_by(|one, other| one.bot.cmp(&other.bot));
        if !self.is_match {
            self.decisions
                .sort_by(|one, other| other.decision.lost.total_cmp(&one.decision.lost));
        }
        for bot in &mut self.bots {
            let mut deals = Histogram::default();
            let own = self.deals.iter().filter(|((name, _), _)| *name == bot.bot);
            for (_, (matches, kinds)) in own {
                let each = |lost: f64| lost / *matches as f64;
                deals.add(each(kinds.values().sum()));
                kinds.iter().for_each(|(kind, lost)| {
                    *bot.kinds.entry(kind.clone()).or_default() += each(*lost);
                });
            }
            bot.kinds
                .values_mut()
                .for_each(|lost| *lost /= deals.count() as f64);
            (bot.lost, bot.interval) = (deals.mean(), interval::of_points(&deals));
            if bot.interval.is_some_and(|[low, _]| low <= 0.0) {
                self.strong.insert(bot.bot.clone());
            }
        }
        self.notes = self.caveats();
    }

    /// Returns the caveats: which bot the judge uses, and which bots it cannot grade.
    fn caveats(&self) -> Vec<String> {
        let mut notes = vec![
            format!(
                "The judge plays each option on to the end of the round as {} does, from what the seat had seen, and estimates from the \
                 resulting lead how likely the seat wins. It cannot grade play that is better than its own.",
                self.judge
            ),
            format!(
                "Not judged: set-ups, decisions with a single option, and {} late or failed replies.",
                self.left_out
            ),
        ];
        notes.extend(
            self.bots
                .iter()
                .filter(|bot| self.strong.contains(&bot.bot))
                .map(|JudgedBot { bot, .. }| {
                    format!("{bot} plays about as well as the judge: its mistakes are possible mistakes.")
                }),
        );
        notes
    }

    /// Formats the report as text.
    pub fn in_words(&self, width: usize) -> String {
        let mut worst: Vec<&Judgement> = self
            .decisions
            .iter()
            .filter(|judgement| judgement.decision.listed)
            .collect();
        worst.sort_by(|one, other| other.decision.lost.total_cmp(&one.decision.lost));
        let mut text = if self.is_partial() {
            format!(
                "a sample: {} of {} matches are judged; the same command judges more of them\n\n",
                self.matches, self.of
            )
        } else {
            String::new()
        };
        text += &match worst.len() {
            0 => "no mistakes found\n".to_owned(),
            1 => "one mistake\n".to_owned(),
            all if all <= MAX_DECISIONS_SHOWN => format!("{all} mistakes, worst first\n"),
            all => format!("the {MAX_DECISIONS_SHOWN} worst of {all} mistakes\n"),
        };
        text.extend(worst.iter().take(MAX_DECISIONS_SHOWN).map(|judgement| {
            let is_sure = !self.strong.contains(&judgement.bot);
            judgement.in_words(!self.is_match, is_sure)
        }));
        let matches = if self.matches == 1 {
            "match"
        } else {
            "matches"
        };
        text += &format!("\n{} {matches} judged\n\n", self.matches);
        text += &text::judged(&self.bots, width);
        let notes = self
            .notes
            .iter()
            .flat_map(|note| folded(&clean(note), width))
            .map(|line| line + "\n");
        text + "\n" + &notes.collect::<String>()
    }
}

impl Judgement {
    fn in_words(&self, with_match: bool, is_sure: bool) -> String {
        let Self {
            r#match,
            bot,
            decision,
        } = self;
        let Decision { turn, right, .. } = decision;
        let place = if with_match {
            format!("{match}, turn {turn}")
        } else {
            format!("turn {turn}")
        };
        let hindsight = match right {
            Some(true) => painted(" (the guess was right)", Colour::Dim),
            Some(false) => painted(" (the guess was wrong)", Colour::Dim),
            None => String::new(),
        };
        let mut words = decision.to_string();
        if !is_sure {
            words = words.replacen("; better: ", "; possibly better: ", 1);
        }
        format!(
            "{}: {words}{hindsight}\n",
            clean(&format!("{place}, {bot}")),
        )
    }
}

/// Minimum score against the judge's bot from which a bot counts as about equally strong.
const NEAR_WIN_RATE: f64 = 0.45;

/// Returns the bots that are known to play as well as the judge's bot, and the bots that score at least `NEAR_WIN_RATE` against it in this
/// tournament.
fn as_strong(ledger: &Ledger, judge: &Judge) -> anyhow::Result<BTreeSet<String>> {
    let spec = ledger.spec();
    let plays = |index: usize, name: &str| matches!(&spec.bots[index].bot, Bot::Builtin(builtin) if builtin == name);
    let known = || roster::names(&spec.plan.game).skip_while(|name| *name != judge.bot);
    let all = 0..spec.bots.len();
    let mut strong: Vec<usize> = all
        .clone()
        .filter(|bot| known().any(|name| plays(*bot, name)))
        .collect();
    if all.into_iter().any(|bot| plays(bot, judge.bot)) {
        for Pair {
            first,
            second,
            estimate,
            ..
        } in Analysis::from_ledger(ledger)?.pairs
        {
            let score = estimate.map_or(0.5, |estimate| estimate.score);
            let sides = [(first, second, score), (second, first, 1.0 - score)];
            strong.extend(
                sides
                    .iter()
                    .filter(|(_, other, won)| plays(*other, judge.bot) && *won > NEAR_WIN_RATE)
                    .map(|side| side.0),
            );
        }
    }
    Ok(strong
        .into_iter()
        .map(|bot| spec.bots[bot].name.clone())
        .collect())
}
