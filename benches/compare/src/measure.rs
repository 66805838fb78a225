//! The one loop that every row of the Rust side runs, and where it is placed.
//!
//! One operation an iteration. The buffer and the argument go through an empty
//! piece of assembly in each of them: the compiler must take both for changed,
//! and the memory too, so it can neither keep what it read from the buffer nor
//! leave an operation out. That piece has no instructions, so the loop costs
//! what a loop must, which is a row of its own. Netty's loop (`Compare.java`)
//! reads both from volatile fields, to the same effect.
//!
//! # Placement
//!
//! Whether a short loop straddles a line of the instruction cache can change its
//! time by a fifth, and which one does is chance. So each loop exists four
//! times, 0, 16, 32 and 48 bytes behind a line of 64, and the samples of a row
//! are taken from the four in turn: its figures are over the same placements as
//! everybody else's.

use core::arch::asm;
use core::hint::black_box;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

/// How many copies of a loop there are.
pub const PLACEMENTS: usize = 4;

/// What an operation runs on: how it is made, the argument it is given, and how
/// it is renewed when it is used up.
pub struct Setup<S> {
    make: Box<dyn Fn() -> S + Sync>,
    arg: usize,
    /// Operations until `refill`, whose time is not counted.
    every: u64,
    refill: fn(&mut S),
}

pub fn on<S>(make: impl Fn() -> S + Sync + 'static) -> Setup<S> {
    Setup { make: Box::new(make), arg: 0, every: u64::MAX, refill: |_| {} }
}

impl<S> Setup<S> {
    pub fn arg(self, arg: usize) -> Self {
        Self { arg, ..self }
    }

    pub fn refill(self, every: u64, refill: fn(&mut S)) -> Self {
        Self { every, refill, ..self }
    }
}

/// Runs so many operations at one of the placements.
pub type Runner = Box<dyn FnMut(usize, u64) -> Duration>;

/// A row's loop, when it is known how many threads are to run it.
pub type Start = Box<dyn FnOnce(usize) -> Runner>;

/// `work!(setup => operation)`: the loop of a row. The operation is written into
/// the program once for each placement, for what exists once is inlined, however
/// long it is, and what exists four times may not be; a JVM inlines Netty's.
macro_rules! work {
    ($setup:expr => |$state:pat_param, $arg:pat_param| $body:expr) => {
        $crate::measure::start(
            $setup,
            |$state, $arg| $body,
            |$state, $arg| $body,
            |$state, $arg| $body,
            |$state, $arg| $body,
        )
    };
    ($setup:expr => $body:path) => {
        $crate::measure::work!($setup => |state, arg| $body(state, arg))
    };
}

pub(crate) use work;

/// The same operation four times, for [`work!`].
pub fn start<S: 'static>(
    setup: Setup<S>,
    first: impl Fn(&mut S, usize) -> u64 + Sync + 'static,
    second: impl Fn(&mut S, usize) -> u64 + Sync + 'static,
    third: impl Fn(&mut S, usize) -> u64 + Sync + 'static,
    fourth: impl Fn(&mut S, usize) -> u64 + Sync + 'static,
) -> Start {
    let batch = move |placement: usize, state: &mut S, arg: usize, n: u64| match placement {
        0 => batch::<0, S>(state, arg, n, &first),
        1 => batch::<16, S>(state, arg, n, &second),
        2 => batch::<32, S>(state, arg, n, &third),
        _ => batch::<48, S>(state, arg, n, &fourth),
    };
    Box::new(move |threads| {
        let mut state = None;
        Box::new(move |round, n| {
            let placement = round % PLACEMENTS;
            let run = |state: &mut S, n| {
                timed(state, &setup, n, |state, n| batch(placement, state, setup.arg, n))
            };
            if threads == 1 {
                run(state.get_or_insert_with(|| (setup.make)()), n)
            } else {
                at_once(threads, &setup, n, run)
            }
        })
    })
}

/// On several threads at once: the mean of their times. Each makes its own
/// state and warms up what it has of its own, such as a cache.
fn at_once<S>(
    threads: usize,
    setup: &Setup<S>,
    n: u64,
    run: impl Fn(&mut S, u64) -> Duration + Sync,
) -> Duration {
    let start = Barrier::new(threads);
    let one = || {
        let mut state = (setup.make)();
        run(&mut state, n / 8 + 1);
        start.wait();
        run(&mut state, n)
    };
    let sum = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(one)).collect();
        let this = one();
        others.into_iter().fold(this, |sum, other| sum + other.join().expect("no panic"))
    });
    sum / u32::try_from(threads).expect("a few threads")
}

/// `n` operations, the state being renewed when it is used up.
fn timed<S>(
    state: &mut S,
    setup: &Setup<S>,
    n: u64,
    batch: impl Fn(&mut S, u64) -> Duration,
) -> Duration {
    let mut time = Duration::ZERO;
    let mut left = n;
    while left > 0 {
        (setup.refill)(state);
        let now = left.min(setup.every);
        time += batch(state, now);
        left -= now;
    }
    time
}

#[inline(never)]
fn batch<const BEHIND: usize, S>(
    state: &mut S,
    arg: usize,
    n: u64,
    body: &impl Fn(&mut S, usize) -> u64,
) -> Duration {
    let mut sum = 0_u64;
    let start = Instant::now();
    place::<BEHIND>();
    for _ in 0..n {
        sum = sum.wrapping_add(body(opaque_mut(state), opaque(arg)));
    }
    let time = start.elapsed();
    black_box(sum);
    time
}

/// Puts what follows `BEHIND` bytes behind a line of the instruction cache. Run
/// through once a batch. It also keeps the compiler from making one function of
/// the four.
#[inline(always)]
fn place<const BEHIND: usize>() {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    // SAFETY: padding between instructions, of instructions that do nothing.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        asm!(".p2align 6", ".skip {behind}, 0x90", behind = const BEHIND, options(nomem, nostack, preserves_flags));
        #[cfg(target_arch = "aarch64")]
        asm!(".p2align 6", ".rept {behind} / 4", "nop", ".endr", behind = const BEHIND, options(nomem, nostack, preserves_flags));
    }
}

/// The same, and all memory, for all that the compiler knows.
#[inline(always)]
fn opaque_mut<S>(state: &mut S) -> &mut S {
    let mut pointer: *mut S = state;
    // SAFETY: no instructions.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    unsafe {
        asm!("/* {0} */", inout(reg) pointer, options(nostack, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        pointer = black_box(pointer);
    }
    // SAFETY: it is the pointer that came in.
    unsafe { &mut *pointer }
}

/// The same number, for all that the compiler knows another.
#[inline(always)]
pub fn opaque(n: usize) -> usize {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    {
        let mut n = n;
        // SAFETY: no instructions.
        unsafe {
            asm!("/* {0} */", inout(reg) n, options(nomem, nostack, preserves_flags));
        }
        n
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    black_box(n)
}
