//! Bar charts, as SVG.

use plotters::drawing::DrawingAreaErrorKind;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::model::{CaseReport, GroupReport, Verdict};
use crate::row::Role;

pub type Failed = DrawingAreaErrorKind<std::io::Error>;

const WIDTH: u32 = 860;
/// For names, on the left; for figures, on the right.
const NAMES: u32 = 260;
const FIGURES: u32 = 70;
const ROW: u32 = 20;
const TITLE: u32 = 34;
const FONT: &str = "sans-serif";

const INK: RGBColor = RGBColor(31, 35, 40);
const OURS: RGBColor = RGBColor(31, 111, 235);
const PEER: RGBColor = RGBColor(130, 140, 150);
const REFERENCE: RGBColor = RGBColor(200, 206, 213);
const NETTY: RGBColor = RGBColor(217, 115, 13);
const NETTY_CHECKED: RGBColor = RGBColor(240, 170, 110);
const FASTER: RGBColor = RGBColor(26, 127, 55);
const SLOWER: RGBColor = RGBColor(207, 34, 46);

/// A bar from `from` to `to` as parts of the width, and a line over it from low
/// to high.
struct Bar {
    name: String,
    figure: String,
    color: RGBColor,
    span: (f64, f64),
    whisker: Option<(f64, f64)>,
}

/// The times of a case, one bar a row.
pub fn times(case: &CaseReport) -> Result<String, Failed> {
    let medians = || case.rows.iter().map(|row| row.ns.median);
    let (low, high) = (medians().fold(f64::MAX, f64::min), medians().fold(0.0, f64::max));
    // Where lengths would differ too much to be seen, their logarithms.
    let is_log = high > 30.0 * low;
    let place = |ns: f64| {
        let part = if is_log { (ns / low * 2.0).ln() / (high / low * 2.0).ln() } else { ns / high };
        part.clamp(0.0, 1.0)
    };
    let bars = case.rows.iter().map(|row| Bar {
        name: row.who.clone(),
        figure: super::format::ns(&row.ns),
        color: match row.role {
            Role::Ours { .. } => OURS,
            Role::Peer => PEER,
            Role::Reference | Role::Empty => REFERENCE,
            Role::Netty { checks: true } => NETTY_CHECKED,
            Role::Netty { checks: false } => NETTY,
        },
        span: (0.0, place(row.ns.median)),
        whisker: Some((place(row.ns.low), place(row.ns.high))),
    });
    let scale = if is_log { ", logarithmic" } else { "" };
    draw(&format!("{}: nanoseconds{scale}, less is better", case.name), bars.collect())
}

/// Ratios to the target: to the left of the middle faster, to the right slower,
/// twice as fast as far from it as half as fast.
pub fn ratios(group: &GroupReport) -> Result<String, Failed> {
    const DOUBLINGS: f64 = 3.0;
    let place = |ratio: f64| (0.5 + ratio.log2() / DOUBLINGS / 2.0).clamp(0.0, 1.0);
    let bars = group.lines().filter_map(|(case, line)| {
        let target = line.target.as_ref()?;
        Some(Bar {
            name: format!("{}, {}", case.name, line.who.trim_start_matches("refbuf ")),
            figure: format!("{:.2}", target.ratio),
            color: match line.verdict() {
                Verdict::Faster => FASTER,
                Verdict::Slower => SLOWER,
                Verdict::Tie | Verdict::None => PEER,
            },
            span: (0.5, place(target.ratio)),
            whisker: None,
        })
    });
    let title =
        format!("{}: refbuf's time over the target's, left of the line is faster", group.title);
    draw(&title, bars.collect())
}

fn draw(title: &str, bars: Vec<Bar>) -> Result<String, Failed> {
    // A chart has a few dozen bars.
    let rows = u32::try_from(bars.len()).unwrap_or(u32::MAX / ROW / 2);
    let size = (WIDTH, TITLE + rows * ROW + 6);
    let mut out = String::new();
    {
        let area = SVGBackend::with_string(&mut out, size).into_drawing_area();
        area.fill(&WHITE)?;
        let at = |x: u32, y: u32| (x.cast_signed(), y.cast_signed());
        let bold = (FONT, 15).into_font().style(FontStyle::Bold).color(&INK);
        area.draw(&Text::new(title.to_owned(), at(8, 8), bold))?;
        let text = |h| (FONT, 13).into_font().color(&INK).pos(Pos::new(h, VPos::Center));
        let room = f64::from(WIDTH - NAMES - FIGURES);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // A part of the width.
        let x = |part: f64| NAMES + (room * part) as u32;
        for (i, bar) in (0..).zip(&bars) {
            let (top, bottom) = (TITLE + i * ROW + 3, TITLE + (i + 1) * ROW - 3);
            let middle = TITLE + i * ROW + ROW / 2;
            let (from, to) = (bar.span.0.min(bar.span.1), bar.span.0.max(bar.span.1));
            area.draw(&Text::new(bar.name.clone(), at(NAMES - 8, middle), text(HPos::Right)))?;
            // Never so short that nothing is seen.
            let right = x(to).max(x(from) + 1);
            area.draw(&Rectangle::new([at(x(from), top), at(right, bottom)], bar.color.filled()))?;
            let mut end = right;
            if let Some((low, high)) = bar.whisker {
                let line = [at(x(low), middle), at(x(high), middle)];
                area.draw(&PathElement::new(line, INK.stroke_width(1)))?;
                end = end.max(x(high));
            }
            let figure = Text::new(bar.figure.clone(), at(end + 6, middle), text(HPos::Left));
            area.draw(&figure)?;
        }
        if bars.iter().any(|bar| bar.span.0 > 0.0) {
            let line = [at(x(0.5), TITLE), at(x(0.5), TITLE + rows * ROW)];
            area.draw(&PathElement::new(line, INK.stroke_width(1)))?;
        }
        area.present()?;
    }
    Ok(out)
}
