//! Text reports of a tuning run: its progress and its result.

use super::{WIDTH, listed};
use crate::table::{counted, fixed, signed};
use arena_statistics::tune::report::{End, Gained, Setting, Tuning};
use arena_tournament::printable::{clean, folded};

/// Describes the best setting after the last generation.
pub fn generation(tuning: &Tuning) -> String {
    let Some(last) = tuning.generations.last() else {
        return "nothing is known yet".into();
    };
    format!("best so far: {}", setting(tuning, &last.best))
}

/// Formats the report, at most 80 columns wide.
pub fn report(tuning: &Tuning) -> String {
    let mut rows = vec![format!("{}, {}", tuning.bot, facts(tuning)), String::new()];
    match &tuning.end {
        None => rows.push(format!("not finished; {}", generation(tuning))),
        Some(end) => rows.extend(
            [verdict(end), String::new()]
                .into_iter()
                .chain(results(tuning, end)),
        ),
    }
    let text: String = rows
        .iter()
        .map(|row| folded(&clean(row), WIDTH).join("\n") + "\n")
        .collect();
    text + &tuning.end.as_ref().map_or_else(String::new, warnings)
}

/// Describes a tuning run in one line.
pub(crate) fn facts(tuning: &Tuning) -> String {
    format!(
        "{} against {}",
        counted(tuning.generations.len() as u64, "generation"),
        tuning.field.join(", ")
    )
}

fn verdict(end: &End) -> String {
    match (end.verdict, end.unseen) {
        (Gained::Gained, _) => "gained: the tuned setting is better than the first".into(),
        (Gained::Alike, _) => {
            "they played alike: both settings scored the same on every deal".into()
        }
        (Gained::NotShown, None) => "no gain shown: keep the first setting".into(),
        (Gained::NotShown, Some(unseen)) => {
            let unseen = fixed(unseen, 0);
            format!(
                "no gain shown: keep the first setting; a gain below {unseen} Elo could have gone unseen"
            )
        }
    }
}

fn results(tuning: &Tuning, end: &End) -> Vec<String> {
    let row = |(what, result): (&str, &Setting)| {
        format!(
            "{what:<13}score {} %: {}",
            fixed(100.0 * result.score, 1),
            setting(tuning, &result.values)
        )
    };
    let mut rows: Vec<String> = ["first", "tuned"]
        .into_iter()
        .zip(&end.settings)
        .map(row)
        .collect();
    let [gain, low, high] = end.difference.map(|share| signed(100.0 * share, 1));
    if end.difference[1] == end.difference[2] {
        // If all deals differ by the same amount, there is no spread, and therefore no interval.
        rows.push(format!(
            "difference   {gain} % on each of {} fresh deals",
            end.deals
        ));
        return rows;
    }
    rows.push(format!(
        "difference   {gain} % (90 % interval {low} to {high}), on {} fresh deals",
        end.deals
    ));
    if let [Some(gain), Some(low), Some(high)] = end.elo.map(|elo| elo.map(|elo| signed(elo, 0))) {
        rows.push(format!("Elo          {gain} ({low} to {high})"));
    }
    rows
}

/// Formats the values of a setting, each with the name of its parameter.
fn setting(tuning: &Tuning, values: &[f64]) -> String {
    let each = tuning
        .numbers
        .iter()
        .zip(values)
        .map(|(number, value)| format!("{} {value}", number.name));
    each.collect::<Vec<String>>().join(", ")
}

fn warnings(end: &End) -> String {
    let names = end.at_border.join(", ");
    let border =
        format!("{names} ended within 2 % of an end of the range: the best may lie beyond");
    let far =
        "a score is outside 20 to 80 %: a field closer in strength would tell more".to_owned();
    let notes = [(border, !names.is_empty()), (far, end.is_far)]
        .into_iter()
        .filter(|note| note.1);
    let notes: Vec<String> = notes.map(|(note, _)| note).collect();
    if notes.is_empty() {
        String::new()
    } else {
        format!("\nwarnings\n{}", listed(&notes, WIDTH))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart;
    use arena_statistics::tune::report::Generation;
    use arena_tournament::tune::{MAX_PARAMETERS, Parameter, Scale};

    fn tuning(verdict: Gained, unseen: Option<f64>) -> Tuning {
        let number = |number: usize| Parameter {
            name: format!("number_{number}"),
            from: 0.into(),
            to: 9.into(),
            start: 1.into(),
            scale: Scale::Linear,
        };
        let setting = |score| Setting {
            values: vec![9.0; MAX_PARAMETERS],
            score,
        };
        let generation = Generation {
            settings: vec![setting(0.4), setting(0.5)],
            best: vec![9.0; MAX_PARAMETERS],
        };
        let end = End {
            verdict,
            deals: 500,
            settings: vec![setting(0.1), setting(0.2)],
            difference: [0.1, -0.01, 0.21],
            elo: [Some(70.0), Some(-7.0), unseen],
            unseen,
            at_border: vec!["number_1".into()],
            is_far: true,
        };
        Tuning {
            bot: "my\u{1b}[31m bot".into(),
            field: vec!["a".into(), "<b>".into()],
            numbers: (1..=MAX_PARAMETERS).map(number).collect(),
            generations: vec![generation; 12],
            end: Some(end),
        }
    }

    #[test]
    fn each_verdict_has_its_words_in_lines_that_fit() {
        for (verdict, unseen, words) in [
            (
                Gained::Gained,
                Some(30.0),
                "gained: the tuned setting is better than the first\n",
            ),
            (Gained::Alike, None, "they played alike: "),
            (
                Gained::NotShown,
                Some(30.4),
                "a gain below 30 Elo could have gone\nunseen\n",
            ),
            (
                Gained::NotShown,
                None,
                "no gain shown: keep the first setting\n",
            ),
        ] {
            let text = report(&tuning(verdict, unseen));
            assert!(text.contains(words), "{text}");
            assert!(
                text.lines().all(|line| line.chars().count() <= WIDTH) && !text.contains('\u{1b}'),
                "{text}"
            );
            assert!(
                text.contains("- number_1 ended within 2 %")
                    && text.contains("- a score is outside"),
                "{text}"
            );
            assert_eq!(
                text.contains("Elo          +70 (-7 to +30)"),
                unseen.is_some(),
                "{text}"
            );
        }
        let mut alike = tuning(Gained::Alike, None);
        let end = alike.end.as_mut().unwrap();
        (end.difference, end.elo) = ([0.0; 3], [Some(0.0); 3]);
        let text = report(&alike);
        assert!(
            text.contains("difference   0.0 % on each of 500 fresh deals\n")
                && !text.contains("interval")
                && !text.contains("Elo"),
            "{text}"
        );
        let running = Tuning {
            end: None,
            ..tuning(Gained::Alike, None)
        };
        let best = generation(&running);
        assert!(
            best.starts_with("best so far: number_1 9, ") && !best.contains('%'),
            "chosen for its luck too, the best has no estimate: {best}"
        );
        let stopped = Tuning {
            end: None,
            generations: Vec::new(),
            ..tuning(Gained::Alike, None)
        };
        assert!(report(&stopped).ends_with("not finished; nothing is known yet\n"));
    }

    #[test]
    fn a_chart_is_drawn_whatever_there_is() {
        let (folder, whole) = (tempfile::tempdir().unwrap(), tuning(Gained::Gained, None));
        for generations in [0, 1, 12] {
            let generations = whole.generations[..generations].to_vec();
            chart::tuning(
                folder.path(),
                &Tuning {
                    generations,
                    ..whole.clone()
                },
            )
            .unwrap();
            let svg = std::fs::read_to_string(folder.path().join("tuning.svg")).unwrap();
            let drawn = roxmltree::Document::parse(&svg).unwrap();
            let texts = drawn
                .descendants()
                .filter(|node| node.has_tag_name("text"))
                .count();
            assert!(texts > 2 + 3 * MAX_PARAMETERS, "{svg}");
        }
    }
}
