//! Tests of the anchor, the bot whose rating is 0: it must be one of the tournament's bots, and it affects no match.

use super::{field, round_robin};
use crate::difference::differences;
use crate::spec::Spec;

fn anchored(name: &str) -> Spec {
    Spec {
        anchor: Some(name.to_owned()),
        ..field(round_robin(), 3, 2, 4, 1)
    }
}

#[test]
fn an_anchor_is_one_of_the_bots() {
    let none = field(round_robin(), 3, 2, 4, 1);
    assert_eq!((none.anchor(), none.check()), (None, vec![]));
    let second = anchored("bot-1");
    assert_eq!((second.anchor(), second.check()), (Some(1), vec![]));
    let misspelt = anchored("bto-1");
    assert_eq!(misspelt.anchor(), None);
    let complaint = misspelt.check().remove(0);
    assert_eq!(
        (complaint.at.as_str(), complaint.what.as_str()),
        ("anchor", "no bot is named \"bto-1\"")
    );
    assert!(
        complaint.help.starts_with("did you mean \"bot-1\"?"),
        "{}",
        complaint.help
    );
}

#[test]
fn an_anchor_changes_nothing_that_is_played() {
    let (none, one) = (field(round_robin(), 3, 2, 4, 1), anchored("bot-1"));
    assert_eq!(none.plan, one.plan);
    assert!(
        differences(&none, &one).is_empty() && differences(&one, &anchored("bot-2")).is_empty()
    );
    assert_eq!(one.extends(&none, 1), Ok(()));
}

/// Checks that ledgers written before anchors existed are read and written unchanged.
#[test]
fn an_anchor_is_stored_only_if_there_is_one() {
    let stored = |spec: &Spec| serde_json::to_value(spec).unwrap();
    let (none, one) = (field(round_robin(), 3, 2, 4, 1), anchored("bot-1"));
    assert!(stored(&none).get("anchor").is_none());
    assert_eq!(stored(&one)["anchor"], "bot-1");
    for spec in [none, one] {
        assert_eq!(serde_json::from_value::<Spec>(stored(&spec)).unwrap(), spec);
    }
}
