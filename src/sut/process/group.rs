//! A shell command in a process group of its own, which ends whole: on request, on drop, and when this process is no more.
//!
//! The groups that run are in a registry, so that whoever handles a signal can end them all. A small shell beside us has the same list: it
//! reads from us, and ends what is left when we end without having done so, killed or aborted.
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

use super::tail::OutputTail;

/// The time that a group has to end by itself when it is asked to.
const GRACE: Duration = Duration::from_secs(2);
/// The time that a group that was killed is waited for.
const KILLED: Duration = Duration::from_secs(1);
/// The time in which what a group printed is read to its end.
const LAST_WORDS: Duration = Duration::from_millis(200);
/// The flag of Linux for a process that has begun to end (`PF_EXITING`).
const EXITING: u64 = 4;
/// The time to wait between two looks.
const PAUSE: Duration = Duration::from_millis(1);

/// Reads the numbers of groups that were started, and `-` before those that have ended; at the end it kills the others.
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

/// The groups that run.
static GROUPS: Mutex<RunningGroups> = Mutex::new(RunningGroups { leaders: Vec::new(), watcher: None, closed: false });

struct RunningGroups {
    leaders: Vec<Pid>,
    /// The input of the shell that ends what we leave behind.
    watcher: Option<ChildStdin>,
    /// Set once no more may start.
    closed: bool,
}

/// The pipes that lead to a command.
pub enum GroupPipes {
    /// Its output is kept, and a line of that may be waited for.
    Output(Option<Regex>),
    /// It is talked to on its standard input and output; what it prints on standard error is kept.
    Talk,
}

/// The way in which a group is ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// It is asked to (SIGTERM), and killed if that takes long.
    Kindly,
    /// It is killed.
    AtOnce,
}

/// A command that was started, and all that it starts in its group.
#[derive(Debug)]
pub struct ProcessGroup {
    leader: Child,
    number: Pid,
    status: Option<ExitStatus>,
    tail: OutputTail,
}

/// Ends all groups at once, and lets no more start: for a process that is about to end, from any thread.
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
    /// There is no shell, or no process can be made, or [`end_all`] was called.
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
        // Whoever ends all groups does so before this one starts, or knows of it.
        let mut groups = groups();
        if groups.closed {
            return Err(io::Error::new(io::ErrorKind::Interrupted, "this process is about to end"));
        }
        let leader = shell.spawn()?;
        let number = Pid::from_child(&leader);
        groups.add(number);
        drop(groups);
        // The command holds the other ends of the pipe here; it must not outlive this.
        drop(shell);
        Ok(ProcessGroup { leader, number, status: None, tail: OutputTail::reading(reader, awaited) })
    }

    /// The pipes of a command that is talked to; only once.
    pub fn take_pipes(&mut self) -> Option<(ChildStdin, ChildStdout)> {
        self.leader.stdin.take().zip(self.leader.stdout.take())
    }

    /// The last lines that were printed.
    #[must_use]
    pub fn output(&self) -> Vec<String> {
        self.tail.lines()
    }

    /// The lines that are printed.
    #[must_use]
    pub fn tail(&self) -> &OutputTail {
        &self.tail
    }

    /// The way in which the command ended, if it did so by itself. Once that is so, all that it started is ended.
    pub fn exited(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() && self.has_leader_ended() {
            self.end(Ending::AtOnce);
        }
        self.status
    }

    /// Tests whether the command certainly lives on. Its sockets close before it has ended, but not before it has begun to end; what is
    /// known of a command that has children is not known of them.
    #[must_use]
    pub fn lives_on(&self) -> bool {
        self.status.is_none() && !self.has_leader_ended() && is_alone_and_lives(self.number)
    }

    /// Waits until the command ends by itself.
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

    /// Ends the group and waits for it.
    pub fn end(&mut self, how: Ending) {
        if self.status.is_some() {
            return;
        }
        if how == Ending::Kindly {
            _ = kill_process_group(self.number, Signal::TERM);
            let deadline = Instant::now() + GRACE;
            while !(self.has_leader_ended() && self.tail.wait_for_end(PAUSE)) && Instant::now() < deadline {
                sleep(PAUSE);
            }
        }
        // The leader was not waited for, so that the number is that of this group.
        _ = kill_process_group(self.number, Signal::KILL);
        groups().remove(self.number);
        self.status = Some(self.leader.wait().unwrap_or(ExitStatus::from_raw(Signal::KILL.as_raw())));
        self.wait_for_the_others();
    }

    /// Tests whether the command has ended. It keeps its number, which is that of its group, until it is waited for.
    fn has_leader_ended(&self) -> bool {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(self.number), look).is_ok_and(|status| status.is_some())
    }

    /// Waits for those of the group that are no children of ours: they are gone, or at least what they held open is closed.
    fn wait_for_the_others(&self) {
        let deadline = Instant::now() + KILLED;
        while test_kill_process_group(self.number).is_ok() && Instant::now() < deadline {
            if self.tail.wait_for_end(PAUSE) {
                return;
            }
        }
        // What was printed is read by another thread.
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
        // Without a watcher, only a process that is killed leaves something behind.
        if self.watcher.as_mut().is_some_and(|watcher| watcher.write_all(line.as_bytes()).is_err()) {
            self.watcher = None;
        }
    }
}

/// Tests whether a process has neither begun to end nor has children; false if that cannot be known.
fn is_alone_and_lives(process: Pid) -> bool {
    let of_process = format!("/proc/{}", process.as_raw_nonzero());
    // The name of the program, in parentheses, may have anything in it. A kernel that shows no flags at all shows nothing.
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
