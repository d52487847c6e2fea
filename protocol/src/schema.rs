//! The JSON Schema of the protocol, generated from the types.

use std::borrow::Cow;

use arena_engine::table::Entry;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

use crate::message::{Answer, FromBot, ToBot};

/// Names of a game's types in the schema's definitions.
const TYPE_NAMES: [&str; 5] = ["Rules", "Event", "Prompt", "View", "Action"];

/// A reference to one of the game's types, by its index in `TYPE_NAMES`.
struct Named<const INDEX: usize>;

impl<const INDEX: usize> JsonSchema for Named<INDEX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        TYPE_NAMES[INDEX].into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "$ref": format!("#/$defs/{}", TYPE_NAMES[INDEX]) })
    }
}

/// All messages of one game.
#[derive(JsonSchema)]
#[schemars(inline)]
struct Wire {
    /// Every line from the arena.
    #[expect(dead_code, reason = "only its schema is used")]
    arena_to_bot: ToBot<Named<0>, Vec<Named<1>>, Named<2>, Named<3>>,
    /// The bot's first line.
    #[expect(dead_code, reason = "only its schema is used")]
    bot_ready: FromBot,
    /// Every further line of the bot.
    #[expect(dead_code, reason = "only its schema is used")]
    bot_answer: Answer<Named<4>>,
}

/// Returns the JSON Schema (2020-12) of a game's messages: an object with the three kinds of line as properties.
pub fn schema(game: &Entry) -> Schema {
    let mut generator = SchemaSettings::default().into_generator();
    let types = game.rulebook.schemas(&mut generator);
    let types = [
        types.rules,
        types.event,
        types.prompt,
        types.view,
        types.action,
    ];
    let mut schema = generator.into_root_schema_for::<Wire>();
    schema.insert(
        "title".into(),
        format!("{}: the lines between the arena and a bot", game.title).into(),
    );
    if let Some(definitions) = schema.get_mut("$defs").and_then(Value::as_object_mut) {
        for (name, of) in TYPE_NAMES.iter().zip(types) {
            // The schema may already contain the definition.
            definitions.entry(*name).or_insert(of.into());
        }
    }
    schema
}
