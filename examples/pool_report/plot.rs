//! Resident memory over time, as SVG.

use std::fmt::Write;

use crate::measure::{Measured, Phase, Sample};
use crate::options::Options;

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 460.0;
/// Of the area with the curves.
const LEFT: f64 = 70.0;
const RIGHT: f64 = WIDTH - 24.0;
const TOP: f64 = 78.0;
const BOTTOM: f64 = HEIGHT - 56.0;

/// For the labels of the highest points.
const HEADROOM: f64 = 1.08;

/// Of the curves. Told apart by those who see no red or green, too.
const COLOURS: [&str; 2] = ["#d55e00", "#0072b2"];

/// One curve for each of `all`, which has something to show.
pub fn svg(options: &Options, names: &[&str], all: &[Measured]) -> String {
    let samples = || all.iter().flat_map(|measured| &measured.samples);
    let x = Axis::new(samples().map(|sample| sample.seconds), LEFT, RIGHT);
    let y = Axis::new(samples().map(|sample| sample.mib), BOTTOM, TOP);
    let mut svg = String::new();
    let title = "Resident memory under the same load";
    let subtitle = format!(
        "{} requests, {} receive buffers, {} threads; busy: 20 times as many messages of half a MiB \
         and more",
        options.requests,
        options.memory(),
        options.threads
    );
    draw(&mut svg, title, &subtitle, &x, &y, names, all).expect("a string takes all");
    svg
}

fn draw(
    svg: &mut String,
    title: &str,
    subtitle: &str,
    x: &Axis,
    y: &Axis,
    names: &[&str],
    all: &[Measured],
) -> std::fmt::Result {
    writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\" fill=\"#333\">\n\
         <title>{title}</title>\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>"
    )?;
    writeln!(svg, "<text x=\"{LEFT}\" y=\"28\" font-size=\"18\">{title}</text>")?;
    writeln!(svg, "<text x=\"{LEFT}\" y=\"48\" fill=\"#666\">{subtitle}</text>")?;

    for (value, at) in y.ticks() {
        writeln!(
            svg,
            "<path d=\"M{LEFT} {at:.1}H{RIGHT}\" stroke=\"#ddd\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>",
            LEFT - 8.0,
            at + 4.0
        )?;
    }
    for (value, at) in x.ticks() {
        writeln!(
            svg,
            "<path d=\"M{at:.1} {BOTTOM}v5\" stroke=\"#333\"/>\
             <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{value}</text>",
            BOTTOM + 20.0
        )?;
    }
    writeln!(svg, "<path d=\"M{LEFT} {TOP}V{BOTTOM}H{RIGHT}\" fill=\"none\" stroke=\"#333\"/>")?;
    let middle = (LEFT + RIGHT) / 2.0;
    writeln!(
        svg,
        "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">time in seconds</text>",
        HEIGHT - 14.0
    )?;
    let middle = (TOP + BOTTOM) / 2.0;
    writeln!(
        svg,
        "<text transform=\"translate(20 {middle}) rotate(-90)\" text-anchor=\"middle\">\
         resident memory in MiB</text>"
    )?;

    for (measured, colour) in all.iter().zip(COLOURS) {
        let points: Vec<String> = measured
            .samples
            .iter()
            .map(|sample| format!("{:.1},{:.1}", x.at(sample.seconds), y.at(sample.mib)))
            .collect();
        writeln!(
            svg,
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\" \
             stroke-linejoin=\"round\" points=\"{}\"/>",
            points.join(" ")
        )?;
        for first in changes(&measured.samples) {
            let (text, place) = label(first.phase);
            writeln!(
                svg,
                "<g transform=\"translate({:.1} {:.1})\" fill=\"{colour}\" stroke=\"#fff\">\
                 <circle r=\"4\"/><text {place} font-size=\"11\" stroke-width=\"4\" \
                 paint-order=\"stroke\">{text}</text></g>",
                x.at(first.seconds),
                y.at(first.mib),
            )?;
        }
    }
    legend(svg, names)
}

fn legend(svg: &mut String, names: &[&str]) -> std::fmt::Result {
    let mut left = LEFT;
    for (name, colour) in names.iter().zip(COLOURS) {
        writeln!(
            svg,
            "<path d=\"M{left} 64h26\" stroke=\"{colour}\" stroke-width=\"3\"/>\
             <text x=\"{}\" y=\"68\">{name}</text>",
            left + 32.0
        )?;
        left += 120.0;
    }
    writeln!(svg, "</svg>")
}

/// What to write at the beginning of a phase, and where. The last two may be
/// close to each other.
fn label(phase: Phase) -> (&'static str, &'static str) {
    const ABOVE: &str = "y=\"-12\" text-anchor=\"middle\"";
    match phase {
        Phase::Calm | Phase::CalmAgain => ("calm", ABOVE),
        Phase::Busy => ("busy", ABOVE),
        Phase::Closed => ("closed", "x=\"9\" y=\"-8\""),
        Phase::Trimmed => ("trim()", "x=\"9\" y=\"16\""),
    }
}

/// The first sample of each phase but the first.
fn changes(samples: &[Sample]) -> impl Iterator<Item = &Sample> {
    Phase::ALL[1..].iter().filter_map(|&phase| samples.iter().find(|s| s.phase == phase))
}

/// From 0 to a little more than the largest value.
struct Axis {
    step: f64,
    steps: u32,
    start: f64,
    end: f64,
}

#[allow(clippy::cast_possible_truncation)] // Few steps, few digits.
impl Axis {
    /// Drawn from `start` to `end`.
    fn new(values: impl Iterator<Item = f64>, start: f64, end: f64) -> Self {
        // Below this there is nothing to see.
        let max = values.fold(1e-3, f64::max);
        // Steps of 1, 2 or 5 times a power of ten, at least 4.
        let power = 10_f64.powf((max / 4.0).log10().floor());
        let step = [5.0, 2.0, 1.0].map(|n| n * power).into_iter().find(|step| step * 4.0 <= max);
        let step = step.unwrap_or(power);
        Self { step, steps: (max * HEADROOM / step).ceil() as u32, start, end }
    }

    fn at(&self, value: f64) -> f64 {
        self.start + (self.end - self.start) * value / (self.step * f64::from(self.steps))
    }

    /// What to write, and where.
    fn ticks(&self) -> impl Iterator<Item = (String, f64)> {
        let digits = (-self.step.log10().floor()).max(0.0) as usize;
        (0..=self.steps).map(move |n| {
            let value = self.step * f64::from(n);
            (format!("{value:.digits$}"), self.at(value))
        })
    }
}
