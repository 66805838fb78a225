//! refbuf beside Netty and every Rust peer, in one run, with pictures.
//!
//! ```text
//! cases/*     what is measured: the rows of all, a file a group
//!   row       who does what
//!   measure   the one loop of all rows here
//!   netty     the JVMs of Netty's rows
//! schedule    in which order
//! report/*    what came out
//! ```

mod cases;
mod machine;
mod measure;
mod netty;
mod options;
mod report;
mod row;
mod schedule;
mod stats;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use std::{env, fs};

use netty::Netty;
use options::Options;
use report::{GroupReport, Report};

fn main() -> ExitCode {
    let options = match Options::parse(env::args().skip(1)) {
        Ok(options) => options,
        Err(usage) => {
            eprintln!("{usage}");
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    let say = |error: std::io::Error| error.to_string();
    let directory = directory();
    fs::create_dir_all(&directory).map_err(say)?;

    let mut groups = cases::all(&directory).map_err(say)?;
    let netty =
        if options.netty { Netty::prepare(&directory) } else { Err("was not asked for".into()) };
    if let Err(why) = &netty {
        eprintln!("Netty is not measured: {why}");
    }
    schedule::select(&mut groups, options, netty.is_ok());
    if options.list {
        for group in &groups {
            for row in &group.rows {
                println!("{}/{}: {}", group.name, row.case, row.who);
            }
        }
        return Ok(());
    }

    let busy = machine::is_busy();
    let mut facts = machine::facts();
    match &netty {
        Ok(netty) => {
            facts.extend([("Netty", netty.version.clone()), ("Java", netty.java.clone())]);
        }
        Err(why) => facts.push(("Netty", format!("not measured: {why}"))),
    }
    if cfg!(not(feature = "commonware")) {
        facts.push(("commonware-runtime", "not built: without the feature `commonware`".into()));
    }
    let start = Instant::now();
    for group in &mut groups {
        schedule::measure(group, options, netty.as_ref().ok())?;
    }
    facts.push(("Took", format!("{} s", start.elapsed().as_secs())));
    facts.push(("Load at the end", machine::load()));

    let report = Report {
        command: command(),
        quick: options.quick,
        busy,
        facts,
        groups: groups.into_iter().map(GroupReport::of).collect(),
    };
    report::write(&report, &directory).map_err(say)?;
    print!("{}", report::summary(&report));
    println!("\n{}", directory.join("report.html").display());
    Ok(())
}

/// `target/compare` of the repository, or where Cargo was told to build.
fn directory() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"), PathBuf::from);
    // Java is told of paths in it.
    let target = std::path::absolute(&target).unwrap_or(target);
    target.join("compare")
}

fn command() -> String {
    let release = if cfg!(debug_assertions) { "" } else { " --release" };
    let mut command = format!("cargo run{release} --manifest-path benches/compare/Cargo.toml");
    let args: Vec<_> = env::args().skip(1).collect();
    if !args.is_empty() {
        command.push_str(" -- ");
        command.push_str(&args.join(" "));
    }
    command
}
