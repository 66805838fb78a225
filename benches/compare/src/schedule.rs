//! The order of things. Groups one after the other; within a group rounds, in
//! each of which every row here gives one sample, and between the rounds the
//! JVMs of the group, evenly. So what the machine does meanwhile befalls all
//! that is compared.

use std::time::Duration;

use crate::measure::Runner;
use crate::netty::Netty;
use crate::options::Options;
use crate::row::{Group, JvmCase, Role, Work};

/// Leaves what was asked for.
pub fn select(groups: &mut Vec<Group>, options: &Options, netty: bool) {
    for group in &mut *groups {
        group.rows.retain(|row| {
            let asked_for = match &options.only {
                Some(name) => format!("{}/{}", group.name, row.case).contains(name.as_str()),
                None => true,
            };
            (asked_for || row.role == Role::Empty)
                && (netty || matches!(row.work, Work::Here(_)))
                && (options.peers || row.role != Role::Peer)
        });
        let rows = &group.rows;
        group.missing.retain(|missing| rows.iter().any(|row| row.case == missing.case));
    }
    groups.retain(|group| group.rows.iter().any(|row| row.role != Role::Empty));
}

/// Takes all samples. An error is that of a JVM.
pub fn measure(group: &mut Group, options: &Options, netty: Option<&Netty>) -> Result<(), String> {
    let mut here = Vec::new();
    let mut jvms = Vec::new();
    for row in &mut group.rows {
        match &mut row.work {
            Work::Here(run) => here.push(Here { run, n: 1, samples: &mut row.samples }),
            Work::Jvm(case) => jvms.push((&*case, &mut row.samples)),
        }
    }
    for row in &mut here {
        row.calibrate(options.sample());
    }
    let rounds = options.rounds();
    let runs = jvms.len() * options.forks;
    let mut done = 0;
    for round in 0..rounds {
        for row in &mut here {
            row.sample(round);
        }
        while done * rounds < runs * (round + 1) {
            let jvm = done % jvms.len();
            let (case, samples) = &mut jvms[jvm];
            samples.extend(fork(netty, case, options, (done + 1, runs))?);
            done += 1;
        }
        eprint!("\r\x1b[K{}: round {} of {rounds}", group.name, round + 1);
    }
    eprintln!();
    Ok(())
}

fn fork(
    netty: Option<&Netty>,
    case: &JvmCase,
    options: &Options,
    (number, of): (usize, usize),
) -> Result<Vec<f64>, String> {
    let JvmCase { operation, kind, size, .. } = case;
    eprint!("\r\x1b[KJVM {number} of {of}: {operation} {kind} {size}");
    let netty = netty.ok_or("a row of Netty without Netty")?;
    netty.measure(case, options.jvm())
}

struct Here<'a> {
    run: &'a mut Runner,
    n: u64,
    samples: &'a mut Vec<f64>,
}

impl Here<'_> {
    /// Finds how many operations take as long as a sample should; warms up.
    fn calibrate(&mut self, sample: Duration) {
        loop {
            let time = (self.run)(0, self.n);
            if time * 2 >= sample {
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                #[allow(clippy::cast_precision_loss)]
                let n = self.n as f64 * sample.as_secs_f64() / time.as_secs_f64();
                self.n = (n as u64).max(1);
                return;
            }
            self.n *= 2;
        }
    }

    fn sample(&mut self, round: usize) {
        let time = (self.run)(round, self.n);
        #[allow(clippy::cast_precision_loss)]
        self.samples.push(time.as_secs_f64() * 1e9 / self.n as f64);
    }
}
