//! A shard: one part of a tournament whose parts are played on different machines.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use arena_engine::shown;
use arena_tournament::field::Meeting;
use arena_tournament::spec::Spec;
use arena_tournament::unit;

use arena_config::diagnostic::UsageError;

/// Maximum number of shards.
const MAX_SHARDS: u32 = 100_000;

/// A shard: its number, counted from 1, and the total number of shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    number: u32,
    parts: u32,
}

impl Shard {
    /// Returns the deals of the shard; empty if there are fewer deals than shards.
    pub fn deals(self, spec: &Spec) -> RangeInclusive<u32> {
        unit::shard(spec.plan.deals, self.number, self.parts)
    }

    /// Returns the number of matches in the shard.
    pub fn matches(self, spec: &Spec) -> u64 {
        let of =
            |meeting: &Meeting| meeting.deals.clone().count() as u64 * spec.field().orders() as u64;
        unit::within(&spec.meetings(1, &[]), &self.deals(spec))
            .iter()
            .map(of)
            .sum()
    }

    /// Returns the folder of this shard, next to the folder of the whole tournament.
    pub fn folder(self, whole: &Path) -> PathBuf {
        let mut name = whole.as_os_str().to_owned();
        name.push(format!("-{}-of-{}", self.number, self.parts));
        name.into()
    }
}

shown!(Shard, |shard| "{}/{}", shard.number, shard.parts);

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let both = text
            .split_once('/')
            .and_then(|(number, parts)| Some((number.parse().ok()?, parts.parse().ok()?)));
        match both {
            Some((0, parts @ 1..=MAX_SHARDS)) => Err(format!(
                "shards count from 1: the first is 1/{parts}, the last {parts}/{parts}. Where an index begins at 0, add 1, as \
                 with --shard $((INDEX + 1))/{parts}"
            )),
            Some((number, parts)) if number <= parts && (1..=MAX_SHARDS).contains(&parts) => {
                Ok(Self { number, parts })
            }
            Some((number, parts @ 1..=MAX_SHARDS)) => Err(format!(
                "there is no shard {number} of {parts}: the last is {parts}/{parts}"
            )),
            _ => Err(format!(
                "write a shard as its number and the number of shards, up to {MAX_SHARDS}, such as 3/16"
            )),
        }
    }
}

/// Refuses a tournament whose shards cannot be played independently.
pub fn check(spec: &Spec) -> Result<(), UsageError> {
    if spec.plan.test.is_some() {
        return Err(UsageError::one(
            "a comparison stops when its results decide, so it has no shards: play it on one machine",
        ));
    }
    if spec.rounds() > 1 {
        return Err(UsageError::one(format!(
            "{} cannot be split into shards, since its rounds depend on results: play it on one machine, or on many \
             with `--nats`",
            spec.plan.format.name()
        )));
    }
    Ok(())
}

/// Refuses a tournament without a seed, because each shard would draw its own.
pub fn check_seed(spec: &Spec) -> Result<(), UsageError> {
    let seed = spec.plan.seed;
    if !spec.local.seed_drawn {
        return Ok(());
    }
    Err(UsageError::one(format!(
        "each shard would draw its own seed: name one for all, such as seed = {seed} in the file, or --seed {seed} with \
         each shard"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_read_or_refused() {
        let read = |text: &str| text.parse::<Shard>().map(|shard| shard.to_string());
        for good in ["1/1", "3/16", "100000/100000"] {
            assert_eq!(read(good), Ok(good.to_owned()));
        }
        for (bad, why) in [
            ("0/16", "add 1, as with --shard $((INDEX + 1))/16"),
            ("17/16", "there is no shard 17 of 16: the last is 16/16"),
            ("0/0", "such as 3/16"),
            ("1/100001", "up to 100000"),
            ("3", "such as 3/16"),
            ("-1/2", "such as 3/16"),
        ] {
            let refused = read(bad).unwrap_err();
            assert!(refused.contains(why), "{bad}: {refused}");
        }
    }
}
