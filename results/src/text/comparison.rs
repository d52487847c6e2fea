//! A comparison's report for the terminal, at most 80 columns wide where names are short enough.

use arena_tournament::test::{Model, Sprt, Test};

use super::comparison::TestVerdict;
use super::report::{ComparisonReport, hypotheses};
use arena_tournament::printable::clean;
use arena_statistics::betting::Peek;
use arena_statistics::elo::Elo;
use crate::table::{fixed, signed};

impl ComparisonReport {
    /// The report for people.
    pub fn text(&self) -> String {
        let mut rows: Vec<(String, String)> = Vec::new();
        let mut row = |what: &str, value: String| rows.push((what.to_owned(), value));
        row("tested", self.tested());
        row("deals", self.size());
        if let (Some(llr), Some(bounds)) = (self.llr, self.bounds) {
            let [llr, lower, upper] = [llr, bounds[0], bounds[1]].map(|ratio| fixed(ratio, 2));
            row("LLR", format!("{llr}, stops at {lower} and {upper}"));
        }
        self.results(&mut row);
        if let Some(cells) = self.pentanomial {
            let cells = cells.map(|count| count.to_string()).join(" ");
            row("pentanomial", format!("{cells} (deals with 0 to 4 half points for {})", self.bots[0]));
        }
        self.strength(&mut row);
        if let (Some(saved), Some(fixed)) = (self.saved, self.fixed_deals) {
            row("deals saved", format!("{saved}: as sure a test of fixed size has {fixed}"));
        }
        let rows: String = rows.iter().map(|(what, value)| format!("{what:<13}{value}\n")).collect();
        let text = format!("{}\n\n{}\n\n{rows}{}", self.heading(), self.words, self.warnings());
        text.lines().map(|line| clean(line) + "\n").collect()
    }

    fn heading(&self) -> String {
        let [first, second] = &self.bots;
        let field = match self.field.as_slice() {
            [] => String::new(),
            field => format!(", each against {}", field.join(", ")),
        };
        format!("{first} or {second}{field}: {}, {} seats, seed {}", self.game, self.seats, self.seed)
    }

    fn tested(&self) -> String {
        match &self.test {
            Test::Sprt(sprt) => ratio_test(sprt),
            Test::Score(sequence) | Test::Points(sequence) => {
                let what = if let Test::Points(_) = self.test { "points" } else { "scores" };
                let margin = sequence.margin.map_or_else(String::new, |margin| format!(" by more than {margin}"));
                format!("whether the {what} differ{margin}; alpha {}", sequence.alpha)
            }
        }
    }

    fn size(&self) -> String {
        let matches = u64::from(self.deals) * self.matches_per_deal;
        format!("{} of at most {}, {} matches each: {matches}", self.deals, self.max_deals, self.matches_per_deal)
    }

    fn results(&self, row: &mut impl FnMut(&str, String)) {
        let shown = if self.field.is_empty() { 1 } else { 2 };
        for (name, results) in self.bots.iter().zip(&self.results).take(shown) {
            let score = results.score().map_or_else(|| "-".into(), |score| format!("{:.1} %", score * 100.0));
            let (wins, draws, losses) = (results.wins, results.draws, results.losses);
            row("results", format!("{name}: {wins} W, {draws} D, {losses} L, score {score}"));
        }
        if self.results.iter().any(|results| results.forfeits > 0) {
            let count = |side: usize| format!("{} by {}", self.results[side].forfeits, self.bots[side]);
            row("forfeits", format!("{}, {}; each is a loss", count(0), count(1)));
        }
    }

    /// What is right after any stop, and below it what is not.
    fn strength(&self, row: &mut impl FnMut(&str, String)) {
        let sure = fixed(100.0 * (1.0 - self.alpha_of_intervals), 4);
        let sure = sure.trim_end_matches('0').trim_end_matches('.');
        let mut both = |what: &str, [low, high]: [String; 2], unit: &str, naive: Option<String>| {
            row(what, format!("between {low} and {high}{unit}, {sure} % at all times"));
            if let Some(naive) = naive {
                row("", format!("naive estimate {naive}, biased by the stop"));
            }
        };
        if let Test::Sprt(_) = self.test {
            let bound = |end: Option<f64>| end.map_or_else(|| "no bound".into(), |elo| signed(elo, 1));
            both("Elo", self.elo_at_all_times.map(bound), "", self.naive_elo.map(naive));
        }
        let mut difference = |what: &str, Peek { mean, interval, .. }: Peek, unit: &str, digits: usize| {
            let number = |number: f64| signed(number, digits);
            both(what, interval.map(number), unit, mean.map(number));
        };
        if !self.field.is_empty() {
            difference("score", self.score_difference, "", 3);
        }
        difference("points", self.points_difference, " a match", 2);
    }

    fn warnings(&self) -> String {
        let mut warnings = String::new();
        for alike in &self.identical {
            let bots = alike.bots.join(" and ");
            let (same, all) = (alike.identical, alike.matches);
            warnings += &format!(
                "\nwarning: of the {all} matches of {bots},\n\
                 {same} went exactly like another one on their deal: they tell nothing new\n"
            );
        }
        if self.verdict == TestVerdict::Running {
            warnings += "\nthe numbers above are not final\n";
        }
        warnings
    }
}

fn ratio_test(sprt: &Sprt) -> String {
    let ([elo0, elo1], [alpha, beta]) = (hypotheses(sprt), sprt.errors());
    let model = match sprt.model() {
        Model::Logistic => "logistic",
        Model::Normalised => "normalised",
    };
    format!("H0: {elo0} Elo or less, H1: {elo1} or more ({model}); errors {alpha}, {beta}")
}

fn naive(elo: Elo) -> String {
    match elo {
        Elo::Value(elo) => signed(elo, 1),
        Elo::AtLeast(elo) => format!("≥ {}", signed(elo, 1)),
        Elo::AtMost(elo) => format!("≤ {}", signed(elo, 1)),
    }
}
