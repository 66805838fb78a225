//! The report as Markdown, and the part of it that the README shows.

use std::fmt::Write;

use super::format::{self, COLUMNS, HOW_TO_READ};
use super::model::{GroupReport, Report, Verdict};
use crate::row::Target;

pub fn report(report: &Report) -> String {
    let mut out = String::from("# refbuf, Netty and the Rust peers, side by side\n\n");
    if let Some(caveat) = format::caveat(report) {
        paragraph(&mut out, &format!("**{caveat}**"));
    }
    summary_into(&mut out, report);
    paragraph(&mut out, "## How to read it");
    for text in HOW_TO_READ {
        paragraph(&mut out, text);
    }
    paragraph(&mut out, "## Machine and versions");
    table(
        &mut out,
        &["", ""],
        report.facts.iter().map(|(name, fact)| vec![(*name).into(), fact.clone()]),
    );
    for group in &report.groups {
        group_into(&mut out, group);
    }
    out
}

/// What the README shows of a run.
pub fn summary(report: &Report) -> String {
    let mut out = String::new();
    if let Some(caveat) = format::caveat(report) {
        paragraph(&mut out, &format!("**{caveat}**"));
    }
    summary_into(&mut out, report);
    for (name, fact) in &report.facts {
        let _ = writeln!(out, "* {name}: {fact}");
    }
    out
}

fn summary_into(out: &mut String, report: &Report) {
    let _ = writeln!(out, "Made by `{}`.\n", report.command);
    let columns = ["group", "target", "faster", "tie", "slower", "no target", "ratios"];
    table(
        out,
        &columns,
        report.groups.iter().map(|group| {
            let count = |verdict| group.count(verdict).to_string();
            let target = match group.target {
                Target::NettyUnchecked => "Netty, checks off",
                Target::FastestPeer => "the fastest peer, else Netty",
            };
            vec![
                group.title.into(),
                target.into(),
                count(Verdict::Faster),
                count(Verdict::Tie),
                count(Verdict::Slower),
                count(Verdict::None),
                range(group),
            ]
        }),
    );
}

/// The lowest, the middle and the highest ratio to the target.
fn range(group: &GroupReport) -> String {
    let mut ratios: Vec<f64> =
        group.lines().filter_map(|(_, line)| Some(line.target.as_ref()?.ratio)).collect();
    ratios.sort_by(f64::total_cmp);
    match (ratios.first(), ratios.get(ratios.len() / 2), ratios.last()) {
        (Some(low), Some(middle), Some(high)) => format!("{low:.2} - {middle:.2} - {high:.2}"),
        _ => "-".into(),
    }
}

fn group_into(out: &mut String, group: &GroupReport) {
    let _ = writeln!(out, "## {}\n\n{}\n", group.title, group.about);
    let _ = writeln!(out, "![ratios to the target](charts/ratios-{}.svg)\n", group.name);
    table(
        out,
        &COLUMNS,
        group.lines().map(|(case, line)| {
            vec![
                case.name.clone(),
                line.who.clone(),
                format!("{} ± {}", format::ns(&line.ns), format::spread(&line.ns)),
                format::ratio(line.reference.as_ref()),
                format::named(line.peer.as_ref()),
                format::ratio(line.netty_on.as_ref()),
                format::ratio(line.netty_off.as_ref()),
                line.target.as_ref().map_or("-".into(), |target| target.beside.clone()),
                match line.verdict() {
                    Verdict::Slower => "**slower**".into(),
                    verdict => verdict.word().into(),
                },
            ]
        }),
    );
    for (why, what) in group.losses() {
        let _ = writeln!(out, "* **{}**: {why}", what.join("; "));
    }
    let _ = writeln!(out, "\n### All rows\n");
    let columns = ["case", "who", "median, ns", "lowest tenth", "highest tenth", "samples"];
    table(
        out,
        &columns,
        group.cases.iter().flat_map(|case| {
            let measured = case.rows.iter().map(|row| {
                vec![
                    case.name.clone(),
                    row.who.clone(),
                    format::ns(&row.ns),
                    format!("{:.2}", row.ns.low),
                    format!("{:.2}", row.ns.high),
                    row.ns.samples.to_string(),
                ]
            });
            let missing = case.missing.iter().map(|missing| {
                let why = format!("missing: {}", missing.why);
                vec![case.name.clone(), missing.who.clone(), why, "".into(), "".into(), "".into()]
            });
            measured.chain(missing).collect::<Vec<_>>()
        }),
    );
    for case in group.cases.iter().filter(|case| case.rows.len() > 1) {
        let _ = writeln!(
            out,
            "![{}](charts/{})\n",
            case.name,
            format::file_name(group.name, &case.name)
        );
    }
}

fn paragraph(out: &mut String, text: &str) {
    let _ = writeln!(out, "{text}\n");
}

fn table(out: &mut String, columns: &[&str], rows: impl Iterator<Item = Vec<String>>) {
    let _ = writeln!(out, "| {} |", columns.join(" | "));
    let _ = writeln!(out, "|{}", "---|".repeat(columns.len()));
    for row in rows {
        let _ = writeln!(out, "| {} |", row.join(" | "));
    }
    out.push('\n');
}
