//! The command line.

use std::time::Duration;

use crate::netty::Timing;

pub const USAGE: &str = "\
refbuf beside Netty and every Rust peer, in one run.

    cargo run --release --manifest-path benches/compare/Cargo.toml -- [options]

    --quick       a few seconds: shows that all works; its figures say nothing
    --only NAME   only the cases whose `group/case` contains NAME; or `rust`, which is
                  --no-netty; or `netty`: refbuf and Netty, no peers
    --no-netty    without the JVMs
    --forks N     JVMs for each of Netty's cases (1)
    --list        the rows, without measuring

The report goes to target/compare/report.html and .md.";

pub struct Options {
    pub quick: bool,
    pub only: Option<String>,
    pub netty: bool,
    pub peers: bool,
    pub forks: usize,
    pub list: bool,
}

impl Options {
    /// `Err` is the usage, with what is wrong if anything is.
    pub fn parse(mut args: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut this =
            Self { quick: false, only: None, netty: true, peers: true, forks: 1, list: false };
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or(format!("{arg} wants a value\n\n{USAGE}"));
            match arg.as_str() {
                "--quick" => this.quick = true,
                "--no-netty" => this.netty = false,
                "--list" => this.list = true,
                "--only" => match value()?.as_str() {
                    "rust" => this.netty = false,
                    "netty" => this.peers = false,
                    name => this.only = Some(name.into()),
                },
                "--forks" => {
                    let n = value()?;
                    this.forks = n
                        .parse()
                        .ok()
                        .filter(|&n| n > 0)
                        .ok_or(format!("--forks {n}: not a number of JVMs\n\n{USAGE}"))?;
                }
                "--help" | "-h" => return Err(USAGE.into()),
                other => return Err(format!("{other}: no such option\n\n{USAGE}")),
            }
        }
        Ok(this)
    }

    /// Rounds over the rows of a group: so many samples each has.
    pub fn rounds(&self) -> usize {
        if self.quick { 4 } else { 40 }
    }

    /// How long a sample should take.
    pub fn sample(&self) -> Duration {
        Duration::from_millis(if self.quick { 1 } else { 10 })
    }

    pub fn jvm(&self) -> Timing {
        let [warm_up, measured] = if self.quick { [200, 200] } else { [5_000, 5_000] };
        Timing {
            warm_up: Duration::from_millis(warm_up),
            measured: Duration::from_millis(measured),
            sample: self.sample(),
        }
    }
}
