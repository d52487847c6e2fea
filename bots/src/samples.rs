//! Sample bots in other languages, shipped with the program.

/// A sample bot.
pub struct Sample {
    /// The file's name.
    pub file: &'static str,
    /// The program that runs it.
    pub interpreter: &'static str,
    /// The game that the bot plays, or [`ANY`].
    pub game: &'static str,
    /// The file's text.
    pub text: &'static str,
}

/// Marker for bots that play every game.
pub const ANY: &str = "any game";

impl Sample {
    /// Returns `true` if the bot plays the game.
    pub fn plays(&self, game: &str) -> bool {
        self.game == game || self.game == ANY
    }

    /// Returns the file's name without its extension.
    pub fn name(&self) -> &'static str {
        self.file
            .split('.')
            .next()
            .expect("a split has a first part")
    }
}

/// Declares a Python sample by file and game.
macro_rules! python {
    ($file:literal, $game:expr) => {
        Sample {
            file: $file,
            interpreter: "python3",
            game: $game,
            text: include_str!(concat!("../python/", $file)),
        }
    };
}

/// All sample bots.
pub const SAMPLES: &[Sample] = &[
    python!("first_bot.py", ANY),
    python!("careful_coda.py", "coda"),
    python!("notes_code_777.py", "code-777"),
    python!("keen_crack_the_code.py", "crack-the-code"),
    python!("sieve_digit_code.py", "digit-code"),
];
