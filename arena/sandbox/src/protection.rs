//! The attacks that each isolation level stops. The table is printed by `arena tools doctor`, and tests try each attack.

use super::backend::Backend;

/// A possible attack by a hostile bot. Bubblewrap stops all of them.
pub struct Attack {
    /// The name in JSON.
    pub name: &'static str,
    /// A description of the attack.
    pub what: &'static str,
    /// The first version of the Landlock ABI that stops the attack, alone or with a separate user per process.
    landlock: Option<u8>,
}

/// For attacks that every version of Landlock stops.
const ALWAYS: Option<u8> = Some(1);
/// For attacks that Landlock stops since its ABI has signal scopes.
const SCOPED: Option<u8> = Some(6);
/// For attacks that Landlock does not stop.
const NEVER: Option<u8> = None;

/// All attacks. Without isolation, none is stopped.
pub const ATTACKS: [Attack; 20] = [
    attack("read_files", "reads files of others", ALWAYS),
    attack("write_files", "writes files of others", ALWAYS),
    attack(
        "file_attributes",
        "changes mode, owner or times of others' files",
        ALWAYS,
    ),
    attack(
        "file_names",
        "sees that files exist, their size and times",
        NEVER,
    ),
    attack(
        "locks",
        "locks system files, which others can notice",
        ALWAYS,
    ),
    attack("tcp", "uses the network: TCP", ALWAYS),
    attack("udp", "uses the network: UDP", ALWAYS),
    attack(
        "unix_sockets",
        "connects to local services (Unix sockets)",
        ALWAYS,
    ),
    attack("signals", "sends signals to other processes", SCOPED),
    attack("processes", "lists the processes of the machine", NEVER),
    attack(
        "process_memory",
        "reads or writes the memory of other processes",
        ALWAYS,
    ),
    attack(
        "process_limits",
        "changes limits, priority or cores of others",
        ALWAYS,
    ),
    attack("own_cores", "runs on other cores than its own", ALWAYS),
    attack("keyrings", "leaves data in the kernel's keyrings", ALWAYS),
    attack(
        "queues",
        "leaves shared memory or queues (SysV, POSIX)",
        ALWAYS,
    ),
    attack(
        "hidden_memory",
        "uses memory that is not counted (memfd)",
        ALWAYS,
    ),
    attack("namespaces", "creates namespaces or mounts", ALWAYS),
    attack(
        "kernel_settings",
        "changes kernel settings (/proc/sys)",
        ALWAYS,
    ),
    attack(
        "kernel_interfaces",
        "uses io_uring, bpf, perf or 32-bit calls",
        ALWAYS,
    ),
    attack("terminal", "injects input into a terminal", ALWAYS),
];

const fn attack(name: &'static str, what: &'static str, landlock: Option<u8>) -> Attack {
    Attack {
        name,
        what,
        landlock,
    }
}

impl Attack {
    /// Returns `true` if a backend stops the attack. `own_users` tells whether bots have separate users.
    pub fn is_stopped(&self, backend: &Backend, own_users: bool) -> bool {
        match backend {
            Backend::Bubblewrap(_) => true,
            Backend::Landlock(version) => self
                .landlock
                .is_some_and(|least| own_users || *version >= least),
            Backend::Off => false,
        }
    }
}

/// Returns descriptions of the attacks that bubblewrap would stop, but this backend does not.
pub fn left_open(backend: &Backend, own_users: bool) -> Vec<&'static str> {
    ATTACKS
        .iter()
        .filter(|attack| !attack.is_stopped(backend, own_users))
        .map(|attack| attack.what)
        .collect()
}
