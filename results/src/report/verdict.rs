//! Who is first and how sure that is, in words.

use crate::analysis::Analysis;
use crate::rating::Rating;
use crate::standings::Standing;
use crate::table::{fixed, half_width, percent};

/// The result in a sentence or two. Official points decide; bots whose intervals overlap the first one's are not
/// separated from it.
pub(super) fn in_words(analysis: &Analysis) -> String {
    let rows: Vec<&Standing> = analysis.standings.standings.iter().filter(|row| row.matches > 0).collect();
    let Some(first) = rows.first() else { return "No match is finished yet.".into() };
    let mut text = by_points(first, &rows[1..]);
    text += &by_rating(analysis, first);
    let (played, planned) = (analysis.standings.played, analysis.standings.planned);
    if !analysis.standings.complete {
        text += &format!(" {played} of {planned} matches are played.");
    }
    text
}

fn by_points(first: &Standing, others: &[&Standing]) -> String {
    let name = &first.bot;
    let Some(points) = first.points_per_match else { return String::new() };
    let Some(half) = half_width(first) else {
        return format!(
            "{name} leads with {} official points per match; the deals are too few to say how sure that is.",
            fixed(points, 2)
        );
    };
    let leads = format!("{} ± {} official points per match", fixed(points, 2), fixed(half, 2));
    let rivals: Vec<&str> =
        others.iter().filter(|other| overlap(first, other)).map(|other| other.bot.as_str()).collect();
    let level = others.iter().any(|other| other.rank == first.rank);
    let how = if level { "shares the first place" } else { "leads" };
    match (others.is_empty(), rivals.is_empty()) {
        (true, _) => format!("{name} has {leads}."),
        (false, true) => format!("{name} is first with {leads}; the 95% intervals of all others lie below its own."),
        (false, false) => format!(
            "Not yet decided between {name} and {}: {name} {how} with {leads}, and the 95% intervals overlap.",
            listed(&rivals)
        ),
    }
}

/// True if the 95 % intervals of two bots overlap; one without an interval overlaps with everybody.
fn overlap(first: &Standing, other: &Standing) -> bool {
    match (first.interval, other.interval) {
        (Some([low, _]), Some([_, high])) => high >= low,
        _ => true,
    }
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
    match best.first {
        Some(share) => format!(" {also} the highest rating, in {}% of resampled deals.", percent(Some(share))),
        None => format!(" {also} the highest rating."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn check(leads: [Option<[f64; 2]>; 2], expected: &str) {
        let mut analysis = sample::analysis(&["ann", "bob"], 4);
        for (row, interval) in analysis.standings.standings.iter_mut().zip(leads) {
            row.interval = interval;
        }
        let text = in_words(&analysis);
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn bots_whose_intervals_overlap_are_not_separated() {
        check([Some([5.0, 7.0]), Some([1.0, 4.9])], "is first with");
        check([Some([5.0, 7.0]), Some([1.0, 5.1])], "Not yet decided between");
        check([Some([5.0, 7.0]), None], "Not yet decided between");
        check([None, None], "too few to say");
        assert_eq!(in_words(&sample::analysis(&["ann", "bob"], 0)), "No match is finished yet.");
    }
}
