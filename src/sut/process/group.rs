//! A shell command in a process group of its own. The whole group ends on request, on drop, and when this process ends.
//!
//! The running groups are in a registry, so that a signal handler can end them all. A small shell process has the same list. If
//! this process is killed or aborts, the shell reads the end of its input and ends the groups that are left.
//!
//! ```
//! use mayhap::sut::process::group::{Ending, GroupPipes, ProcessGroup};
//! let mut group = ProcessGroup::start("echo hello; sleep 60 & sleep 60", GroupPipes::Output(None))?;
//! assert!(group.exited().is_none());
//! while group.output().is_empty() {
//!     std::thread::sleep(std::time::Duration::from_millis(1));
//! }
//! group.end(Ending::Kindly);
//! assert_eq!(group.output(), ["hello"]);
//! # Ok::<(), std::io::Error>(())
//! ```

use std::fs;
use std::io::{self, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use regex_lite::Regex;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, test_kill_process_group, waitid};

use crate::limits::end;
use crate::sut::tail::OutputTail;

/// The time that a group has to end after SIGTERM, before it is killed.
const GRACE: Duration = Duration::from_secs(2);
/// The time that it has once the work is to end.
const HURRY: Duration = Duration::from_millis(300);
/// The longest wait for a group that was killed.
const KILLED: Duration = Duration::from_secs(1);
/// The longest wait for the last output of a group.
const LAST_WORDS: Duration = Duration::from_millis(200);
/// The flag of Linux for a process that has begun to end (`PF_EXITING`).
const EXITING: u64 = 4;
/// The time between two tests.
const PAUSE: Duration = Duration::from_millis(1);

/// Reads the numbers of started groups, and the numbers of ended groups with `-` before them. At the end of its input, kills the
/// others.
const WATCHER: &str = r#"
trap "" INT HUP TERM
all=
while read -r group; do
    case $group in
    -*) kept=; for one in $all; do [ "-$one" = "$group" ] || kept="$kept $one"; done; all=$kept ;;
    *) all="$all $group" ;;
    esac
done
for one in $all; do kill -KILL -- "-$one"; done
"#;

/// The running groups.
static GROUPS: Mutex<RunningGroups> = Mutex::new(RunningGroups { leaders: Vec::new(), watcher: None, closed: false });

struct RunningGroups {
    leaders: Vec<Pid>,
    /// The input of the shell that ends the groups that are left.
    watcher: Option<ChildStdin>,
    /// Set when no more groups may start.
    closed: bool,
}

/// The pipes to and from a command.
pub enum GroupPipes {
    /// The output is kept, and a line that matches may be waited for.
    Output(Option<Regex>),
    /// Standard input and output are used for talking, and standard error is kept.
    Talk,
}

/// The way in which a group ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The group gets SIGTERM, and is killed if that takes too long.
    Kindly,
    /// The group is killed.
    AtOnce,
}

/// A command, with all processes that it starts in its group.
#[derive(Debug)]
pub struct ProcessGroup {
    leader: Child,
    number: Pid,
    status: Option<ExitStatus>,
    tail: OutputTail,
}

/// Ends all groups at once, and lets no more start. It may be called from any thread of a process that is about to end.
pub fn end_all() {
    let mut groups = groups();
    groups.closed = true;
    for leader in &groups.leaders {
        _ = kill_process_group(*leader, Signal::KILL);
    }
}

impl ProcessGroup {
    /// Starts a command.
    ///
    /// # Errors
    /// There is no shell, no process can be started, or [`end_all`] was called.
    pub fn start(command: &str, pipes: GroupPipes) -> io::Result<ProcessGroup> {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).process_group(0);
        let (reader, writer) = io::pipe()?;
        let awaited = match pipes {
            GroupPipes::Output(awaited) => {
                shell.stdin(Stdio::null()).stdout(writer.try_clone()?);
                awaited
            }
            GroupPipes::Talk => {
                shell.stdin(Stdio::piped()).stdout(Stdio::piped());
                None
            }
        };
        shell.stderr(writer);
        // [`end_all`] either comes before this group starts, or knows of it.
        let mut groups = groups();
        if groups.closed {
            return Err(io::Error::new(io::ErrorKind::Interrupted, "this process is about to end"));
        }
        let leader = shell.spawn()?;
        let number = Pid::from_child(&leader);
        groups.add(number);
        drop(groups);
        // The command object still holds the other ends of the pipes, and must not outlive this function.
        drop(shell);
        Ok(ProcessGroup { leader, number, status: None, tail: OutputTail::reading(reader, awaited) })
    }

    /// The pipes for talking to a command; they can be taken once.
    pub fn take_pipes(&mut self) -> Option<(ChildStdin, ChildStdout)> {
        self.leader.stdin.take().zip(self.leader.stdout.take())
    }

    /// The last lines of output.
    #[must_use]
    pub fn output(&self) -> Vec<String> {
        self.tail.lines(None)
    }

    /// The output as it is read.
    #[must_use]
    pub fn tail(&self) -> &OutputTail {
        &self.tail
    }

    /// The exit status of the command, if it has ended by itself. In this case its whole group is ended.
    pub fn exited(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() && self.has_leader_ended() {
            self.end(Ending::AtOnce);
        }
        self.status
    }

    /// Tests whether the command certainly lives on. Its sockets close before it has ended, but only after it has begun to end.
    /// If the command has children, nothing is certain.
    #[must_use]
    pub fn lives_on(&self) -> bool {
        self.status.is_none() && !self.has_leader_ended() && is_alone_and_lives(self.number)
    }

    /// Waits until the command ends by itself, at most for this time.
    pub fn exited_within(&mut self, longest: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + longest;
        loop {
            let status = self.exited();
            if status.is_some() || Instant::now() >= deadline {
                return status;
            }
            sleep(PAUSE);
        }
    }

    /// Ends the group, and waits for it.
    pub fn end(&mut self, how: Ending) {
        if self.status.is_some() {
            return;
        }
        if how == Ending::Kindly {
            _ = kill_process_group(self.number, Signal::TERM);
            let began = Instant::now();
            let grace = || if end::is_over() { HURRY } else { GRACE };
            while !(self.has_leader_ended() && self.tail.wait_for_end(PAUSE)) && began.elapsed() < grace() {
                sleep(PAUSE);
            }
        }
        // The leader was not waited for yet, so its number still belongs to this group.
        _ = kill_process_group(self.number, Signal::KILL);
        groups().remove(self.number);
        self.status = Some(self.leader.wait().unwrap_or(ExitStatus::from_raw(Signal::KILL.as_raw())));
        self.wait_for_the_others();
    }

    /// Tests whether the command has ended. It keeps its number, which is the number of the group, until it is waited for.
    #[must_use]
    pub fn has_leader_ended(&self) -> bool {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(self.number), look).is_ok_and(|status| status.is_some())
    }

    /// Waits until the other processes of the group are gone, or have at least closed their output.
    fn wait_for_the_others(&self) {
        let deadline = Instant::now() + KILLED;
        while test_kill_process_group(self.number).is_ok() && Instant::now() < deadline {
            if self.tail.wait_for_end(PAUSE) {
                return;
            }
        }
        // Another thread reads the output.
        self.tail.wait_for_end(LAST_WORDS);
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.end(Ending::Kindly);
    }
}

impl RunningGroups {
    fn add(&mut self, group: Pid) {
        self.leaders.push(group);
        if self.watcher.is_none() {
            self.watcher = watcher();
        }
        self.report(&format!("{}\n", group.as_raw_nonzero()));
    }

    fn remove(&mut self, group: Pid) {
        self.leaders.retain(|leader| *leader != group);
        self.report(&format!("-{}\n", group.as_raw_nonzero()));
    }

    fn report(&mut self, line: &str) {
        // Without the shell, groups stay behind only if this process is killed.
        if self.watcher.as_mut().is_some_and(|watcher| watcher.write_all(line.as_bytes()).is_err()) {
            self.watcher = None;
        }
    }
}

/// Tests whether a process has not begun to end and has no children; false if this cannot be found out.
fn is_alone_and_lives(process: Pid) -> bool {
    let of_process = format!("/proc/{}", process.as_raw_nonzero());
    // The name of the program, in parentheses, may contain anything. Without flags from the kernel, nothing is known.
    let stat = fs::read_to_string(format!("{of_process}/stat")).unwrap_or_default();
    let flags = stat.rsplit(')').next().and_then(|fields| fields.split_whitespace().nth(6)?.parse::<u64>().ok());
    let tasks = fs::read_dir(format!("{of_process}/task")).into_iter().flatten().flatten();
    let mut children = tasks.map(|task| fs::read_to_string(task.path().join("children")));
    flags.is_some_and(|flags| flags != 0 && flags & EXITING == 0)
        && children.all(|of_task| of_task.is_ok_and(|list| list.is_empty()))
}

fn watcher() -> Option<ChildStdin> {
    let mut shell = Command::new("sh");
    shell.args(["-c", WATCHER]).process_group(0);
    shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    shell.spawn().ok()?.stdin.take()
}

fn groups() -> MutexGuard<'static, RunningGroups> {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}
