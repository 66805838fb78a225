//! How much memory of this process is in RAM.

use std::fs::File;
use std::io::Read;

/// MiB.
pub struct Resident {
    pub now: f64,
    pub peak: f64,
}

/// `None` where the system does not tell. Allocates nothing, so that it may be
/// called while allocations are counted.
pub fn resident() -> Option<Resident> {
    let mut text = [0; 4096];
    let len = File::open("/proc/self/status").ok()?.read(&mut text).ok()?;
    let text = std::str::from_utf8(&text[..len]).ok()?;
    let mib = |name: &str| {
        let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
        let kib: f64 = rest.trim().strip_suffix(" kB")?.parse().ok()?;
        Some(kib / 1024.0)
    };
    Some(Resident { now: mib("VmRSS:")?, peak: mib("VmHWM:")? })
}
