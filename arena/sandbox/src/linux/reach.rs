//! `arena reach init`: tries to reach the first process of its namespace, as a hostile bot would.

use std::fs::{self, File};
use std::io::IoSlice;
use std::process::ExitCode;

use nix::sys::ptrace;
use nix::sys::signal::{Signal, kill};
use nix::sys::uio::{RemoteIoVec, process_vm_writev};
use rustix::process::{PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};

use crate::exit::FAILED;
use crate::process_tree::id;

/// Arguments of the arena that start this stage.
pub const STAGE: [&str; 2] = ["reach", "init"];
/// Id of the first process of a namespace.
const INIT: u32 = 1;
/// Files in `/proc` of a process that only a process with the right to trace it can open.
const FILES: [&str; 6] = ["environ", "maps", "exe", "root", "cwd", "fd/0"];
/// The line in the status of a process that shows that its system calls are filtered.
const FILTERED: &str = "Seccomp:\t2";

/// Tries every way to reach the first process of this namespace, which must survive. Fails with the ways that are open.
pub fn run() -> ExitCode {
    let open = open(INIT);
    if open.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprintln!("a bot can reach the process around it: {}", open.join(", "));
    ExitCode::from(FAILED)
}

/// Returns the ways in which a process can be reached.
fn open(pid: u32) -> Vec<&'static str> {
    let file = |name: &str| format!("/proc/{pid}/{name}");
    let target = id(pid);
    let mut open: Vec<&str> = FILES
        .into_iter()
        .filter(|name| File::open(file(name)).is_ok())
        .collect();
    let mut tried = |way, is_open: bool| open.extend(is_open.then_some(way));
    let memory = File::options().write(true).open(file("mem"));
    tried("mem", memory.is_ok());
    let status = fs::read_to_string(file("status")).unwrap_or_default();
    tried("unfiltered calls", !status.contains(FILTERED));
    tried(
        "ptrace",
        ptrace::seize(target, ptrace::Options::empty()).is_ok(),
    );
    // The address is invalid. If the write is allowed, it fails with the error for a wrong address.
    let (byte, nowhere) = ([0], RemoteIoVec { base: 0, len: 1 });
    let written = process_vm_writev(target, &[IoSlice::new(&byte)], &[nowhere]);
    tried("process_vm_writev", written != Err(nix::Error::EPERM));
    let descriptor = || {
        let target = rustix::process::Pid::from_raw(target.as_raw())?;
        let opened = pidfd_open(target, PidfdFlags::empty()).ok()?;
        pidfd_getfd(opened, 0, PidfdGetfdFlags::empty()).ok()
    };
    tried("pidfd_getfd", descriptor().is_some());
    // If the signal had an effect, this process would end as well.
    let _ = kill(target, Signal::SIGKILL);
    open
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn ways_into_an_ordinary_process_are_found() {
        let mut command = Command::new("sleep");
        let mut sleep = command.arg("1000").stdin(Stdio::null()).spawn().unwrap();
        let found = open(sleep.id());
        assert!(sleep.wait().is_ok());
        for way in FILES.into_iter().chain(["mem", "ptrace"]) {
            assert!(found.contains(&way), "{way}: {found:?}");
        }
    }
}
