//! Who is first and how sure that is, in words.

use crate::analysis::Analysis;
use crate::rating::Rating;
use crate::standings::Standing;
use crate::table::{fixed, span};

/// The result in a sentence or two. Official points decide; bots that are not told apart from the first one deal by deal may be
/// first.
pub(super) fn in_words(analysis: &Analysis) -> String {
    let rows: Vec<&Standing> = analysis.standings.standings.iter().filter(|row| row.matches > 0).collect();
    let Some(first) = rows.first() else { return "No match is finished yet.".into() };
    let mut text = by_points(analysis, first, &rows[1..]);
    text += &by_rating(analysis, first);
    let (played, planned) = (analysis.standings.played, analysis.standings.planned);
    if !analysis.standings.complete {
        text += &format!(" {played} of {planned} matches are played.");
    }
    text
}

fn by_points(analysis: &Analysis, first: &Standing, others: &[&Standing]) -> String {
    let name = &first.bot;
    let Some(points) = first.points_per_match else { return String::new() };
    let within = first.interval.map_or_else(String::new, |ends| format!(" (95%: {})", span(ends.map(Some))));
    let points = format!("{}{within} official points per match", fixed(points, 2));
    let rivals: Vec<&str> = analysis.standings.rivals.iter().map(String::as_str).collect();
    let level = others.iter().any(|other| other.rank == first.rank);
    let how = if level { "shares the first place" } else { "leads" };
    if others.is_empty() {
        return format!("{name} has {points}.");
    }
    if rivals.is_empty() {
        return format!(
            "{name} is first with {points}; it is told apart from all others, deal by deal, with 95% confidence."
        );
    }
    format!("Not yet decided between {name} and {}: {name} {how} with {points}.", listed(&rivals))
}

fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).into(),
        [most @ .., last] if most.len() < 3 => format!("{} and {last}", most.join(", ")),
        [one, two, rest @ ..] => format!("{one}, {two} and {} others", rest.len()),
    }
}

fn by_rating(analysis: &Analysis, first: &Standing) -> String {
    let ratings = &analysis.ratings;
    if ratings.groups > 1 {
        return format!(
            " The bots are in {} groups of which none met another, so ratings do not compare them all.",
            ratings.groups
        );
    }
    let best: Vec<&Rating> = ratings.bots.iter().filter(|bot| bot.rank == Some(1)).collect();
    let [best] = best[..] else { return String::new() };
    let also = if best.bot == first.bot { "It also has".into() } else { format!("{} has", best.bot) };
    format!(" {also} the highest rating.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn bots_that_are_not_told_apart_are_not_separated() {
        let mut analysis = sample::analysis(&["ann", "bob"], 40);
        let mut check = |rivals: &[&str], interval: Option<[f64; 2]>, expected: &str| {
            analysis.standings.rivals = rivals.iter().map(|name| (*name).to_owned()).collect();
            analysis.standings.standings[0].interval = interval;
            let text = in_words(&analysis);
            assert!(text.contains(expected), "{text}");
        };
        check(&[], Some([5.0, 7.0]), "is first with");
        check(&[], Some([5.0, 7.0]), "(95%: 5.00–7.00)");
        check(&["bob"], Some([5.0, 7.0]), "Not yet decided between ann and bob");
        check(&["bob"], None, "Not yet decided");
        assert_eq!(in_words(&sample::analysis(&["ann", "bob"], 0)), "No match is finished yet.");
    }
}
