//! The attacks that each level of isolation stops: the one table, which `arena tools doctor` prints and the tests try.

use super::backend::Backend;

/// Something that a hostile bot may try. Bubblewrap stops all of them.
pub struct Attack {
    /// Its name in JSON.
    pub name: &'static str,
    /// What the bot does, in words.
    pub what: &'static str,
    landlock: Stopped,
}

/// Where Landlock stops an attack.
enum Stopped {
    Always,
    /// From this version of its interface on, or where each process has its own user.
    From(u8),
    Never,
}

use Stopped::{Always, From, Never};

/// All of them. Without isolation none is stopped.
pub const ATTACKS: [Attack; 20] = [
    attack("read_files", "reads files of others", Always),
    attack("write_files", "writes files of others", Always),
    attack(
        "file_attributes",
        "changes mode, owner or times of others' files",
        Always,
    ),
    attack(
        "file_names",
        "sees that files exist, their size and times",
        Never,
    ),
    attack(
        "locks",
        "locks system files, which others can notice",
        Always,
    ),
    attack("tcp", "uses the network: TCP", Always),
    attack("udp", "uses the network: UDP", Always),
    attack(
        "unix_sockets",
        "connects to local services (Unix sockets)",
        Always,
    ),
    attack("signals", "sends signals to other processes", From(6)),
    attack("processes", "lists the processes of the machine", Never),
    attack(
        "process_memory",
        "reads or writes the memory of other processes",
        Always,
    ),
    attack(
        "process_limits",
        "changes limits, priority or cores of others",
        Always,
    ),
    attack("own_cores", "runs on other cores than its own", Always),
    attack("keyrings", "leaves data in the kernel's keyrings", Always),
    attack(
        "queues",
        "leaves shared memory or queues (SysV, POSIX)",
        Always,
    ),
    attack(
        "hidden_memory",
        "uses memory that is not counted (memfd)",
        Always,
    ),
    attack("namespaces", "creates namespaces or mounts", Always),
    attack(
        "kernel_settings",
        "changes kernel settings (/proc/sys)",
        Always,
    ),
    attack(
        "kernel_interfaces",
        "uses io_uring, bpf, perf or 32-bit calls",
        Always,
    ),
    attack("terminal", "injects input into a terminal", Always),
];

const fn attack(name: &'static str, what: &'static str, landlock: Stopped) -> Attack {
    Attack {
        name,
        what,
        landlock,
    }
}

impl Attack {
    /// True if it is stopped by a backend, where bots have users of their own or not.
    pub fn is_stopped(&self, backend: &Backend, own_users: bool) -> bool {
        match (backend, &self.landlock) {
            (Backend::Off, _) | (Backend::Landlock(_), Never) => false,
            (Backend::Bubblewrap(_), _) | (Backend::Landlock(_), Always) => true,
            (Backend::Landlock(version), From(least)) => own_users || version >= least,
        }
    }
}

/// The attacks that a backend leaves open though bubblewrap would stop them, in words.
pub fn left_open(backend: &Backend, own_users: bool) -> Vec<&'static str> {
    ATTACKS
        .iter()
        .filter(|attack| !attack.is_stopped(backend, own_users))
        .map(|attack| attack.what)
        .collect()
}
