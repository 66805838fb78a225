//! The report: what it says (`model`), and the forms in which it says it.

mod charts;
mod format;
mod html;
mod markdown;
mod model;
mod reasons;

pub use markdown::summary;
pub use model::{GroupReport, Report};

use std::fs;
use std::io;
use std::path::Path;

/// Writes `report.html`, `report.md`, `summary.md` and the charts.
pub fn write(report: &Report, directory: &Path) -> io::Result<()> {
    let charts = directory.join("charts");
    // Those of another run are not of this one.
    match fs::remove_dir_all(&charts) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => fs::create_dir_all(&charts)?,
    }
    for group in &report.groups {
        let ratios = charts::ratios(group).map_err(io::Error::other)?;
        fs::write(charts.join(format!("ratios-{}.svg", group.name)), ratios)?;
        for case in &group.cases {
            let times = charts::times(case).map_err(io::Error::other)?;
            fs::write(charts.join(format::file_name(group.name, &case.name)), times)?;
        }
    }
    fs::write(directory.join("report.html"), html::report(report).map_err(io::Error::other)?)?;
    fs::write(directory.join("report.md"), markdown::report(report))?;
    fs::write(directory.join("summary.md"), markdown::summary(report))
}
