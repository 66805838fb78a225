//! The exact proof beside the timings of `benches/`: what the hot accesses
//! compile to, counted in instructions, on x86-64.
//!
//! `assembly/probe.rs` has one function for each. It is compiled here against
//! the crate as its users get it, and each function's code is followed from its
//! entry to the `ret`, no branch taken: the compiler lays out what is cold at the
//! end. The test fails when an accessor stops inlining (then there is a call on
//! the way), when it sets up a stack frame, or when it tests more than its
//! bounds: accessibility, say, in a test of its own.
#![cfg(all(target_arch = "x86_64", target_os = "linux", not(loom)))]

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

/// The functions of the probe, each as its instructions.
struct Probe(BTreeMap<String, Vec<Instruction>>);

static PROBE: LazyLock<Probe> = LazyLock::new(Probe::compile);

#[derive(Debug)]
struct Instruction {
    /// Without prefix.
    name: String,
    operands: String,
    locked: bool,
    /// Of the instructions of the function, where a jump goes to; `None` if it
    /// leaves the function.
    target: Option<usize>,
}

impl Instruction {
    fn is_return(&self) -> bool {
        self.name.starts_with("ret")
    }

    fn is_call(&self) -> bool {
        self.name.starts_with("call")
    }

    fn is_jump(&self) -> bool {
        self.name.starts_with("jmp")
    }

    fn is_branch(&self) -> bool {
        self.name.starts_with('j') && !self.is_jump()
    }

    /// Whether it moves the stack pointer.
    fn is_frame(&self) -> bool {
        self.name.starts_with("push")
            || self.name.starts_with("pop")
            || self.operands.ends_with("%rsp")
    }
}

impl Probe {
    fn compile() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("assembly");
        // As the users of the crate get it: whatever this test is run with, no
        // sanitizer, no coverage, no link-time optimisation.
        run(Command::new(env::var("CARGO").unwrap_or("cargo".into()))
            .args(["build", "--release", "--lib", "--manifest-path"])
            .arg(root.join("Cargo.toml"))
            .arg("--target-dir")
            .arg(&out)
            .env_remove("RUSTFLAGS")
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .env_remove("CARGO_BUILD_TARGET")
            .env("CARGO_PROFILE_RELEASE_LTO", "off"));
        let release = out.join("release");
        let assembly = out.join("probe.s");
        run(Command::new(env::var("RUSTC").unwrap_or("rustc".into()))
            .args(["--edition", "2024", "-C", "opt-level=3", "-C", "codegen-units=1"])
            .args(["--emit", "asm", "--extern"])
            .arg(format!("refbuf={}", release.join("librefbuf.rlib").display()))
            .arg("-L")
            .arg(format!("dependency={}", release.join("deps").display()))
            .arg("-o")
            .arg(&assembly)
            .arg(root.join("tests/assembly/probe.rs")));
        let text = std::fs::read_to_string(&assembly).expect("rustc has written it");
        Self(functions(&text))
    }

    fn function(&self, name: &str) -> &[Instruction] {
        self.0.get(name).unwrap_or_else(|| panic!("the probe has no function {name}"))
    }

    /// The way through `name` that takes no branch: its instructions, up to the
    /// `ret` or to where it leaves the function.
    fn hot_path(&self, name: &str) -> Vec<&Instruction> {
        let code = self.function(name);
        let mut path = Vec::new();
        let mut at = Some(0);
        while let Some(instruction) = at.and_then(|at| code.get(at)) {
            path.push(instruction);
            at = match instruction {
                i if i.is_return() || path.len() > code.len() => None,
                i if i.is_jump() => i.target,
                _ => at.map(|at| at + 1),
            };
        }
        path
    }

    /// What is wrong with the hot path of `name`, which may have so many
    /// instructions and conditional branches.
    fn hot_fault(&self, name: &str, instructions: usize, branches: usize) -> Option<String> {
        let path = self.hot_path(name);
        let count = |is: fn(&Instruction) -> bool| path.iter().filter(|i| is(i)).count();
        let found = (path.len(), count(Instruction::is_branch));
        let fault = if count(Instruction::is_call) != 0 {
            "makes a call".into()
        } else if count(Instruction::is_return) != 1 {
            "does not return by itself".into()
        } else if count(Instruction::is_frame) != 0 {
            "sets up a stack frame".into()
        } else if count(|i| i.locked) != 0 {
            "has a locked instruction".into()
        } else if found.0 > instructions || found.1 > branches {
            let (more, branching) = found;
            format!(
                "has {more} instructions, {branching} of them branches; {instructions} and {branches} are allowed"
            )
        } else {
            return None;
        };
        Some(format!("{name} {fault}:\n{}", listing(&path)))
    }
}

fn listing(path: &[&Instruction]) -> String {
    path.iter().map(|i| format!("    {} {}\n", i.name, i.operands)).collect()
}

fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(
        output.status.success(),
        "{command:?} failed:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The functions in what the compiler has written (AT&T syntax).
fn functions(text: &str) -> BTreeMap<String, Vec<Instruction>> {
    let mut functions = BTreeMap::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let name =
            line.trim().strip_prefix(".type").and_then(|line| line.strip_suffix(",@function"));
        let Some(name) = name.map(str::trim) else { continue };
        let mut code: Vec<Instruction> = Vec::new();
        let mut labels = BTreeMap::new();
        for line in lines.by_ref().map(str::trim).take_while(|line| !line.starts_with(".size")) {
            if let Some(label) = line.strip_suffix(':') {
                labels.insert(label.to_string(), code.len());
            } else if !line.is_empty() && !line.starts_with(['.', '#']) {
                code.push(instruction(line));
            }
        }
        for instruction in &mut code {
            instruction.target = labels.get(&instruction.operands).copied();
        }
        functions.insert(name.to_string(), code);
    }
    functions
}

fn instruction(line: &str) -> Instruction {
    let line = line.replace('\t', " ");
    let (locked, rest) = match line.strip_prefix("lock ") {
        Some(rest) => (true, rest.trim()),
        None => (false, line.as_str()),
    };
    let (name, operands) = rest.split_once(' ').unwrap_or((rest, ""));
    // An exchange with memory is locked without saying so.
    let locked = locked || (name.starts_with("xchg") && operands.contains('('));
    Instruction { name: name.into(), operands: operands.trim().into(), locked, target: None }
}

/// Whether a way from the instruction `start` of `code` reaches one that is an
/// `end` and meets none before that is `barred`.
fn reaches(
    code: &[Instruction],
    start: usize,
    end: impl Fn(&Instruction) -> bool,
    barred: impl Fn(&Instruction) -> bool,
) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![start];
    while let Some(at) = open.pop() {
        let Some(instruction) = code.get(at).filter(|_| seen.insert(at)) else { continue };
        if end(instruction) {
            return true;
        }
        if !barred(instruction) && !instruction.is_return() {
            open.extend(instruction.target);
            open.extend((!instruction.is_jump()).then_some(at + 1));
        }
    }
    false
}

/// What the bounds cost is counted to the instruction. A compiler may find
/// something shorter, so these are limits.
#[test]
fn typed_accesses_are_one_bounds_check() {
    let faults: Vec<String> = [
        // By index: two comparisons, for it may not wrap. Where the window does
        // not begin at 0, but behind what is frozen or at a component, it is two
        // all the same: see `within`.
        ("heap_get_u64", 9, 2),
        ("heap_set_u64", 10, 2),
        ("direct_get_u64", 9, 2),
        ("direct_set_u64", 10, 2),
        ("slice_get_u64", 9, 2),
        ("composite_get_u64", 11, 2),
        ("composite_set_u64", 10, 2),
        // The exceptions, which look at the word: is there one, and is the
        // buffer alive; is the block one to write to, and is this alone.
        ("weak_get_u64", 15, 4),
        ("slice_set_u64", 18, 5),
        // One after the other: one comparison.
        ("heap_read_u8", 8, 1),
        ("heap_write_u8", 8, 1),
        ("direct_read_u8", 8, 1),
        ("direct_write_u8", 8, 1),
        ("slice_read_u8", 8, 1),
        ("weak_read_u8", 14, 3),
        ("composite_read_u8", 8, 1),
        ("composite_write_u8", 8, 1),
    ]
    .into_iter()
    .filter_map(|(name, instructions, branches)| PROBE.hot_fault(name, instructions, branches))
    .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Accesses that follow each other store the index once, all checks being there. See `src/hint.rs`.
#[test]
fn a_run_of_accesses_stores_the_index_once() {
    // Four bytes are written beside. A composite that has no more in its window
    // may come back from looking for it: the compiler leaves one more.
    for (name, most) in [
        ("heap_read_run", 1),
        ("composite_read_run", 2),
        ("heap_write_run", 1 + 4),
        ("composite_write_run", 1 + 4),
    ] {
        let path = PROBE.hot_path(name);
        let to_memory = |i: &&&Instruction| {
            i.name.starts_with("mov") && i.operands.ends_with(')') && !i.operands.contains("%rsp")
        };
        let stores = path.iter().filter(to_memory).count();
        let checks = path.iter().filter(|i| i.is_branch()).count();
        let all = listing(&path);
        assert!(path.iter().any(|i| i.is_return()), "{name} goes elsewhere:\n{all}");
        assert!(checks >= 4, "{name} leaves out checks:\n{all}");
        assert!((1..=most).contains(&stores), "{name} stores {stores} times:\n{all}");
    }
}

/// Dropping a handle that is the only one, and cutting a frame while there are
/// credits: no read-modify-write on the way.
#[test]
fn a_sole_handle_and_a_credit_cost_no_locked_instruction() {
    for name in ["slice_drop", "weak_drop", "heap_drop"] {
        let code = PROBE.function(name);
        let frees = |i: &Instruction| i.operands.contains("free");
        assert!(code.iter().any(frees), "{name} frees nothing");
        assert!(reaches(code, 0, frees, |i| i.locked || i.is_call()), "{name} frees behind a lock");
        // It is there for the other case, or this test sees nothing.
        assert!(code.iter().any(|i| i.locked), "{name} never counts down");
    }

    // The credits are a byte of the handle, the only byte that is stored.
    let code = PROBE.function("heap_cut_frame");
    let spends = |i: &Instruction| i.name == "movb" && i.operands.ends_with(')');
    let spent = code.iter().position(spends).expect("heap_cut_frame spends no credit");
    let costs = |i: &Instruction| i.locked || i.is_call();
    assert!(reaches(code, 0, spends, costs), "a lock before the credit");
    assert!(reaches(code, spent, Instruction::is_return, costs), "a lock behind the credit");
}
