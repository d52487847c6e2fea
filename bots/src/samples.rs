//! The sample bots in other languages, as they are shipped with the program.

/// A sample bot's file.
pub struct Sample {
    /// The file's name.
    pub file: &'static str,
    /// The program that runs it.
    pub interpreter: &'static str,
    /// The game it plays, or [`ANY`].
    pub game: &'static str,
    /// Its way of playing, in one line.
    pub about: &'static str,
    /// The file's text.
    pub text: &'static str,
}

/// Stands for the game of a bot that plays all.
pub const ANY: &str = "any game";

impl Sample {
    /// True if it plays the game.
    pub fn plays(&self, game: &str) -> bool {
        self.game == game || self.game == ANY
    }

    /// The file's name without its ending.
    pub fn name(&self) -> &'static str {
        self.file.split('.').next().expect("a split has a first part")
    }
}

/// All of them.
pub const SAMPLES: &[Sample] = &[
    Sample {
        file: "first_bot.py",
        interpreter: "python3",
        game: ANY,
        about: "the shortest complete bot, random",
        text: include_str!("../python/first_bot.py"),
    },
    Sample {
        file: "careful_coda.py",
        interpreter: "python3",
        game: "coda",
        about: "never names a number that is already known to stand elsewhere",
        text: include_str!("../python/careful_coda.py"),
    },
    Sample {
        file: "notes_code_777.py",
        interpreter: "python3",
        game: "code-777",
        about: "keeps the racks that fit every answer and declares when one code is left",
        text: include_str!("../python/notes_code_777.py"),
    },
    Sample {
        file: "keen_crack_the_code.py",
        interpreter: "python3",
        game: "crack-the-code",
        about: "guesses codes that fit all answers, preferring an informative one",
        text: include_str!("../python/keen_crack_the_code.py"),
    },
    Sample {
        file: "sieve_digit_code.py",
        interpreter: "python3",
        game: "digit-code",
        about: "keeps the codes that fit all answers and asks what parts them best",
        text: include_str!("../python/sieve_digit_code.py"),
    },
];
