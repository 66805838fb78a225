//! One run of the load in this process, with the allocator that
//! `REFBUF_ALLOCATOR` names; and how it tells the process that wants to know.

use std::error::Error;
use std::fmt::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use refbuf::Pool;

use crate::ALLOCATOR;
use crate::load::{self, Tally};
use crate::options::Options;
use crate::resident::resident;

const SAMPLE_EVERY: Duration = Duration::from_millis(5);

/// How long to look on when the load is over.
const AFTERWARDS: Duration = Duration::from_millis(150);

/// What the load is about when memory is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    Calm,
    Busy,
    CalmAgain,
    Closed,
    Trimmed,
}

impl Phase {
    pub const ALL: [Self; 5] =
        [Self::Calm, Self::Busy, Self::CalmAgain, Self::Closed, Self::Trimmed];

    pub fn name(self) -> &'static str {
        match self {
            Self::Calm => "calm",
            Self::Busy => "busy",
            Self::CalmAgain => "calm again",
            Self::Closed => "connections closed",
            Self::Trimmed => "after trim()",
        }
    }

    /// While requests are served.
    fn of_progress(done: u64, requests: u64) -> Self {
        // Not a sum that wraps, for any number of requests.
        match u128::from(done) * 3 / u128::from(requests) {
            0 => Self::Calm,
            1 => Self::Busy,
            _ => Self::CalmAgain,
        }
    }
}

pub struct Sample {
    pub seconds: f64,
    pub mib: f64,
    pub phase: Phase,
}

pub struct Measured {
    pub seconds: f64,
    pub allocations: u64,
    pub allocated: u64,
    /// Allocations left when all is over.
    pub alive: u64,
    pub answers: Tally,
    pub peak: f64,
    pub samples: Vec<Sample>,
    /// The pool's own account.
    pub stats: String,
}

pub fn measure(options: &Options) -> Result<Measured, Box<dyn Error>> {
    let allocator = refbuf::try_default_allocator()?;
    // What is made once for the process is no part of the load.
    drop(allocator.heap(1));
    Pool::global().trim();
    // What is kept about the load is there before it, so it does not count.
    let mut watch = Watch::new();
    let mut stats = String::with_capacity(1 << 14);

    let (allocations, allocated) = (ALLOCATOR.allocations(), ALLOCATOR.bytes());
    let alive = ALLOCATOR.alive();
    let progress = AtomicU64::new(0);
    let answers = thread::scope(|scope| {
        let serving = scope.spawn(|| load::serve(options, allocator, &progress));
        while !serving.is_finished() {
            watch.sample(Phase::of_progress(progress.load(Relaxed), options.requests));
            thread::sleep(SAMPLE_EVERY);
        }
        serving.join().expect("the server does not panic")
    })?;
    let seconds = watch.seconds();
    let allocations = ALLOCATOR.allocations() - allocations;
    let allocated = ALLOCATOR.bytes() - allocated;
    write!(stats, "{}", Pool::global().stats())?;

    watch.look_on(Phase::Closed);
    Pool::global().trim();
    watch.look_on(Phase::Trimmed);
    let alive = ALLOCATOR.alive() - alive;
    let peak = resident().map_or(0.0, |resident| resident.peak);
    let samples = watch.samples;
    Ok(Measured { seconds, allocations, allocated, alive, answers, peak, samples, stats })
}

/// Looks at the memory now and then.
struct Watch {
    start: Instant,
    samples: Vec<Sample>,
}

impl Watch {
    fn new() -> Self {
        Self { start: Instant::now(), samples: Vec::with_capacity(1 << 14) }
    }

    fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    fn sample(&mut self, phase: Phase) {
        if let Some(resident) = resident() {
            self.samples.push(Sample { seconds: self.seconds(), mib: resident.now, phase });
        }
    }

    fn look_on(&mut self, phase: Phase) {
        let end = Instant::now() + AFTERWARDS;
        while Instant::now() < end {
            self.sample(phase);
            thread::sleep(SAMPLE_EVERY);
        }
    }
}

impl Measured {
    /// The time-weighted mean would be the same: samples are evenly spaced.
    pub fn mean_resident(&self, phase: Phase) -> Option<f64> {
        let in_phase = || self.samples.iter().filter(|sample| sample.phase == phase);
        let sum: f64 = in_phase().map(|sample| sample.mib).sum();
        let count = in_phase().count();
        (count != 0).then(|| sum / count as f64)
    }

    /// From what `Display` wrote.
    pub fn parse(text: &str) -> Result<Self, Box<dyn Error>> {
        let mut lines = text.lines();
        let mut next = || lines.next().ok_or("the measuring process said too little");
        let seconds = next()?.parse()?;
        let allocations = next()?.parse()?;
        let allocated = next()?.parse()?;
        let alive = next()?.parse()?;
        let answers = Tally { bytes: next()?.parse()?, sum: next()?.parse()? };
        let peak = next()?.parse()?;
        let count: usize = next()?.parse()?;
        let samples = (0..count).map(|_| Sample::parse(next()?)).collect::<Result<_, _>>()?;
        let stats = lines.collect::<Vec<_>>().join("\n");
        Ok(Self { seconds, allocations, allocated, alive, answers, peak, samples, stats })
    }
}

/// For [`Measured::parse`].
impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seconds, allocations, allocated, alive, answers, peak, samples, stats } = self;
        let Tally { bytes, sum } = answers;
        write!(f, "{seconds}\n{allocations}\n{allocated}\n{alive}\n{bytes}\n{sum}\n{peak}\n")?;
        writeln!(f, "{}", samples.len())?;
        for Sample { seconds, mib, phase } in samples {
            writeln!(f, "{seconds} {mib} {}", *phase as usize)?;
        }
        writeln!(f, "{stats}")
    }
}

impl Sample {
    fn parse(line: &str) -> Result<Self, Box<dyn Error>> {
        let [seconds, mib, phase] = line.split(' ').collect::<Vec<_>>()[..] else {
            return Err(format!("not a sample: {line}").into());
        };
        let phase = Phase::ALL.get(phase.parse::<usize>()?).ok_or("no such phase")?;
        Ok(Self { seconds: seconds.parse()?, mib: mib.parse()?, phase: *phase })
    }
}
