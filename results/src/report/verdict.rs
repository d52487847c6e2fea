//! The first bot and how certain its lead is, in words.

use crate::analysis::Analysis;
use crate::table::{fixed, span};
use arena_statistics::rating::Rating;
use arena_statistics::standings::Standing;

/// The result in a few sentences: first as the format places the bots, where it does so otherwise than by points, then by
/// official points. Bots that do not differ significantly from the first one, deal by deal, may be first.
pub(super) fn in_words(analysis: &Analysis) -> String {
    let rows: Vec<&Standing> = analysis.standings.standings.iter().filter(|row| row.matches > 0).collect();
    let Some(first) = rows.first() else { return "No match is finished yet.".into() };
    let mut text = by_format(analysis).unwrap_or_default();
    text += &by_points(analysis, first, &rows[1..]);
    text += &by_rating(analysis, first);
    if !analysis.standings.complete {
        text += &format!(" {} of {} matches are played.", analysis.standings.played, analysis.standings.planned);
    }
    text
}

/// Who is first by the rules of the format, if that is another order than that of the points.
fn by_format(analysis: &Analysis) -> Option<String> {
    let placings = analysis.placings.as_ref()?;
    let leader = &analysis.bots[placings.leader?];
    let how = if placings.finished == placings.of { "wins" } else { "leads" };
    Some(format!("{leader} {how} ({}). By official points: ", placings.title()))
}

fn by_points(analysis: &Analysis, first: &Standing, others: &[&Standing]) -> String {
    let Some(points) = first.points_per_match else { return String::new() };
    let within = first.interval.map_or_else(String::new, |ends| format!(" (95%: {})", span(ends.map(Some))));
    let points = format!("{}{within} official points per match", fixed(points, 2));
    let level = others.iter().filter(|other| other.rank == first.rank).count();
    if others.is_empty() {
        return format!("{} has {points}.", first.bot);
    }
    if level == others.len() {
        return format!("All {} bots are level with {points}.", others.len() + 1);
    }
    let rivals = analysis.standings.rivals.iter().map(String::as_str);
    let (alike, rivals): (Vec<&str>, Vec<&str>) = rivals.partition(|rival| alike(analysis, &first.bot, rival));
    let name = match &alike[..] {
        [] => first.bot.clone(),
        alike => format!("{} (like {}, which played exactly as it did)", first.bot, listed(alike)),
    };
    let how = if level > alike.len() { "shares the first place" } else { "leads" };
    if rivals.is_empty() {
        return format!(
            "{name} is first with {points}; it differs significantly from all others, deal by deal, with 95% confidence."
        );
    }
    format!("Not yet decided between {name} and {}: {} {how} with {points}.", listed(&rivals), first.bot)
}

/// True if all matches of two bots went exactly like another one of theirs, as those of one program under two names do.
fn alike(analysis: &Analysis, one: &str, other: &str) -> bool {
    let mut both: Vec<usize> =
        [one, other].iter().filter_map(|name| analysis.bots.iter().position(|bot| bot == name)).collect();
    both.sort_unstable();
    analysis.identical.iter().any(|set| set.bots == both && set.identical == set.matches)
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
            " The bots are in {} groups that never met, so ratings do not compare them all.",
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
    use arena_statistics::identical::Identical;

    #[test]
    fn bots_that_do_not_differ_significantly_are_not_separated() {
        let mut analysis = sample::analysis(&["ann", "bob"], 40);
        analysis.identical.clear();
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
        analysis.identical = vec![Identical { bots: vec![0, 1], matches: 80, identical: 80 }];
        let text = in_words(&analysis);
        assert!(text.starts_with("ann (like bob, which played exactly as it did) is first"), "{text}");
        analysis.standings.standings.iter_mut().for_each(|row| row.rank = 1);
        assert!(in_words(&analysis).starts_with("All 2 bots are level with"));
        assert_eq!(in_words(&sample::analysis(&["ann", "bob"], 0)), "No match is finished yet.");
    }
}
