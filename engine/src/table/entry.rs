//! Registry entries: the constant facts of a game, and how its tables are opened.

use std::any::Any;
use std::marker::PhantomData;
use std::ops::RangeInclusive;

use schemars::{Schema, SchemaGenerator, schema_for};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::typed::Typed;
use super::{Json, RawRecord, Table, action};
use crate::chance::Seed;
use crate::form::{Form, Players};
use crate::game::{Game, Rules as _};
use crate::machine::{BadTable, Match, check};
use crate::outcome::{Outcome, Source};
use crate::player::{Player, Random, Start};
use crate::record::RecordOf;
use crate::replay::{self, BadRecord};

/// A game's constant facts, with functions that open its tables.
pub struct Entry {
    /// The name of the game in commands, files and on the wire.
    pub name: &'static str,
    /// The display name of the game.
    pub title: &'static str,
    /// The possible numbers of seats.
    pub seats: RangeInclusive<usize>,
    /// Version of the rules, raised whenever the same seed and replies would produce a different match.
    pub rules_version: u32,
    /// The sources of points in this game.
    pub scoring: &'static [Source],
    /// Descriptions, for people, of all options of the game's prompts.
    pub forms: &'static [Form],
    /// The fields of the game's views and actions that refer to seats.
    pub players: Players,
    /// The rules for people and bot authors, in Markdown.
    pub rules_page: &'static str,
    /// The script that draws the table in a browser, if there is one.
    pub table_js: Option<&'static str>,
    /// The random bot for this game.
    pub random: Builtin,
    /// The game's rules, tables and records behind a trait object.
    pub rulebook: &'static dyn Rulebook,
}

/// The typed part of a game: reads the game's values from JSON, and opens its tables.
pub trait Rulebook: Send + Sync {
    /// Generates the schemas of the game's types.
    fn schemas(&self, generator: &mut SchemaGenerator) -> Schemas;
    /// Returns the schema of the rules.
    fn rules_schema(&self) -> Schema;
    /// Returns variants that differ in the events they can produce.
    fn variants(&self) -> Vec<Value>;
    /// Completes rules with the default values of omitted fields.
    ///
    /// # Errors
    /// If the rules cannot be read. They are not checked for contradictions.
    fn complete_rules(&self, rules: &Value) -> Result<Json, String>;
    /// Parses the rules, and returns a dealer for tables with this number of seats.
    ///
    /// # Errors
    /// If the rules cannot be read, contradict themselves, or do not allow this number of seats.
    fn dealer(&self, rules: &Value, seats: usize) -> Result<Box<dyn Dealer>, BadTable>;
    /// Opens the table of a record, before the first reply.
    ///
    /// # Errors
    /// If the record belongs to another game or rules version.
    fn open(&self, record: &RawRecord) -> Result<Box<dyn Table>, BadRecord>;
    /// Replays a record's text, and returns the finished table.
    ///
    /// # Errors
    /// If the record cannot be read, belongs to another game or rules version, or does not replay.
    fn replay(&self, record: &str) -> Result<Box<dyn Table>, BadRecord>;
    /// Parses an action without checking that it is legal.
    ///
    /// # Errors
    /// If the action is malformed; the error is a sentence that explains the problem.
    fn read_action(&self, text: &str) -> Result<Json, String>;
}

/// The schemas of a game's types.
pub struct Schemas {
    /// The schema of the rules.
    pub rules: Schema,
    /// The schema of an event.
    pub event: Schema,
    /// The schema of a seat's legal actions.
    pub prompt: Schema,
    /// The schema of a seat's view of the table.
    pub view: Schema,
    /// The schema of an action.
    pub action: Schema,
}

/// A dealer of matches with fixed rules and a fixed number of seats.
pub trait Dealer: Send + Sync {
    /// Returns the complete rules, with all defaults filled in.
    fn rules(&self) -> Json;
    /// Returns the minimum and maximum points of a seat at the end of a match.
    fn points(&self) -> RangeInclusive<i32>;
    /// Returns the maximum lead in points of one seat over another at the end of a match.
    fn lead(&self) -> i32;
    /// Deals a match.
    ///
    /// # Errors
    /// If the rules contradict themselves, or do not allow this number of seats.
    fn deal(&self, seed: Seed) -> Result<Box<dyn Table>, BadTable>;
}

/// A bot that has joined a match, or the reason why its start message cannot be read.
type SeatedResult = serde_json::Result<Box<dyn SeatedBot>>;

/// A constructor of players of a game.
pub type Make<G> = fn() -> Box<dyn Player<G>>;

/// A built-in bot for one game.
pub struct Builtin {
    /// The name of the bot.
    pub name: &'static str,
    /// The game that the bot plays.
    pub game: &'static str,
    /// A one-line description of its strategy.
    pub about: &'static str,
    /// The constructor of the bot: a [`Make`] for its game, type-erased.
    make: &'static (dyn Any + Send + Sync),
    seated: fn(&Self, &Start<'_, str>) -> SeatedResult,
}

/// A built-in bot in a match that is played by another process. It receives and answers JSON text.
pub trait SeatedBot {
    /// Appends the bot's action to the answer.
    ///
    /// # Errors
    /// If the events or the prompt do not belong to the game.
    fn act(&mut self, events: &str, prompt: &str, answer: &mut Vec<u8>) -> serde_json::Result<()>;
    /// Tells the bot that the match is over.
    ///
    /// # Errors
    /// If the events do not belong to the game.
    fn end(&mut self, events: &str, outcome: &Outcome) -> serde_json::Result<()>;
}

impl<G: Game> SeatedBot for Box<dyn Player<G>> {
    fn act(&mut self, events: &str, prompt: &str, answer: &mut Vec<u8>) -> serde_json::Result<()> {
        let events: Vec<G::Event> = serde_json::from_str(events)?;
        let prompt = serde_json::from_str(prompt)?;
        let action = (**self).act(&mut events.into_iter(), &prompt);
        serde_json::to_writer(answer, &action)
    }

    fn end(&mut self, events: &str, outcome: &Outcome) -> serde_json::Result<()> {
        let events: Vec<G::Event> = serde_json::from_str(events)?;
        (**self).end(&mut events.into_iter(), outcome);
        Ok(())
    }
}

impl Builtin {
    /// Creates the entry of a bot with this constructor.
    pub const fn new<G: Game>(
        name: &'static str,
        about: &'static str,
        make: &'static Make<G>,
    ) -> Self {
        Self {
            name,
            game: G::NAME,
            about,
            make,
            seated: seated::<G>,
        }
    }

    /// Creates the entry of the random bot for the game with this name.
    pub const fn random<G: Game>(game: &'static str) -> Self {
        let random = Self::new::<G>(Random::NAME, Random::ABOUT, &(random::<G> as Make<G>));
        Self { game, ..random }
    }

    /// Creates a player and starts its match; the rules are JSON text.
    ///
    /// # Errors
    /// If the rules do not belong to the game.
    pub fn seated(&self, start: &Start<'_, str>) -> serde_json::Result<Box<dyn SeatedBot>> {
        (self.seated)(self, start)
    }

    /// Creates a player; `None` if the bot plays another game.
    pub fn make<G: Game>(&self) -> Option<Box<dyn Player<G>>> {
        self.make.downcast_ref::<Make<G>>().map(|make| make())
    }
}

impl Entry {
    /// Creates the entry of a game.
    pub const fn new<G: Game>() -> Self {
        Self {
            name: G::NAME,
            title: G::TITLE,
            seats: G::SEATS,
            rules_version: G::RULES_VERSION,
            scoring: G::SCORING,
            forms: G::FORMS,
            players: G::PLAYERS,
            rules_page: G::RULES_PAGE,
            table_js: G::TABLE,
            random: Builtin::random::<G>(G::NAME),
            rulebook: &Known::<G>(PhantomData),
        }
    }

    /// Returns the rules with their default values, including fields that are omitted from JSON when they have the default.
    pub fn standard_rules(&self) -> Map<String, Value> {
        let schema = self.rulebook.rules_schema().to_value();
        let rules = schema["properties"].as_object().into_iter().flatten();
        rules
            .map(|(name, about)| (name.clone(), about["default"].clone()))
            .collect()
    }
}

/// Checked rules of a game for a fixed number of seats.
pub struct Variant<G: Game> {
    rules: G::Rules,
    seats: usize,
}

impl<G: Game> Variant<G> {
    /// Checks the rules for this number of seats.
    ///
    /// # Errors
    /// If the rules contradict themselves, or do not allow this number of seats.
    pub fn new(rules: G::Rules, seats: usize) -> Result<Self, BadTable> {
        check::<G>(&rules, seats)?;
        Ok(Self { rules, seats })
    }
}

impl<G: Game> Dealer for Variant<G> {
    fn rules(&self) -> Json {
        Json::new(&self.rules)
    }

    fn points(&self) -> RangeInclusive<i32> {
        self.rules.points(self.seats)
    }

    fn lead(&self) -> i32 {
        self.rules.lead(self.seats)
    }

    fn deal(&self, seed: Seed) -> Result<Box<dyn Table>, BadTable> {
        Ok(of_match(Match::<G>::new(&self.rules, self.seats, seed)?))
    }
}

fn seated<G: Game>(
    bot: &Builtin,
    start: &Start<'_, str>,
) -> serde_json::Result<Box<dyn SeatedBot>> {
    let rules = serde_json::from_str(start.rules)?;
    let mut player = bot.make::<G>().expect("it was made for this game");
    player.start(&Start {
        rules: &rules,
        seat: start.seat,
        seats: start.seats,
        seed: start.seed,
        move_ms: start.move_ms,
    });
    Ok(Box::new(player))
}

fn random<G: Game>() -> Box<dyn Player<G>> {
    Box::new(Random::default())
}

/// The rulebook of a game that is compiled into this program.
struct Known<G>(PhantomData<fn() -> G>);

impl<G: Game> Rulebook for Known<G> {
    fn schemas(&self, generator: &mut SchemaGenerator) -> Schemas {
        Schemas {
            rules: generator.subschema_for::<G::Rules>(),
            event: generator.subschema_for::<G::Event>(),
            prompt: generator.subschema_for::<G::Prompt>(),
            view: generator.subschema_for::<G::View>(),
            action: generator.subschema_for::<G::Action>(),
        }
    }

    fn rules_schema(&self) -> Schema {
        schema_for!(G::Rules)
    }

    fn variants(&self) -> Vec<Value> {
        G::Rules::variants().iter().map(to_value).collect()
    }

    fn complete_rules(&self, rules: &Value) -> Result<Json, String> {
        let rules = G::Rules::deserialize(rules);
        let rules = rules.map(|rules| Json::new(&rules));
        rules.map_err(|error| error.to_string())
    }

    fn dealer(&self, rules: &Value, seats: usize) -> Result<Box<dyn Dealer>, BadTable> {
        let rules = G::Rules::deserialize(rules).map_err(|error| BadTable(error.to_string()))?;
        Ok(Box::new(Variant::<G>::new(rules, seats)?))
    }

    fn open(&self, record: &RawRecord) -> Result<Box<dyn Table>, BadRecord> {
        let rules = record.rules.read();
        let rules =
            rules.map_err(|error| BadRecord(format!("its rules cannot be read: {error}")))?;
        let start = RecordOf::<G> {
            game: record.game.clone(),
            rules_version: record.rules_version,
            rules,
            seats: record.seats,
            seed: record.seed,
            replies: Vec::new(),
        };
        Ok(of_match(replay::table::<G>(&start)?))
    }

    fn replay(&self, record: &str) -> Result<Box<dyn Table>, BadRecord> {
        let record: RecordOf<G> = serde_json::from_str(record)
            .map_err(|error| BadRecord(format!("the record cannot be read: {error}")))?;
        Ok(of_match(replay::again::<G>(&record)?))
    }

    fn read_action(&self, text: &str) -> Result<Json, String> {
        action::read::<G::Action>(text).map(|action| Json::new(&action))
    }
}

/// Returns the match as a type-erased table.
pub fn of_match<G: Game>(table: Match<G>) -> Box<dyn Table> {
    Box::new(Typed::new(table))
}

fn to_value(rules: &impl serde::Serialize) -> Value {
    serde_json::to_value(rules).expect("rules can be written as JSON")
}
