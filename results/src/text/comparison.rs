//! Text report of a comparison, at most 80 columns wide if names are short enough.

use arena_tournament::test::{Sprt, Test};

use crate::comparison::ComparisonReport;
use crate::table::{carried, counted, fixed, signed};
use arena_statistics::betting::MeanEstimate;
use arena_statistics::elo;
use arena_statistics::sprt::TestVerdict;
use arena_tournament::printable::clean;

/// Formats the report of a comparison.
pub fn comparison(report: &ComparisonReport) -> String {
    let mut rows: Vec<(String, String)> = Vec::new();
    let mut row = |what: &str, value: String| rows.push((what.to_owned(), value));
    row("tested", tested(report));
    row("deals", size(report));
    if let (Some(llr), Some(bounds)) = (report.llr, report.bounds) {
        let [llr, lower, upper] = [llr, bounds[0], bounds[1]].map(|ratio| fixed(ratio, 2));
        row("LLR", format!("{llr}, stops at {lower} and {upper}"));
    }
    results(report, &mut row);
    if let Some(cells) = report.pentanomial {
        let cells = cells.map(|count| count.to_string()).join(" ");
        let first = &report.bots[0];
        let cells = format!("{cells} (deals with 0 to 4 half points for {first})");
        row("pentanomial", cells);
    }
    strength(report, &mut row);
    let is_decided = matches!(
        report.verdict,
        TestVerdict::AcceptElo0 | TestVerdict::AcceptElo1
    );
    if let Some(fixed) = report.fixed_deals.filter(|_| is_decided) {
        let saved = i128::from(fixed) - i128::from(report.deals);
        let saved =
            format!("{saved}; a test of fixed size would need {fixed} for the same error rates");
        row("deals saved", saved);
    }
    if let Some(gate) = &report.gate {
        rows.push(("gate".into(), gate.to_string()));
    }
    let mut text = format!("{}\n\n{}\n\n", heading(report), report.words);
    for (what, value) in rows {
        text += &format!("{what:<13}{value}\n");
    }
    text += &warnings(report);
    text += &paste(report).unwrap_or_default();
    text.lines().map(|line| clean(line) + "\n").collect()
}

/// Returns the line of numbers that engine testers share; `None` against a field, and before the first deal.
fn paste(report: &ComparisonReport) -> Option<String> {
    let counts = report.pentanomial.filter(|_| report.deals > 0)?;
    let mut line = elo::paste(&counts, report.line.draws.unwrap_or_default());
    if let (Test::Sprt(sprt), Some(llr), Some([lower, upper])) =
        (&report.test, report.llr, report.bounds)
    {
        let [elo0, elo1] = sprt.elo();
        let llr = fixed(llr, 2);
        line += &format!(", LLR {llr} ({lower:.2}, {upper:.2}) [{elo0:.2}, {elo1:.2}]");
    }
    Some(format!("\nto paste, biased by stopping early:\n{line}\n"))
}

fn heading(report: &ComparisonReport) -> String {
    let [first, second] = &report.bots;
    let field = match report.field.as_slice() {
        [] => String::new(),
        field => format!(", each against {}", field.join(", ")),
    };
    let seed = report.seed.map(|seed| format!(", seed {seed}"));
    let game = &report.game;
    let seats = report.seats;
    let seed = seed.unwrap_or_default();
    format!("{first} or {second}{field}: {game}, {seats} seats{seed}")
}

fn tested(report: &ComparisonReport) -> String {
    match &report.test {
        Test::Sprt(sprt) => ratio_test(sprt),
        Test::Score(sequence) | Test::Points(sequence) => {
            let is_points = matches!(report.test, Test::Points(_));
            let what = if is_points { "points" } else { "scores" };
            let margin = sequence
                .margin
                .map(|margin| format!(" by more than {margin}"));
            let (margin, alpha) = (margin.unwrap_or_default(), sequence.alpha);
            format!("whether the {what} differ{margin}; alpha {alpha}")
        }
    }
}

fn size(report: &ComparisonReport) -> String {
    let deals = report.deals;
    let most = report.max_deals;
    let each = report.matches_per_deal;
    let matches = u64::from(deals) * each;
    format!("{deals} of at most {most}, {each} matches each: {matches}")
}

fn results(report: &ComparisonReport, row: &mut impl FnMut(&str, String)) {
    let shown = if report.field.is_empty() { 1 } else { 2 };
    for (name, results) in report.bots.iter().zip(&report.results).take(shown) {
        let score = results
            .score()
            .map(|score| format!("{:.1} %", score * 100.0));
        let score = score.unwrap_or_else(|| "-".into());
        let wins = results.wins;
        let draws = results.draws;
        let losses = results.losses;
        let results = format!("{name}: {wins} W, {draws} D, {losses} L, score {score}");
        row("results", results);
    }
    if report.results.iter().any(|results| results.forfeits > 0) {
        let count =
            |side: usize| format!("{} by {}", report.results[side].forfeits, report.bots[side]);
        let both = match report.results[0].both_forfeited {
            0 => String::new(),
            both => {
                let both = counted(both, "match");
                format!("; {both} forfeited by both are left out")
            }
        };
        let forfeits = format!("{}, {}; each is a loss{both}", count(0), count(1));
        row("forfeits", forfeits);
    }
}

/// Adds rows with intervals that are valid whenever the test stops. Below them, adds naive estimates, which early stopping biases.
fn strength(report: &ComparisonReport, row: &mut impl FnMut(&str, String)) {
    let sure = fixed(100.0 * (1.0 - report.alpha_of_intervals), 4);
    let sure = sure.trim_end_matches('0').trim_end_matches('.');
    let interval = |[low, high]: [String; 2], unit: &str| {
        format!("between {low} and {high}{unit}, {sure} % at all times")
    };
    if let Test::Sprt(sprt) = &report.test {
        let bound = |end: Option<f64>| end.map_or_else(|| "no bound".into(), |elo| signed(elo, 1));
        row("Elo", interval(report.elo_at_all_times.map(bound), ""));
        if report.verdict == TestVerdict::AcceptElo1
            && report.elo_at_all_times[0].is_none_or(|low| low <= sprt.elo()[0])
        {
            let why = "wider than the answer: the test only chooses between H0 and H1";
            row("", why.to_owned());
        }
    }
    let mut difference = |what: &str, of: MeanEstimate, unit: &str, digits: usize| {
        let number = |number: f64| signed(number, digits);
        row(what, interval(of.interval.map(number), unit));
        if let Some(mean) = of.mean.map(number) {
            let naive = format!("naive estimate {mean}, biased by stopping early");
            row("", naive);
        }
    };
    if !report.field.is_empty() {
        difference("score", report.score_difference, "", 3);
    }
    difference("points", report.points_difference, " a match", 2);
}

fn warnings(report: &ComparisonReport) -> String {
    let mut warnings = String::new();
    for one in &report.carryover {
        warnings += &format!("\nwarning: {}\n", carried(one));
    }
    for alike in &report.identical {
        let bots = alike.bots.join(" and ");
        let (same, all) = (alike.identical, alike.matches);
        warnings += &format!(
            "\nwarning: of the {all} matches of {bots},\n\
             {same} repeated another one on the same deal, move by move: they add nothing new\n"
        );
    }
    for own in &report.time_odds {
        warnings += &format!("\ntime odds: {own}\n");
    }
    if report.verdict == TestVerdict::Running {
        warnings += "\nthe numbers above are not final\n";
    }
    warnings
}

fn ratio_test(sprt: &Sprt) -> String {
    let ([elo0, elo1], [alpha, beta]) = (sprt.elo(), sprt.errors());
    format!("H0: {elo0} Elo or less, H1: {elo1} or more; error rates {alpha}, {beta}")
}
