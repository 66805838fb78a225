//! What it was measured on and with.

use std::fs;
use std::process::Command;
use std::thread;
use std::time::Duration;

/// Name and value, for the report.
pub type Fact = (&'static str, String);

pub fn facts() -> Vec<Fact> {
    vec![
        ("Processor", format!("{}, {} in use", cpu(), cpus())),
        ("Kernel", first_line("uname", &["-srm"])),
        ("Rust", env!("COMPARE_RUSTC").into()),
        ("refbuf", format!("commit {}", first_line("git", &COMMIT))),
        ("Crates", crates()),
        ("Load", load()),
    ]
}

/// Asked when it runs: commits do not make cargo build this again. It does build
/// again when sources have changed, so what runs is what is there.
const COMMIT: [&str; 6] =
    ["-C", env!("CARGO_MANIFEST_DIR"), "describe", "--always", "--dirty", "--abbrev=12"];

fn cpu() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name| {
        let line = info.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    match (field("model name"), field("cpu family"), field("model\t")) {
        (Some(name), Some(family), Some(model)) => {
            format!("{name} (family {family}, model {model})")
        }
        (Some(name), ..) => name,
        _ => std::env::consts::ARCH.into(),
    }
}

fn cpus() -> String {
    std::thread::available_parallelism().map_or("?".into(), |n| n.to_string())
}

/// Of the system, over the last 1, 5 and 15 minutes: a machine at rest when the
/// run begins has 0, and 1 to 2 is this run itself.
pub fn load() -> String {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(' ').take(3).collect::<Vec<_>>().join(" ")
}

/// Whether something else is running, now and for a second. (The load would
/// tell of the compiler that has just made this.)
pub fn is_busy() -> bool {
    // Of all processors since the start: the time, and that of it with nothing to do.
    let times = || -> Option<(u64, u64)> {
        let stat = fs::read_to_string("/proc/stat").ok()?;
        let of_all = stat.lines().next()?.strip_prefix("cpu ")?;
        let times: Vec<u64> = of_all.split_whitespace().filter_map(|n| n.parse().ok()).collect();
        Some((times.iter().sum(), times.get(3)? + times.get(4)?))
    };
    let before = times();
    thread::sleep(Duration::from_secs(1));
    let (Some((all, idle)), Some((all_now, idle_now))) = (before, times()) else { return false };
    // A tenth of the time is what a system does by itself.
    (idle_now - idle) * 10 < (all_now - all) * 9
}

fn first_line(program: &str, args: &[&str]) -> String {
    let out = Command::new(program).args(args).output();
    let out = out.map(|out| String::from_utf8_lossy(&out.stdout).into_owned()).unwrap_or_default();
    out.lines().next().unwrap_or("unknown").into()
}

/// The peers and their versions, from the lock file of this build.
fn crates() -> String {
    const PEERS: [&str; 8] = [
        "arc-slice",
        "bytes",
        "bytesbuf",
        "commonware-runtime",
        "httlib-hpack",
        "loona-hpack",
        "memchr",
        "ntex-bytes",
    ];
    let version = |name: &str| {
        let start = format!("name = \"{name}\"\nversion = \"");
        let (_, rest) = include_str!("../Cargo.lock").split_once(start.as_str())?;
        Some(format!("{name} {}", rest.split_once('"')?.0))
    };
    PEERS.iter().filter_map(|name| version(name)).collect::<Vec<_>>().join(", ")
}
