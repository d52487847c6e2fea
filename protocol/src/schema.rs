//! The JSON Schema of the wire, generated from the types.

use arena_engine::game::Game;
use schemars::{JsonSchema, Schema, schema_for};

use crate::message::{Answer, FromBot, ToBotOf};

/// All that goes over the wire in one game.
#[derive(JsonSchema)]
#[schemars(bound = "", inline)]
struct Wire<G: Game> {
    /// Every line from the arena.
    #[expect(dead_code, reason = "only its schema is used")]
    arena_to_bot: ToBotOf<G>,
    /// The bot's first line.
    #[expect(dead_code, reason = "only its schema is used")]
    bot_ready: FromBot,
    /// Every further line of the bot.
    #[expect(dead_code, reason = "only its schema is used")]
    bot_answer: Answer<G::Action>,
}

/// The JSON Schema (2020-12) of the messages of a game: an object with the three kinds of line as properties.
pub fn schema<G: Game>() -> Schema {
    let mut schema = schema_for!(Wire<G>);
    schema.insert(
        "title".into(),
        format!("{}: the lines between the arena and a bot", G::TITLE).into(),
    );
    schema
}
