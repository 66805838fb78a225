//! What the report says, computed from the rows: ratios of medians and the
//! verdicts. Nothing here is typed in.

use crate::machine::Fact;
use crate::row::{Group, Missing, Role, Target, netty_name};
use crate::stats::Summary;

/// Within this part of the target, it is a tie.
pub const TIE: f64 = 0.05;

pub struct Report {
    /// The command that made it.
    pub command: String,
    pub quick: bool,
    /// The machine had other work to do when the run began.
    pub busy: bool,
    pub facts: Vec<Fact>,
    pub groups: Vec<GroupReport>,
}

pub struct GroupReport {
    pub name: &'static str,
    pub title: &'static str,
    pub about: &'static str,
    pub target: Target,
    pub cases: Vec<CaseReport>,
}

pub struct CaseReport {
    pub name: String,
    pub rows: Vec<Measured>,
    pub missing: Vec<Missing>,
    pub lines: Vec<Line>,
}

pub struct Measured {
    pub who: String,
    pub role: Role,
    pub ns: Summary,
}

/// refbuf beside somebody: below 1 it is faster.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratio {
    pub beside: String,
    pub ratio: f64,
}

/// One type of refbuf in one case.
pub struct Line {
    pub who: String,
    pub ns: Summary,
    pub reference: Option<Ratio>,
    pub peer: Option<Ratio>,
    pub netty_on: Option<Ratio>,
    pub netty_off: Option<Ratio>,
    /// One of the above: whom it has to be as fast as.
    pub target: Option<Ratio>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Faster,
    Tie,
    Slower,
    /// The target was not measured, or nobody else offers the operation.
    None,
}

impl Verdict {
    pub fn of(target: Option<&Ratio>) -> Self {
        match target.map(|target| target.ratio) {
            Some(ratio) if ratio < 1.0 - TIE => Self::Faster,
            Some(ratio) if ratio <= 1.0 + TIE => Self::Tie,
            Some(_) => Self::Slower,
            None => Self::None,
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Tie => "tie",
            Self::Slower => "slower",
            Self::None => "-",
        }
    }
}

impl Line {
    pub fn verdict(&self) -> Verdict {
        Verdict::of(self.target.as_ref())
    }
}

impl GroupReport {
    pub fn of(group: Group) -> Self {
        let mut cases: Vec<CaseReport> = Vec::new();
        for row in group.rows {
            let Some(ns) = Summary::of(&row.samples) else { continue };
            let case = match cases.iter_mut().find(|case| case.name == row.case) {
                Some(case) => case,
                None => {
                    cases.push(CaseReport::new(row.case));
                    cases.last_mut().expect("just pushed")
                }
            };
            case.rows.push(Measured { who: row.who, role: row.role, ns });
        }
        for missing in group.missing {
            if let Some(case) = cases.iter_mut().find(|case| case.name == missing.case) {
                case.missing.push(missing);
            }
        }
        for case in &mut cases {
            case.lines = lines(&case.rows, group.target);
        }
        let Group { name, title, about, target, .. } = group;
        Self { name, title, about, target, cases }
    }

    pub fn lines(&self) -> impl Iterator<Item = (&CaseReport, &Line)> {
        self.cases.iter().flat_map(|case| case.lines.iter().map(move |line| (case, line)))
    }

    /// What is slower, `case, type`, by the reason.
    pub fn losses(&self) -> Vec<(&'static str, Vec<String>)> {
        let mut losses: Vec<(&'static str, Vec<String>)> = Vec::new();
        for (case, line) in self.lines().filter(|(_, line)| line.verdict() == Verdict::Slower) {
            let why = super::reasons::why(self.name, &case.name, &line.who);
            let what = format!("{}: {}", case.name, line.who);
            match losses.iter_mut().find(|(reason, _)| *reason == why) {
                Some((_, all)) => all.push(what),
                None => losses.push((why, vec![what])),
            }
        }
        losses
    }

    pub fn count(&self, verdict: Verdict) -> usize {
        self.lines().filter(|(_, line)| line.verdict() == verdict).count()
    }
}

impl CaseReport {
    fn new(name: String) -> Self {
        Self { name, rows: Vec::new(), missing: Vec::new(), lines: Vec::new() }
    }
}

fn lines(rows: &[Measured], target: Target) -> Vec<Line> {
    let reference = rows.iter().find(|row| row.role == Role::Reference);
    let peer = rows
        .iter()
        .filter(|row| row.role == Role::Peer)
        .min_by(|a, b| a.ns.median.total_cmp(&b.ns.median));
    let line = |row: &Measured| {
        let Role::Ours { netty } = row.role else { return None };
        let beside = |other: Option<&Measured>| {
            other.map(|other| Ratio {
                beside: other.who.clone(),
                ratio: row.ns.median / other.ns.median,
            })
        };
        let netty = |checks| {
            let name = netty_name(netty?, checks);
            beside(rows.iter().find(|row| row.who == name))
        };
        let (peer, netty_on, netty_off) = (beside(peer), netty(true), netty(false));
        let target = match target {
            Target::NettyUnchecked => netty_off.clone(),
            Target::FastestPeer => {
                peer.clone().or_else(|| netty_off.clone()).or_else(|| netty_on.clone())
            }
        };
        let (who, ns) = (row.who.clone(), row.ns);
        Some(Line { who, ns, reference: beside(reference), peer, netty_on, netty_off, target })
    };
    rows.iter().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(who: &str, role: Role, ns: f64) -> Measured {
        Measured { who: who.into(), role, ns: Summary::of(&[ns]).unwrap() }
    }

    fn rows(ours: f64) -> Vec<Measured> {
        vec![
            row("&[u8]", Role::Reference, 1.0),
            row("refbuf heap", Role::Ours { netty: Some("heap") }, ours),
            row("slow", Role::Peer, 9.0),
            row("fast", Role::Peer, 4.0),
            row(&netty_name("heap", true), Role::Netty { checks: true }, 3.0),
            row(&netty_name("heap", false), Role::Netty { checks: false }, 2.0),
            row(&netty_name("direct", false), Role::Netty { checks: false }, 0.1),
        ]
    }

    fn only(ours: f64, target: Target) -> Line {
        lines(&rows(ours), target).pop().unwrap()
    }

    #[test]
    fn access_is_judged_by_netty_of_the_same_kind_without_its_checks() {
        let line = only(2.0, Target::NettyUnchecked);
        assert_eq!(line.target, line.netty_off);
        assert_eq!(line.target.as_ref().unwrap().ratio, 1.0);
        assert_eq!(line.verdict(), Verdict::Tie);
    }

    #[test]
    fn other_cases_are_judged_by_the_fastest_peer_and_references_are_none() {
        let line = only(2.0, Target::FastestPeer);
        assert_eq!(line.target, Some(Ratio { beside: "fast".into(), ratio: 0.5 }));
        assert_eq!(line.verdict(), Verdict::Faster);
        assert_eq!(line.reference.unwrap().ratio, 2.0);
    }

    #[test]
    fn without_a_peer_it_is_netty_and_without_netty_nobody() {
        let judged = |rows: &[Measured]| lines(rows, Target::FastestPeer).pop().unwrap().verdict();
        let mut rows = rows(2.2);
        rows.retain(|row| row.role != Role::Peer);
        assert_eq!(judged(&rows), Verdict::Slower);
        rows.retain(|row| !matches!(row.role, Role::Netty { .. }));
        assert_eq!(judged(&rows), Verdict::None);
    }

    #[test]
    fn a_twentieth_more_or_less_is_a_tie() {
        for (ours, verdict) in [
            (3.79, Verdict::Faster),
            (3.81, Verdict::Tie),
            (4.19, Verdict::Tie),
            (4.21, Verdict::Slower),
        ] {
            assert_eq!(only(ours, Target::FastestPeer).verdict(), verdict, "{ours}");
        }
    }
}
