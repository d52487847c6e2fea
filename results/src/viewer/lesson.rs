//! Describes clear mistakes that are found by counting alone, for games without a judge and matches that were not judged.

use arena_engine::table::Json;
use arena_tournament::reply_text::ReplyText;
use serde_json::{Value, json};

use super::Known;
use crate::table::percent;

/// Probability below which a guess is hasty, unless the seat had to guess.
const HASTY_BELOW: f64 = 0.1;
/// A guess that is at least this likely should be preferred to one at most half as likely.
const LIKELY_FROM: f64 = 0.5;
/// Tolerance for rounding errors in sums.
const TOLERANCE: f64 = 1e-9;

/// Describes the clear mistake in a reply to this prompt, if any.
pub(super) fn find(prompt: &Value, reply: &ReplyText, known: &Known) -> Option<String> {
    let ReplyText::Act(action) = reply else {
        return None;
    };
    let options = prompt.as_array()?;
    let best = known.likeliest.first().filter(|best| {
        let kind = named(&best.action).map(|(kind, _)| kind);
        kind.is_some_and(|kind| options.iter().any(|option| option.get(&kind).is_some()))
    });
    let best = best.map_or(0.0, |best| best.chance);
    if best > 1.0 - TOLERANCE && known.chance.unwrap_or_default() < 1.0 - TOLERANCE {
        return Some("passed over a guess that was certain to be right".into());
    }
    let asks = named(action).is_some_and(|(_, values)| values != json!({}));
    if let Some(learned) = known.learned
        && asks
        && learned.expected < TOLERANCE
        && learned.right != Some(true)
    {
        let was_possible = known.chance.is_some_and(|chance| chance > TOLERANCE);
        match learned.right {
            None => return Some("asked what was already certain, and learned nothing".into()),
            Some(_) if !was_possible => {
                return Some("guessed what was already ruled out, and learned nothing".into());
            }
            // Other seats that declared at the same time ruled the guess out, so the seat could not know.
            Some(_) => {}
        }
    }
    let chance = known.chance?;
    let shown = |chance: f64| format!("{} %", percent(Some(chance)));
    if chance < HASTY_BELOW && options.len() > 1 {
        return Some(format!(
            "guessed at {}, and did not have to guess",
            shown(chance)
        ));
    }
    // If an answer tells more than right or wrong, an unlikely guess may still be the best question.
    let expected = known.learned.map(|learned| learned.expected);
    let says_more = expected.is_some_and(|expected| expected > entropy(chance) + TOLERANCE);
    (best >= LIKELY_FROM && 2.0 * chance <= best && !says_more).then(|| {
        format!(
            "guessed at {}, where another guess was right at {}",
            shown(chance),
            shown(best)
        )
    })
}

/// Returns the name of an action and its values.
fn named(action: &Json) -> Option<(String, Value)> {
    let Value::Object(action) = action.value() else {
        return None;
    };
    action.into_iter().next()
}

/// Returns the entropy of a guess with this chance of being right, in bits.
fn entropy(chance: f64) -> f64 {
    let part = |share: f64| {
        if share > 0.0 {
            -share * share.log2()
        } else {
            0.0
        }
    };
    part(chance) + part(1.0 - chance)
}

#[cfg(test)]
mod tests {
    use super::super::Guess;
    use super::*;
    use arena_engine::deduction::Learned;

    #[test]
    fn what_counting_shows_is_told() {
        let act = |action: Value| ReplyText::Act(Json::new(&action));
        let guess = || act(json!({"guess": {"code": 1}}));
        let ask = || act(json!({"ask": {"digit": 1}}));
        let known = |chance, best, learned| Known {
            worlds: Some(9.0),
            chance,
            likeliest: vec![Guess {
                action: Json::new(&json!({"guess": {"code": 2}})),
                chance: best,
            }],
            learned,
        };
        let both = json!([{"ask": {}}, {"guess": {}}]);
        let [only, other] = [json!([{"guess": {}}]), json!([{"ask": {}}])];
        let nothing = Learned::from_answer([1.0], 1.0);
        let told = |prompt: &Value, reply, known| find(prompt, &reply, &known).unwrap_or_default();
        let certain = told(&both, ask(), known(None, 1.0, None));
        assert!(certain.contains("certain to be right"), "{certain}");
        assert_eq!(told(&other, ask(), known(None, 1.0, None)), "");
        assert_eq!(told(&only, guess(), known(Some(1.0), 1.0, None)), "");
        let asked = told(&both, ask(), known(None, 0.3, Some(nothing)));
        assert!(asked.starts_with("asked what was already certain"));
        let passed = act(json!({"pass": {}}));
        assert_eq!(told(&both, passed, known(None, 0.3, Some(nothing))), "");
        let ruled_out = Some(Learned::from_guess(0.0, false));
        let guessed = told(&only, guess(), known(Some(0.0), 0.3, ruled_out));
        assert!(guessed.contains("ruled out"), "{guessed}");
        let hasty = told(&both, guess(), known(Some(0.008), 0.3, None));
        assert!(hasty.starts_with("guessed at 0.8 %, and"), "{hasty}");
        assert_eq!(told(&only, guess(), known(Some(0.008), 0.3, None)), "");
        let unlikely = told(&only, guess(), known(Some(0.2), 0.6, None));
        assert!(unlikely.contains("right at 60.0 %"), "{unlikely}");
        let question = Learned::from_answer([0.2, 0.4, 0.4], 0.4);
        assert_eq!(
            told(&only, guess(), known(Some(0.2), 0.6, Some(question))),
            ""
        );
    }
}
