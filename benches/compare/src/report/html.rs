//! The report as one HTML file, its charts in it.

use std::fmt::Write;

use super::charts;
use super::format::{self, COLUMNS, HOW_TO_READ};
use super::model::{GroupReport, Report, Verdict};

const STYLE: &str = "
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; color: #1f2328 }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums }
th, td { border-bottom: 1px solid #d0d7de; padding: .15rem .7rem; text-align: left; vertical-align: top }
.faster { color: #1a7f37 } .tie { color: #57606a } .slower { color: #cf222e; font-weight: 600 }
.missing { color: #57606a; font-style: italic }
.caveat { background: #fff8c5; padding: .5rem 1rem }
svg { max-width: 100%; height: auto }
";

pub fn report(report: &Report) -> Result<String, charts::Failed> {
    let mut out = String::from("<!doctype html><html lang=en><meta charset=utf-8>");
    let _ = write!(out, "<title>refbuf side by side</title><style>{STYLE}</style>");
    out.push_str("<h1>refbuf, Netty and the Rust peers, side by side</h1>");
    if let Some(caveat) = format::caveat(report) {
        let _ = write!(out, "<p class=caveat>{caveat}</p>");
    }
    let _ = write!(out, "<p>Made by <code>{}</code>.</p>", escape(&report.command));
    summary(&mut out, report);
    out.push_str("<h2>How to read it</h2>");
    for text in HOW_TO_READ {
        let _ = write!(out, "<p>{}</p>", escape(text));
    }
    out.push_str("<h2>Machine and versions</h2><table>");
    for (name, fact) in &report.facts {
        let _ = write!(out, "<tr><th>{name}<td>{}", escape(fact));
    }
    out.push_str("</table>");
    for group in &report.groups {
        group_into(&mut out, group)?;
    }
    Ok(out)
}

fn summary(out: &mut String, report: &Report) {
    out.push_str("<table><tr><th>group<th>faster<th>tie<th>slower<th>no target");
    for group in &report.groups {
        let _ = write!(out, "<tr><td><a href=#{}>{}</a>", group.name, group.title);
        for verdict in [Verdict::Faster, Verdict::Tie, Verdict::Slower, Verdict::None] {
            let n = group.count(verdict);
            // Zero losses are no loss.
            let class = if n == 0 { "none" } else { verdict.word() };
            let _ = write!(out, "<td class={class}>{n}");
        }
    }
    out.push_str("</table>");
}

fn group_into(out: &mut String, group: &GroupReport) -> Result<(), charts::Failed> {
    let _ = write!(
        out,
        "<h2 id={}>{}</h2><p>{}</p>{}",
        group.name,
        group.title,
        escape(group.about),
        charts::ratios(group)?,
    );
    out.push_str("<table><tr>");
    for column in COLUMNS {
        let _ = write!(out, "<th>{column}");
    }
    for (case, line) in group.lines() {
        let verdict = line.verdict().word();
        let _ = write!(
            out,
            "<tr><td>{}<td>{}<td>{} ± {}<td>{}<td>{}<td>{}<td>{}<td>{}<td class={verdict}>{verdict}",
            escape(&case.name),
            escape(&line.who),
            format::ns(&line.ns),
            format::spread(&line.ns),
            format::ratio(line.reference.as_ref()),
            escape(&format::named(line.peer.as_ref())),
            format::ratio(line.netty_on.as_ref()),
            format::ratio(line.netty_off.as_ref()),
            escape(line.target.as_ref().map_or("-", |target| &target.beside)),
        );
    }
    out.push_str("</table><ul>");
    for (why, what) in group.losses() {
        let what = escape(&what.join("; "));
        let _ = write!(out, "<li><span class=slower>{what}</span>: {}", escape(why));
    }
    out.push_str("</ul><details><summary>All rows and charts</summary>");
    out.push_str(
        "<table><tr><th>case<th>who<th>median, ns<th>lowest tenth<th>highest tenth<th>samples",
    );
    for case in &group.cases {
        let name = escape(&case.name);
        for row in &case.rows {
            let _ = write!(
                out,
                "<tr><td>{name}<td>{}<td>{}<td>{:.2}<td>{:.2}<td>{}",
                escape(&row.who),
                format::ns(&row.ns),
                row.ns.low,
                row.ns.high,
                row.ns.samples,
            );
        }
        for missing in &case.missing {
            let who = escape(&missing.who);
            let _ = write!(
                out,
                "<tr><td>{name}<td>{who}<td class=missing colspan=4>missing: {}",
                escape(missing.why),
            );
        }
    }
    out.push_str("</table>");
    for case in group.cases.iter().filter(|case| case.rows.len() > 1) {
        out.push_str(&charts::times(case)?);
    }
    out.push_str("</details>");
    Ok(())
}

/// Also turns `code` into its element.
fn escape(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let mut out = String::new();
    for (i, part) in escaped.split('`').enumerate() {
        if i > 0 {
            out.push_str(if i % 2 == 1 { "<code>" } else { "</code>" });
        }
        out.push_str(part);
    }
    out
}
