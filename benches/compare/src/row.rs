//! Rows: who did what, and how long it took.

use crate::measure::{Runner, Start, on, work};

/// In what way a row is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The loop without an operation.
    Empty,
    /// What the operation costs without any buffer: a slice, a `Vec`, an `Arc`.
    /// Shown beside everybody, and nobody's rival.
    Reference,
    /// refbuf. `netty` is the kind of Netty's buffers that does the same job.
    Ours { netty: Option<&'static str> },
    /// Another crate.
    Peer,
    /// Netty, with its checks on or off.
    Netty { checks: bool },
}

/// What is to be run.
pub enum Work {
    /// Here, in rounds.
    Here(Runner),
    /// In a JVM of its own.
    Jvm(JvmCase),
}

/// The arguments of `Compare.java`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JvmCase {
    pub operation: &'static str,
    pub kind: String,
    pub size: usize,
    pub threads: usize,
    pub checks: bool,
}

pub struct Row {
    pub case: String,
    pub who: String,
    pub role: Role,
    pub work: Work,
    /// Nanoseconds an operation, one number a sample.
    pub samples: Vec<f64>,
}

/// An operation that somebody does not offer.
#[derive(Debug, Clone)]
pub struct Missing {
    pub case: String,
    pub who: String,
    pub why: &'static str,
}

/// Whom refbuf has to be as fast as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Netty's buffer of the same kind with its checks off.
    NettyUnchecked,
    /// The fastest crate that offers the operation; where none does, Netty.
    FastestPeer,
}

/// Cases of one kind, measured together.
pub struct Group {
    pub name: &'static str,
    pub title: &'static str,
    /// What is measured and how, for the report.
    pub about: &'static str,
    pub target: Target,
    pub rows: Vec<Row>,
    pub missing: Vec<Missing>,
}

impl Group {
    pub fn new(
        name: &'static str,
        title: &'static str,
        target: Target,
        about: &'static str,
    ) -> Self {
        Self { name, title, about, target, rows: Vec::new(), missing: Vec::new() }
    }

    pub fn case(&mut self, name: impl Into<String>) -> Case<'_> {
        Case { name: name.into(), threads: 1, group: self }
    }
}

/// Adds the rows of one case to its group.
pub struct Case<'a> {
    name: String,
    threads: usize,
    group: &'a mut Group,
}

impl Case<'_> {
    /// For the rows to come.
    pub fn threads(&mut self, threads: usize) -> &mut Self {
        self.threads = threads;
        self
    }

    fn add(&mut self, who: &str, role: Role, start: Start) -> &mut Self {
        let work = Work::Here(start(self.threads));
        self.push(who.into(), role, work)
    }

    fn push(&mut self, who: String, role: Role, work: Work) -> &mut Self {
        let case = self.name.clone();
        self.group.rows.push(Row { case, who, role, work, samples: Vec::new() });
        self
    }

    pub fn empty(&mut self) -> &mut Self {
        self.add("Rust", Role::Empty, work!(on(|| ()) => |(), arg| arg as u64))
    }

    pub fn reference(&mut self, who: &str, work: Start) -> &mut Self {
        self.add(who, Role::Reference, work)
    }

    /// `netty` is the kind of Netty's buffer beside it.
    pub fn ours(
        &mut self,
        kind: &str,
        netty: impl Into<Option<&'static str>>,
        work: Start,
    ) -> &mut Self {
        let role = Role::Ours { netty: netty.into() };
        self.add(&format!("refbuf {kind}"), role, work)
    }

    pub fn peer(&mut self, who: &str, work: Start) -> &mut Self {
        self.add(who, Role::Peer, work)
    }

    pub fn missing(&mut self, who: &str, why: &'static str) -> &mut Self {
        let case = self.name.clone();
        self.group.missing.push(Missing { case, who: who.into(), why });
        self
    }

    /// Netty's buffer of a kind, as it comes: with its checks on.
    pub fn netty(&mut self, operation: &'static str, kind: &str, size: usize) -> &mut Self {
        self.jvm(operation, kind, kind, size, true)
    }

    /// The same, with its checks on and with its checks off.
    pub fn netty_both(&mut self, operation: &'static str, kind: &str, size: usize) -> &mut Self {
        self.netty(operation, kind, size).jvm(operation, kind, kind, size, false)
    }

    /// `argument` is what `Compare.java` takes for the kind, if it is not that.
    pub fn jvm(
        &mut self,
        operation: &'static str,
        kind: &str,
        argument: &str,
        size: usize,
        checks: bool,
    ) -> &mut Self {
        let threads = self.threads;
        let case = JvmCase { operation, kind: argument.into(), size, threads, checks };
        let role = if operation == "empty" { Role::Empty } else { Role::Netty { checks } };
        let who = if operation == "empty" { "Java".into() } else { netty_name(kind, checks) };
        self.push(who, role, Work::Jvm(case))
    }
}

pub fn netty_name(kind: &str, checks: bool) -> String {
    format!("Netty {kind}, checks {}", if checks { "on" } else { "off" })
}
