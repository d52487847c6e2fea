//! A private single-node Slurm cluster: controller, node and authentication on the loopback interface, with all files in a scratch folder.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::TEST_TIMEOUT;
use crate::process::{Child, Command};

/// Interval for polling.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// A running Slurm cluster, which stops when this is dropped.
pub struct Slurm {
    daemons: Vec<Child>,
    conf: PathBuf,
}

impl Slurm {
    /// Starts a cluster in an empty folder, which needs root, and waits until its node accepts jobs.
    pub fn start(dir: &Path) -> Self {
        let conf = dir.join("slurm.conf");
        let [ctld, node] = free_ports();
        fs::write(&conf, configuration(dir, ctld, node)).unwrap();
        ["state", "spool"]
            .into_iter()
            .for_each(|name| fs::create_dir(dir.join(name)).unwrap());
        let mut slurm = Self {
            daemons: Vec::new(),
            conf,
        };
        slurm.authenticate(dir);
        slurm.daemon(
            dir,
            Command::new("slurmctld")
                .args(["-D", "-i", "-f"])
                .arg(dir.join("slurm.conf")),
        );
        slurm.daemon(
            dir,
            Command::new("slurmd")
                .args(["-D", "-f"])
                .arg(dir.join("slurm.conf")),
        );
        slurm.wait("an idle node", dir, || {
            slurm.printed(&["sinfo", "--noheader", "--format=%T"]) == "idle"
        });
        slurm
    }

    /// Returns a Slurm command, or one that runs Slurm commands.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("SLURM_CONF", &self.conf);
        command
    }

    /// Waits until no job is queued or running.
    pub fn drain(&self, dir: &Path) {
        self.wait("an empty queue", dir, || {
            self.printed(&["squeue", "--noheader"]).is_empty()
        });
    }

    /// Returns the output of a Slurm command. If the command fails, returns a text that no command prints.
    fn printed(&self, words: &[&str]) -> String {
        let output = self.command(words[0]).args(&words[1..]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        if output.status.success() {
            said
        } else {
            format!("failed: {said}")
        }
    }

    fn authenticate(&mut self, dir: &Path) {
        let key = dir.join("munge.key");
        fs::write(&key, [7; 64]).unwrap();
        fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
        let mut munged = Command::new("munged");
        munged.args(["--foreground", "--force"]);
        for (flag, file) in [
            ("socket", "munge.socket"),
            ("key-file", "munge.key"),
            ("pid-file", "munge.pid"),
            ("log-file", "munge.log"),
            ("seed-file", "munge.seed"),
        ] {
            munged.arg(format!("--{flag}={}", dir.join(file).display()));
        }
        self.daemon(dir, &mut munged);
        self.wait("munge", dir, || dir.join("munge.socket").exists());
    }

    fn daemon(&mut self, dir: &Path, command: &mut Command) {
        let name = command.get_program().to_string_lossy().into_owned();
        let log = fs::File::create(dir.join(format!("{name}.out"))).unwrap();
        command
            .current_dir(dir)
            .stdout(log.try_clone().unwrap())
            .stderr(log);
        // The test does not wait for the daemons to end, and the test may be long.
        self.daemons
            .push(command.limit(4 * TEST_TIMEOUT).spawn().unwrap());
    }

    fn wait(&self, what: &str, dir: &Path, is_so: impl Fn() -> bool) {
        let began = Instant::now();
        while !is_so() {
            assert!(
                began.elapsed() < TEST_TIMEOUT,
                "Slurm: there is no {what}\n{}",
                logs(dir)
            );
            std::thread::sleep(POLL_INTERVAL);
        }
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        // Cancel running jobs first, because their processes are not children of this one.
        let _ = self
            .command("scancel")
            .args(["--full", "--user=root"])
            .output();
        let began = Instant::now();
        while self
            .printed(&["squeue", "--noheader"])
            .chars()
            .any(|c| c.is_ascii_digit())
            && began.elapsed() < TEST_TIMEOUT / 10
        {
            std::thread::sleep(POLL_INTERVAL);
        }
        while self.daemons.pop().is_some() {}
    }
}

/// Returns the logs of all daemons.
fn logs(dir: &Path) -> String {
    let files = fs::read_dir(dir)
        .unwrap()
        .flatten()
        .map(|entry| entry.path());
    let logs = files.filter(|file| {
        file.extension()
            .is_some_and(|kind| kind == "log" || kind == "out")
    });
    logs.map(|file| {
        format!(
            "{}:\n{}",
            file.display(),
            fs::read_to_string(&file).unwrap_or_default()
        )
    })
    .collect()
}

/// Returns unused ports.
fn free_ports() -> [u16; 2] {
    let sockets = [(); 2].map(|()| std::net::TcpListener::bind("127.0.0.1:0").unwrap());
    sockets.map(|socket| socket.local_addr().unwrap().port())
}

/// Returns the configuration of one node with two processors, without control groups.
fn configuration(dir: &Path, ctld: u16, node: u16) -> String {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let host = host.trim().split('.').next().unwrap();
    let dir = dir.display();
    format!(
        "ClusterName=arena\nSlurmctldHost={host}(127.0.0.1)\nSlurmUser=root\nSlurmdUser=root\n\
         SlurmctldPort={ctld}\nSlurmdPort={node}\n\
         AuthType=auth/munge\nAuthInfo=socket={dir}/munge.socket\nCredType=cred/munge\n\
         StateSaveLocation={dir}/state\nSlurmdSpoolDir={dir}/spool\n\
         SlurmctldPidFile={dir}/slurmctld.pid\nSlurmdPidFile={dir}/slurmd.pid\n\
         SlurmctldLogFile={dir}/slurmctld.log\nSlurmdLogFile={dir}/slurmd.log\n\
         ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nJobAcctGatherType=jobacct_gather/none\n\
         AccountingStorageType=accounting_storage/none\nMpiDefault=none\n\
         SelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\nSlurmdParameters=config_overrides\nReturnToService=2\n\
         NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN\n\
         PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n"
    )
}
