//! The same server-like load with pooled and with unpooled buffers: what it
//! allocates, how fast it is, and how much memory it keeps over time.
//!
//! ```text
//! cargo run --release --example pool_report -- --help
//! ```
//!
//! Each allocator has a process of its own, so that one does not find the
//! memory that the other has left behind. The load is in `load.rs`.

#[path = "tour/counting.rs"]
mod counting;
#[path = "pool_report/load.rs"]
mod load;
#[path = "pool_report/measure.rs"]
mod measure;
#[path = "pool_report/options.rs"]
mod options;
#[path = "pool_report/plot.rs"]
mod plot;
#[path = "tour/random.rs"]
mod random;
#[path = "pool_report/resident.rs"]
mod resident;

use std::error::Error;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use measure::{Measured, Phase};
use options::{HELP, Options};

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting::new();

/// What `REFBUF_ALLOCATOR` may say.
const ALLOCATORS: [&str; 2] = ["unpooled", "pooled"];

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let done = if options.measure {
        measure::measure(&options).map(|measured| print!("{measured}"))
    } else {
        compare(&options)
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn compare(options: &Options) -> Result<(), Box<dyn Error>> {
    println!(
        "{} requests, received into {} buffers by {} threads with {} connections and a worker each",
        options.requests,
        options.memory(),
        options.threads,
        load::CONNECTIONS
    );
    let mut all = Vec::new();
    for name in ALLOCATORS {
        eprintln!("measuring {name}");
        all.push(measure_apart(name, options)?);
    }
    let [unpooled, pooled] = &all[..] else { unreachable!("there are two allocators") };
    if unpooled.answers != pooled.answers {
        return Err("the two did not do the same".into());
    }
    table(options, unpooled, pooled);
    println!("\nThe pool at the end of the load, before trim():\n{}", pooled.stats);
    let path = svg_path()?;
    std::fs::write(&path, plot::svg(options, &ALLOCATORS, &all))?;
    println!("Resident memory over time: {}", path.display());
    Ok(())
}

/// Runs this program once more, as a process with that allocator.
fn measure_apart(name: &str, options: &Options) -> Result<Measured, Box<dyn Error>> {
    let output = Command::new(std::env::current_exe()?)
        .args(["--measure", "--requests", &options.requests.to_string()])
        .args(["--threads", &options.threads.to_string()])
        .args(options.direct.then_some("--direct"))
        .env("REFBUF_ALLOCATOR", name)
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(format!("{name}: {}", output.status).into());
    }
    Measured::parse(&String::from_utf8(output.stdout)?)
}

fn table(options: &Options, unpooled: &Measured, pooled: &Measured) {
    let row = |what: &str, value: &dyn Fn(&Measured) -> String| {
        println!("{what:34}{:>12}{:>12}", value(unpooled), value(pooled));
    };
    let requests = options.requests as f64;
    println!();
    println!("{:34}{:>12}{:>12}", "", ALLOCATORS[0], ALLOCATORS[1]);
    row("requests/s", &|m| format!("{:.0}", requests / m.seconds));
    row("allocations per request", &|m| format!("{:.3}", m.allocations as f64 / requests));
    row("bytes allocated per request", &|m| format!("{:.0}", m.allocated as f64 / requests));
    if options.direct {
        println!("  (of heap memory: maps do not come from the allocator that counts)");
    }
    row("allocations left at the end", &|m| m.alive.to_string());
    if unpooled.samples.is_empty() || pooled.samples.is_empty() {
        println!("resident memory: this system has no /proc/self/status");
        return;
    }
    for phase in Phase::ALL {
        row(&format!("MiB resident: {}", phase.name()), &|m| {
            m.mean_resident(phase).map_or("-".to_owned(), |mib| format!("{mib:.1}"))
        });
    }
    row("MiB resident: peak", &|m| format!("{:.1}", m.peak));
}

/// In the target directory, which holds `<profile>/examples/<this program>`.
fn svg_path() -> Result<PathBuf, Box<dyn Error>> {
    let program = std::env::current_exe()?;
    let target = program.ancestors().nth(3).ok_or("this program is in no target directory")?;
    Ok(target.join("pool_report.svg"))
}
