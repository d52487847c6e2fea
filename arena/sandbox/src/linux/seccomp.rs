//! Filters system calls: denies a bot calls that reach other processes, kernel settings, or memory that is not accounted for.

use std::collections::BTreeMap;
use std::env::consts::ARCH;

use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter, sock_filter,
};
use serde::{Deserialize, Serialize};

use super::{missing, tried};

/// Optional groups of refused calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// True to refuse calls that reach other folders or the network, for bots that do not have their own file system and network.
    pub outward: bool,
    /// True to refuse calls that change the CPU affinity.
    pub cores: bool,
    /// True to let file locks succeed without effect, for bots without a cache that their processes may share.
    pub locks: bool,
}

/// The rules for one call. A call without rules is always refused.
type Rules = (i64, Vec<SeccompRule>);

/// Calls that reach other processes, or resources shared by all processes of a user.
const SHARED: [i64; 28] = [
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_shmdt,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_mq_timedsend,
    libc::SYS_mq_timedreceive,
    libc::SYS_mq_notify,
    libc::SYS_mq_getsetattr,
];
/// Calls that reach the kernel, or files beyond the visible ones, and that are not protected by a capability that bots lack.
const KERNEL: [i64; 8] = [
    libc::SYS_bpf,
    libc::SYS_fanotify_init,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_perf_event_open,
    libc::SYS_setns,
    libc::SYS_syslog,
    libc::SYS_userfaultfd,
];
/// Calls that fail as if they did not exist, so that libraries use fallbacks. `clone3` hides its flags from filters. `inotify_init` (by its
/// number, which not all architectures have), `inotify_init1` and `io_setup` use up resources shared by all programs of a user or machine.
/// Thousands of seccomp filters that end at once can block the kernel. The other calls create memory that is not accounted for.
///
/// `mincore` and `cachestat` (by its number) reveal which parts of a file others have read.
const ABSENT: [i64; 12] = [
    253,
    libc::SYS_inotify_init1,
    libc::SYS_io_setup,
    libc::SYS_seccomp,
    libc::SYS_clone3,
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_mincore,
    451,
];
/// Calls that change permissions, owners, times and attributes of files, because filters cannot see which file is meant. The last ones,
/// which the libc crate does not have yet, are `fchmodat2`, `setxattrat`, `removexattrat` and `file_setattr`.
const ATTRIBUTES: [i64; 15] = [
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    libc::SYS_utimensat,
    452,
    463,
    466,
    469,
];
/// Older calls for file attributes.
#[cfg(target_arch = "x86_64")]
const OLD_ATTRIBUTES: [i64; 6] = [
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
/// Older calls for file attributes, of which this architecture has none.
#[cfg(not(target_arch = "x86_64"))]
const OLD_ATTRIBUTES: [i64; 0] = [];
/// `ioctl` requests for file attributes: `FS_IOC_SETFLAGS`, `FS_IOC_SETVERSION` and `FS_IOC_FSSETXATTR`.
const ATTRIBUTE_REQUESTS: [u64; 3] = [0x4008_6602, 0x4008_7602, 0x401C_5820];
/// `ioctl` requests that inject terminal input: `TIOCSTI` and `TIOCLINUX`.
const TERMINAL_REQUESTS: [u64; 2] = [0x5412, 0x541C];
/// Flags for new namespaces: mounts, cgroups, names, queues, users, processes, networks.
const NAMESPACES: [u64; 7] = [
    0x2_0000,
    0x200_0000,
    0x400_0000,
    0x800_0000,
    0x1000_0000,
    0x2000_0000,
    0x4000_0000,
];
/// Flag for a new time namespace, which `clone` cannot create.
const CLOCKS: u64 = 0x80;
/// Socket families confined by a network namespace: local and internet.
const FAMILIES: [u64; 3] = [1, 2, 10];
/// Flag of `mmap` for huge pages.
const HUGE_PAGES: u64 = 0x4_0000;
/// `prctl` request for a seccomp filter.
const FILTER: u64 = 22;
/// `fcntl` requests that lock a file: `F_SETLK`, `F_SETLKW`, `F_OFD_SETLK` and `F_OFD_SETLKW`.
const LOCKS: [u64; 4] = [6, 7, 37, 38];
/// `fcntl` requests that mark or watch a file: `F_SETLEASE`, `F_NOTIFY`, `F_SET_RW_HINT` and `F_SET_FILE_RW_HINT`.
const MARKS: [u64; 4] = [1024, 1026, 1036, 1038];
/// `madvise` advice that evicts file pages from the cache: `MADV_COLD` and `MADV_PAGEOUT`.
const EVICTIONS: [u64; 2] = [20, 21];
/// Flag of `preadv2` and `pwritev2` that reveals which pages are cached.
const NO_WAIT: u64 = 8;
/// Bit that marks calls of the x32 ABI, which have their own numbers.
const X32: u32 = 0x4000_0000;

/// Checks that a thread can filter its system calls.
pub fn probe() -> Result<(), String> {
    TargetArch::try_from(ARCH)
        .map_err(|_| format!("there is no filter of system calls for {ARCH}"))?;
    tried(|| {
        restrict(Refused {
            outward: true,
            cores: true,
            locks: true,
        })
    })
}

/// Permanently refuses calls of this thread and all its descendants.
pub fn restrict(refused: Refused) -> Result<(), String> {
    let filters = filters(refused).map_err(|error| format!("seccomp: {error}"))?;
    filters
        .iter()
        .try_for_each(|filter| apply_filter(filter))
        .map_err(|error| match error {
            seccompiler::Error::Seccomp(why) => missing("seccomp", &why),
            other => format!("seccomp: {other}"),
        })
}

/// Compiles the filter programs. A call of another architecture kills the process.
fn filters(refused: Refused) -> Result<Vec<BpfProgram>, seccompiler::BackendError> {
    let program = |rules: BTreeMap<_, _>, errno: libc::c_int| {
        let errno = SeccompAction::Errno(errno.unsigned_abs());
        BpfProgram::try_from(SeccompFilter::new(
            rules,
            SeccompAction::Allow,
            errno,
            TargetArch::try_from(ARCH)?,
        )?)
    };
    let mut always = [SHARED.as_slice(), &KERNEL].concat();
    always.extend(
        ATTRIBUTES
            .iter()
            .chain(&OLD_ATTRIBUTES)
            .filter(|_| refused.outward),
    );
    always.extend(refused.outward.then_some(libc::SYS_socket));
    let all = |calls: Vec<i64>| calls.into_iter().map(|call| (call, Vec::new()));
    let denied = by_arguments(refused)?
        .into_iter()
        .chain(all(always))
        .collect();
    let at_once = vec![when(&[(5, SeccompCmpOp::MaskedEq(NO_WAIT), NO_WAIT)])?];
    let at_once = [libc::SYS_preadv2, libc::SYS_pwritev2].map(|call| (call, at_once.clone()));
    let absent = all(ABSENT.to_vec()).chain(at_once).collect();
    let mut programs = vec![program(denied, libc::EPERM)?, no_x32()];
    // These calls succeed without effect; programs do not depend on them.
    let mut ignored: BTreeMap<_, _> = all(vec![libc::SYS_fadvise64]).collect();
    if refused.locks {
        ignored.insert(libc::SYS_flock, Vec::new());
        ignored.insert(libc::SYS_fcntl, any_of(1, &LOCKS)?);
    }
    ignored.insert(libc::SYS_madvise, any_of(2, &EVICTIONS)?);
    programs.push(program(ignored, 0)?);
    // This program comes last, because it refuses to install further filters.
    programs.push(program(absent, libc::ENOSYS)?);
    Ok(programs)
}

/// Returns the calls that are refused depending on their arguments.
fn by_arguments(refused: Refused) -> Result<Vec<Rules>, seccompiler::BackendError> {
    use SeccompCmpOp::{Eq, MaskedEq, Ne};
    let others = || Ok::<_, seccompiler::BackendError>(vec![when(&[(0, Ne, 0)])?]);
    let flags = |flags: &[u64]| -> Result<Vec<_>, _> {
        flags
            .iter()
            .map(|flag| when(&[(0, MaskedEq(*flag), *flag)]))
            .collect()
    };
    let requests = if refused.outward {
        ATTRIBUTE_REQUESTS.as_slice()
    } else {
        &[]
    };
    let requests = [&TERMINAL_REQUESTS, requests].concat();
    let affinity = if refused.cores { Vec::new() } else { others()? };
    // Only connected pairs are allowed: other sockets could send to any address.
    let pairs = vec![
        when(&[(0, Ne, 1)])?,
        when(&[(1, MaskedEq(0xF), 2)])?,
        when(&[(1, MaskedEq(0xF), 3)])?,
    ];
    let mut rules = vec![
        (libc::SYS_prlimit64, others()?),
        (libc::SYS_sched_setscheduler, others()?),
        (libc::SYS_sched_setparam, others()?),
        (libc::SYS_sched_setattr, others()?),
        (libc::SYS_sched_setaffinity, affinity),
        (libc::SYS_migrate_pages, others()?),
        (libc::SYS_move_pages, others()?),
        (
            libc::SYS_setpriority,
            vec![when(&[(0, Ne, 0)])?, when(&[(1, Ne, 0)])?],
        ),
        (
            libc::SYS_ioprio_set,
            vec![when(&[(0, Ne, 1)])?, when(&[(1, Ne, 0)])?],
        ),
        (libc::SYS_ioctl, any_of(1, &requests)?),
        (libc::SYS_fcntl, any_of(1, &MARKS)?),
        (libc::SYS_prctl, vec![when(&[(0, Eq, FILTER)])?]),
        (libc::SYS_clone, flags(&NAMESPACES)?),
        (
            libc::SYS_unshare,
            [flags(&NAMESPACES)?, flags(&[CLOCKS])?].concat(),
        ),
        (
            libc::SYS_mmap,
            vec![when(&[(3, MaskedEq(HUGE_PAGES), HUGE_PAGES)])?],
        ),
    ];
    if refused.outward {
        rules.push((libc::SYS_socketpair, pairs));
    } else {
        rules.push((
            libc::SYS_socket,
            vec![when(&FAMILIES.map(|family| (0, Ne, family)))?],
        ));
    }
    Ok(rules)
}

/// Matches an argument with any of these values, by one rule per value.
fn any_of(position: u8, values: &[u64]) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    values
        .iter()
        .map(|value| when(&[(position, SeccompCmpOp::Eq, *value)]))
        .collect()
}

/// Matches calls whose arguments satisfy all of these comparisons.
fn when(arguments: &[(u8, SeccompCmpOp, u64)]) -> Result<SeccompRule, seccompiler::BackendError> {
    let condition = |(position, how, value): &(u8, SeccompCmpOp, u64)| {
        SeccompCondition::new(*position, SeccompCmpArgLen::Dword, how.clone(), *value)
    };
    SeccompRule::new(arguments.iter().map(condition).collect::<Result<_, _>>()?)
}

/// Refuses all x32 calls as unknown. The program loads the number of the call, compares it, and returns the verdict.
fn no_x32() -> BpfProgram {
    let step = |code, jf, k| sock_filter { code, jt: 0, jf, k };
    let refuse = u32::from(SeccompAction::Errno(libc::ENOSYS.unsigned_abs()));
    vec![
        step(0x20, 0, 0),
        step(0x35, 1, X32),
        step(0x06, 0, refuse),
        step(0x06, 0, SeccompAction::Allow.into()),
    ]
}
