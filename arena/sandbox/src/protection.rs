//! What each level of isolation keeps a bot from: the one table, which `arena tools doctor` prints and the tests try.

use super::backend::Backend;

/// Something that a hostile bot may try.
pub struct Attack {
    /// Its name in JSON.
    pub name: &'static str,
    /// What the bot does, in words.
    pub what: &'static str,
    bubblewrap: Stopped,
    landlock: Stopped,
}

/// Where an attack is stopped.
enum Stopped {
    /// Wherever there is that level.
    Always,
    /// From this version of Landlock's interface on, or where each process has its own user.
    From(u8),
    /// Nowhere.
    Never,
}

use Stopped::{Always, From, Never};

/// All of them. Without isolation none is stopped.
pub const ATTACKS: [Attack; 20] = [
    attack("read_files", "reads files of others", Always, Always),
    attack("write_files", "writes files of others", Always, Always),
    attack(
        "file_attributes",
        "changes mode, owner or times of others' files",
        Always,
        Always,
    ),
    attack(
        "file_names",
        "sees that files exist, their size and times",
        Always,
        Never,
    ),
    attack(
        "locks",
        "locks system files, which others can notice",
        Always,
        Always,
    ),
    attack("tcp", "uses the network: TCP", Always, Always),
    attack("udp", "uses the network: UDP", Always, Always),
    attack(
        "unix_sockets",
        "connects to local services (Unix sockets)",
        Always,
        Always,
    ),
    attack(
        "signals",
        "sends signals to other processes",
        Always,
        From(6),
    ),
    attack(
        "processes",
        "lists the processes of the machine",
        Always,
        Never,
    ),
    attack(
        "process_memory",
        "reads or writes the memory of other processes",
        Always,
        Always,
    ),
    attack(
        "process_limits",
        "changes limits, priority or cores of others",
        Always,
        Always,
    ),
    attack(
        "own_cores",
        "runs on other cores than its own",
        Always,
        Always,
    ),
    attack(
        "keyrings",
        "leaves data in the kernel's keyrings",
        Always,
        Always,
    ),
    attack(
        "queues",
        "leaves shared memory or queues (SysV, POSIX)",
        Always,
        Always,
    ),
    attack(
        "hidden_memory",
        "uses memory that is not counted (memfd)",
        Always,
        Always,
    ),
    attack("namespaces", "creates namespaces or mounts", Always, Always),
    attack(
        "kernel_settings",
        "changes kernel settings (/proc/sys)",
        Always,
        Always,
    ),
    attack(
        "kernel_interfaces",
        "uses io_uring, bpf, perf or 32-bit calls",
        Always,
        Always,
    ),
    attack("terminal", "injects input into a terminal", Always, Always),
];

const fn attack(
    name: &'static str,
    what: &'static str,
    bubblewrap: Stopped,
    landlock: Stopped,
) -> Attack {
    Attack {
        name,
        what,
        bubblewrap,
        landlock,
    }
}

impl Attack {
    /// True if it is stopped by a backend, where bots have users of their own or not.
    pub fn is_stopped(&self, backend: &Backend, own_users: bool) -> bool {
        let (stopped, version) = match backend {
            Backend::Bubblewrap(_) => (&self.bubblewrap, 0),
            Backend::Landlock(version) => (&self.landlock, *version),
            Backend::Off => (&Never, 0),
        };
        match stopped {
            Always => true,
            From(least) => own_users || version >= *least,
            Never => false,
        }
    }
}

/// What a backend leaves open though another would stop it, in words.
pub fn left_open(backend: &Backend, own_users: bool) -> Vec<&'static str> {
    let is_open = |attack: &&Attack| {
        let somewhere = !matches!((&attack.bubblewrap, &attack.landlock), (Never, Never));
        somewhere && !attack.is_stopped(backend, own_users)
    };
    ATTACKS
        .iter()
        .filter(is_open)
        .map(|attack| attack.what)
        .collect()
}
