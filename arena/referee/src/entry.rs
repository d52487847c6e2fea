//! The registry entry of a loaded game.

use std::fs;
use std::path::Path;

use arena_engine::chance::Seed;
use arena_engine::form::{self, FieldKind};
use arena_engine::machine::{BadTable, Match};
use arena_engine::record::{RecordOf, Replied};
use arena_engine::replay::{self, BadRecord};
use arena_engine::table::{
    self, Builtin, Dealer, Entry, Json, RawRecord, Rulebook, Schemas, Table, Variant, of_match,
};
use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

use crate::facts::Facts;
use crate::message::{Field, Form, Kind};
use crate::outside::{Event, Loaded, Offered, Outside, Rules, Seen};
use crate::referee::{Referee, Setup};

/// The file with the rules for people.
const RULES_FILE: &str = "rules.md";
/// The script that draws the table.
const TABLE_FILE: &str = "table.js";
/// Seed of the match that is dealt only to check the rules.
const TRIAL_SEED: u64 = 0;

/// Starts a referee, and returns the entry of its game. The entry is named after the game and this version of its files.
///
/// # Errors
/// If the referee fails; the error describes the failure.
pub fn load(version: &str, setup: Setup) -> Result<&'static Entry, String> {
    let home = setup.copied.at(&setup.copied.dir);
    let referee = Referee::new(setup)?;
    let announced = referee.start()?.1;
    let name = table::versioned(&announced.name, version).leak();
    let facts = Facts::new(announced, name)?;
    let loaded = Box::leak(Box::new(Loaded { facts, referee }));
    Ok(Box::leak(Box::new(entry(loaded, &home))))
}

/// Creates the entry of a loaded game.
fn entry(game: &'static Loaded, home: &Path) -> Entry {
    let Facts {
        announced,
        name,
        sources,
    } = &game.facts;
    let title = announced.title.as_ref().unwrap_or(&announced.name);
    let page = fs::read_to_string(home.join(RULES_FILE));
    let page = page.unwrap_or_else(|_| format!("# {title}\n\nIts folder has no {RULES_FILE}.\n"));
    let forms: Vec<form::Form> = announced.forms.iter().map(form).collect();
    Entry {
        name,
        title,
        seats: game.facts.seats(),
        rules_version: announced.version,
        scoring: sources,
        forms: forms.leak(),
        players: form::Players {
            seat: words(&announced.players.seat),
            by_seat: words(&announced.players.by_seat),
        },
        rules_page: page.leak(),
        table_js: fs::read_to_string(home.join(TABLE_FILE))
            .ok()
            .map(|script| &*script.leak()),
        random: Builtin::random::<Outside>(name),
        rulebook: Box::leak(Box::new(game)),
    }
}

fn words(words: &'static [String]) -> &'static [&'static str] {
    words.iter().map(String::as_str).collect::<Vec<_>>().leak()
}

fn form(form: &'static Form) -> form::Form {
    let fields: Vec<form::Field> = form.fields.iter().map(field).collect();
    form::Form::new(&form.action, &form.help, fields.leak())
}

fn field(field: &'static Field) -> form::Field {
    let kind = match field.kind {
        Kind::List => FieldKind::List,
        Kind::Player => FieldKind::Player,
        Kind::Each => FieldKind::Each,
    };
    form::Field::new(&field.name, kind).called(&field.title)
}

impl Loaded {
    fn rules(&'static self, given: &Value) -> Result<Rules, String> {
        let values = self.facts.complete(given)?;
        Ok(Rules {
            values,
            game: Some(self),
        })
    }

    /// Returns a record without its replies.
    fn start(&'static self, record: &RawRecord) -> Result<RecordOf<Outside>, BadRecord> {
        Ok(RecordOf::<Outside> {
            game: record.game.clone(),
            rules_version: record.rules_version,
            rules: self.rules(&record.rules.value()).map_err(BadRecord)?,
            seats: record.seats,
            seed: record.seed,
            replies: Vec::new(),
        })
    }
}

/// A rulebook that lives as long as the program.
impl Rulebook for &'static Loaded {
    fn schemas(&self, generator: &mut SchemaGenerator) -> Schemas {
        Schemas {
            rules: self.rules_schema(),
            event: generator.subschema_for::<Event>(),
            prompt: generator.subschema_for::<Offered>(),
            view: generator.subschema_for::<Seen>(),
            action: generator.subschema_for::<Value>(),
        }
    }

    fn rules_schema(&self) -> Schema {
        self.facts.rules_schema()
    }

    fn variants(&self) -> Vec<Value> {
        self.facts.complete(&Value::Null).into_iter().collect()
    }

    fn complete_rules(&self, rules: &Value) -> Result<Json, String> {
        self.facts.complete(rules).map(|rules| Json::new(&rules))
    }

    /// Deals a match to check the rules, because only the referee knows whether they contradict each other.
    fn dealer(&self, rules: &Value, seats: usize) -> Result<Box<dyn Dealer>, BadTable> {
        let rules = self.rules(rules).map_err(BadTable)?;
        let seed = Seed::try_from(TRIAL_SEED).map_err(BadTable)?;
        Match::<Outside>::new(&rules, seats, seed)?;
        Ok(Box::new(Variant::<Outside>::new(rules, seats)?))
    }

    fn open(&self, record: &RawRecord) -> Result<Box<dyn Table>, BadRecord> {
        Ok(of_match(replay::table::<Outside>(&self.start(record)?)?))
    }

    fn replay(&self, record: &str) -> Result<Box<dyn Table>, BadRecord> {
        let unread = |error| BadRecord(format!("the record cannot be read: {error}"));
        let raw: RawRecord = serde_json::from_str(record).map_err(unread)?;
        let mut record = self.start(&raw)?;
        let replies = raw.replies.into_iter();
        let replies =
            replies.map(|Replied(seat, reply)| Replied(seat, reply.map(|action| action.value())));
        record.replies = replies.collect();
        Ok(of_match(replay::again::<Outside>(&record)?))
    }

    fn read_action(&self, text: &str) -> Result<Json, String> {
        match serde_json::from_str(text) {
            Ok(action @ Value::Object(_)) => Ok(Json::new(&action)),
            Ok(_) => Err("the action needs an object with one key, its kind".to_owned()),
            Err(_) => Err("it is not JSON".to_owned()),
        }
    }
}
