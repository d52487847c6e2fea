//! The number of programs that a run keeps alive: as many as the memory and the open files of this machine permit.

use arena_tournament::entrant::Restart;
use arena_tournament::spec::Spec;
use nix::sys::resource::{Resource, getrlimit};

/// Number of open files that the arena needs in addition to those for bots.
const ARENA_FILES: u64 = 64;
/// Number of open files per job.
const FILES_PER_JOB: u64 = 8;
/// Number of open files per running bot: three pipes, a second end of the log pipe, the supervisor, the connection to it, the log file, and
/// the control group's counter while it is read.
const FILES_PER_BOT: u64 = 8;

/// The programs of a tournament, and the machine on which they run.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Number of jobs.
    pub jobs: u64,
    /// Number of programs that may run in each job.
    pub programs: u64,
    /// Number of programs that each job must keep: those of a match, and those that are never restarted.
    pub least: u64,
    /// Memory limit of a program, in MiB.
    pub limit_mb: u64,
    /// Memory of the machine or container, in MiB.
    pub memory_mb: u64,
    /// Number of files that the arena may open.
    pub files: u64,
}

impl Room {
    /// Returns the room for the programs of a tournament on this machine.
    pub fn new(spec: &Spec) -> Self {
        let programs = spec.bots.iter().filter(|bot| bot.is_program());
        let stay = programs.clone().filter(|bot| bot.restart == Restart::Never);
        let (programs, stay) = (programs.count() as u64, stay.count() as u64);
        Self {
            jobs: spec.local.jobs.max(1) as u64,
            programs,
            least: programs.min(stay + spec.plan.seats as u64),
            limit_mb: spec.conditions.limits.memory_mb.max(1),
            memory_mb: arena_sandbox::memory_mb(),
            files: getrlimit(Resource::RLIMIT_NOFILE).map_or(u64::MAX, |(_, most)| most),
        }
    }

    /// Returns how many programs each job keeps running.
    pub fn per_job(&self) -> u64 {
        let by_memory = self.memory_mb / self.limit_mb / self.jobs;
        let files = self.files.saturating_sub(ARENA_FILES) / self.jobs;
        let by_files = files.saturating_sub(FILES_PER_JOB) / FILES_PER_BOT;
        by_memory.min(by_files).max(self.least).min(self.programs)
    }

    /// Returns the number of open files needed if each job keeps this many programs running.
    pub fn files_for(&self, per_job: u64) -> u64 {
        ARENA_FILES + self.jobs * (FILES_PER_JOB + FILES_PER_BOT * per_job)
    }

    /// Describes the memory that the programs may use; `None` without programs.
    pub fn in_words(&self) -> Option<String> {
        let kept = self.jobs * self.per_job();
        let counted = |count: u64, noun: &str| {
            let plural = if count == 1 { "" } else { "s" };
            format!("{count} {noun}{plural}")
        };
        let mut text = format!(
            "{} × {} × {} = {}, here {}",
            counted(self.jobs, "job"),
            counted(self.programs, "program"),
            size(self.limit_mb),
            size(self.limit_mb.saturating_mul(self.jobs * self.programs)),
            size(self.memory_mb)
        );
        if kept < self.jobs * self.programs {
            text += &format!(": {kept} run at a time");
        }
        if self.limit_mb.saturating_mul(kept) > self.memory_mb {
            text += ", which may need more: use fewer jobs or a lower memory_mb";
        }
        (self.programs > 0).then_some(text)
    }
}

/// Formats a size given in MiB.
fn size(mb: u64) -> String {
    if mb < 1 << 10 {
        format!("{mb} MiB")
    } else {
        format!("{:.1} GiB", mb as f64 / 1024.0).replace(".0 ", " ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a room with these numbers of jobs and programs and these limits.
    fn room(jobs: u64, programs: u64, limit_mb: u64, memory_mb: u64, files: u64) -> Room {
        Room {
            jobs,
            programs,
            least: programs.min(2),
            limit_mb,
            memory_mb,
            files,
        }
    }

    #[test]
    fn as_many_programs_are_kept_as_memory_and_files_allow() {
        for (room, expected) in [
            (room(1, 60, 2_048, 24_000, 1 << 20), 11),
            (room(2, 60, 2_048, 24_000, 1 << 20), 5),
            (room(2, 60, 64, 24_000, 1 << 20), 60),
            (room(1, 60, 64, 24_000, 512), 55),
            (room(2, 60, 64, 24_000, 512), 27),
            // A match always keeps its programs, even without enough memory.
            (room(4, 60, 1 << 40, 24_000, 1 << 20), 2),
            (room(4, 60, 64, 24_000, 16), 2),
            (room(1, 1, 1 << 40, 24_000, 512), 1),
            (room(1, 0, 64, 24_000, 512), 0),
        ] {
            assert_eq!(room.per_job(), expected, "{room:?}");
            assert!(room.files < 512 || room.files_for(expected) <= room.files);
        }
    }

    #[test]
    fn the_plan_names_what_the_programs_may_need() {
        for (room, expected) in [
            (
                room(1, 5, 512, 24_064, 512),
                Some("1 job × 5 programs × 512 MiB = 2.5 GiB, here 23.5 GiB"),
            ),
            (
                room(2, 60, 2_048, 24_064, 1_024),
                Some("2 jobs × 60 programs × 2 GiB = 240 GiB, here 23.5 GiB: 10 run at a time"),
            ),
            (
                room(4, 60, 2_048, 8_192, 1_024),
                Some(
                    "4 jobs × 60 programs × 2 GiB = 480 GiB, here 8 GiB: 8 run at a time, which may need more: use fewer jobs or a \
                     lower memory_mb",
                ),
            ),
            (room(2, 0, 512, 24_064, 512), None),
        ] {
            assert_eq!(room.in_words().as_deref(), expected);
        }
    }
}
