//! Values of a game outside this program, as JSON.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use arena_engine::chance::Chance;
use arena_engine::game;
use arena_engine::game::{Illegal, Prompt, View};
use arena_engine::seat::Seat;
use arena_engine::small::Options;
use arena_engine::table::Json;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Event, Eye, Offered, Rules, Seen, Whole};
use crate::message::Happened;

impl game::Rules for Rules {
    fn check(&self, seats: usize) -> Result<(), String> {
        let game = self.game.ok_or("rules without a game")?;
        let (name, range) = (&game.facts.announced.name, game.facts.seats());
        let (least, most) = (range.start(), range.end());
        if range.contains(&seats) {
            return Ok(());
        }
        Err(format!(
            "{name} is for {least} to {most} seats, not {seats}"
        ))
    }

    fn points(&self, _seats: usize) -> RangeInclusive<i32> {
        self.game.map_or(0..=0, |game| game.facts.points())
    }
}

impl PartialEq for Rules {
    fn eq(&self, other: &Self) -> bool {
        self.values == other.values
    }
}

impl std::fmt::Debug for Rules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.values.fmt(f)
    }
}

impl JsonSchema for Rules {
    fn schema_name() -> Cow<'static, str> {
        "Rules".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Value::json_schema(generator)
    }
}

impl Offered {
    fn options(&self) -> Options {
        self.0.read().expect("its form was checked")
    }
}

impl Prompt<Value> for Offered {
    fn pick(&self, chance: &mut Chance) -> Value {
        Prompt::<Value>::pick(&self.options(), chance)
    }

    fn permits(&self, action: &Value) -> Result<(), Illegal> {
        self.options().permits(action)
    }
}

impl Serialize for Event {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.shown().map(|(event, _)| event).serialize(serializer)
    }
}

impl From<Value> for Event {
    fn from(event: Value) -> Self {
        let happened = Happened {
            event: Json::new(&event),
            sentence: None,
            seen: BTreeMap::new(),
        };
        Self {
            whole: Arc::new(Whole {
                happened,
                views: BTreeMap::new(),
            }),
            eye: Eye::All,
        }
    }
}

impl From<Json> for Offered {
    fn from(prompt: Json) -> Self {
        Self(Arc::new(prompt))
    }
}

impl Serialize for Offered {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl Serialize for Seen {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.view.serialize(serializer)
    }
}

impl From<Value> for Seen {
    fn from(view: Value) -> Self {
        Self {
            seat: Seat(0),
            view: Json::new(&view),
        }
    }
}

impl View<Rules, Event> for Seen {
    fn new(_: &Rules, _: usize, seat: Seat) -> Self {
        Self {
            seat,
            view: Json::new(&Map::new()),
        }
    }

    fn see(&mut self, event: &Event) {
        let view = event.whole.views.get(&self.seat.0);
        if let Some(view) = view.filter(|_| event.eye == Eye::Seat(self.seat)) {
            self.view.clone_from(view);
        }
    }
}
