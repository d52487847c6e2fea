//! Checks that each game's forms fit its prompts, actions and views.

use std::cell::RefCell;
use std::collections::BTreeSet;

use arena_engine::chance::Seed;
use arena_engine::form::{Field, FieldKind, Form, Whose};
use arena_engine::game::{Game, View};
use arena_engine::games;
use arena_engine::record::Reply;
use arena_engine::seat::Seat;
use arena_engine::table::Entry;
use serde_json::Value;

use super::{Law, Order, check, play, sampled};

/// Plays a match of sampled actions, and returns each action with the seat's options, as JSON.
fn prompts_met<G: Game>(rules: &G::Rules, seats: usize, seed: Seed) -> Vec<[Value; 2]> {
    let (mut sample, mut all) = (sampled::<G>(seed), Vec::new());
    play::<G>(rules, seats, seed, Order::Forward, |table, seat, turn| {
        let reply = sample(table, seat, turn);
        let Reply::Act(action) = &reply else {
            unreachable!()
        };
        all.push([
            serde_json::to_value(action).unwrap(),
            serde_json::to_value(table.prompt(seat)).unwrap(),
        ]);
        reply
    });
    all
}

/// Checks an action against the option whose fields were filled in to make it.
fn filled(fields: &[Field], legal: &Value, action: &Value) -> Result<(), String> {
    let (legal, action) = (
        legal.as_object().ok_or("no object")?,
        action.as_object().ok_or("no object")?,
    );
    if !legal.keys().eq(action.keys()) {
        return Err(format!("{legal:?} has other fields than {action:?}"));
    }
    for (name, legal) in legal {
        let field = fields
            .iter()
            .find(|field| field.name == name)
            .ok_or(format!("{name} is not declared"))?;
        let (value, lists) = (&action[name], legal.as_array());
        let is_fine = match field.kind {
            FieldKind::List | FieldKind::Index | FieldKind::Player => {
                lists.is_some_and(|legal| legal.contains(value))
            }
            FieldKind::Place(whose) => {
                let is_player = |of: &Field| matches!((of.kind, whose), (FieldKind::Player, Whose::Of(name)) if name == of.name);
                lists.is_some_and(|legal| legal.contains(value))
                    && (whose == Whose::Own || fields.iter().any(is_player))
            }
            FieldKind::Each => lists.zip(value.as_array()).is_some_and(|(lists, values)| {
                let is_legal = |(legal, value): (&Value, &Value)| {
                    legal.as_array().is_some_and(|legal| legal.contains(value))
                };
                lists.len() == values.len() && lists.iter().zip(values).all(is_legal)
            }),
            FieldKind::Text(text) => lists.into_iter().flatten().chain([value]).all(|value| {
                let value = value.as_str().unwrap_or_default();
                value.chars().count() == text.length
                    && value.chars().all(|letter| text.alphabet.contains(letter))
            }),
        };
        if !is_fine {
            return Err(format!(
                "{name} cannot be {value} by {legal} as {:?}",
                field.kind
            ));
        }
    }
    Ok(())
}

#[test]
fn people_are_asked_for_every_option_by_its_form() {
    #[derive(Default)]
    struct OptionsMet(RefCell<BTreeSet<(&'static str, &'static str)>>);
    impl Law for OptionsMet {
        fn check<G: Game>(&self, rules: &G::Rules, seats: usize, seed: Seed) {
            for [action, prompt] in prompts_met::<G>(rules, seats, seed) {
                let (name, values) = action.as_object().unwrap().iter().next().unwrap();
                let options = prompt
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|option| option.as_object().unwrap());
                for offered in options.clone().flat_map(|option| option.keys()) {
                    assert!(
                        G::FORMS.iter().any(|form| form.action == offered),
                        "{} has no form {offered}",
                        G::NAME
                    );
                }
                let form = G::FORMS.iter().find(|form| form.action == name).unwrap();
                let tried = options
                    .filter_map(|option| Some(filled(form.fields, option.get(name)?, values)));
                let tried: Vec<_> = tried.collect();
                assert!(
                    tried.iter().any(Result::is_ok),
                    "{}: {action} of {prompt}: {tried:?}",
                    G::NAME
                );
                self.0.borrow_mut().insert((G::NAME, form.action));
            }
            let has_rules = |form: &Form| {
                G::RULES_PAGE.contains(&format!("`{}`", form.action))
                    || G::RULES_PAGE.contains(&format!("\"{}\"", form.action))
            };
            assert!(
                G::FORMS.iter().all(has_rules),
                "the rules of {} leave out an action",
                G::NAME
            );
        }
    }
    let options = OptionsMet::default();
    check(&options);
    let met = options.0.into_inner();
    for Entry { name, forms, .. } in games::ENTRIES {
        assert!(
            forms.iter().all(|form| met.contains(&(*name, form.action))),
            "{name} has a form that is never met"
        );
    }
}

#[test]
fn what_concerns_players_is_in_the_views() {
    struct Named;
    impl Law for Named {
        fn check<G: Game>(&self, rules: &G::Rules, seats: usize, seed: Seed) {
            let played = play::<G>(rules, seats, seed, Order::Forward, sampled(seed));
            let mut view = G::View::new(rules, seats, Seat(0));
            for event in &played.events {
                view.see(&G::seen_by(event, Seat(0)));
                let view = serde_json::to_value(&view).unwrap();
                for name in G::PLAYERS.by_seat {
                    assert_eq!(
                        view[*name].as_array().map(Vec::len),
                        Some(seats),
                        "{name} of {}",
                        G::NAME
                    );
                }
            }
        }
    }
    check(&Named);
}
