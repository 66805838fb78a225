//! What the report says of the compiler and of the state of the repository.

use std::process::Command;

fn main() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let commit = output("git", &["describe", "--always", "--dirty", "--abbrev=12"]);
    println!("cargo::rustc-env=COMPARE_RUSTC={}", output(&rustc, &["--version"]));
    println!("cargo::rustc-env=COMPARE_REFBUF=commit {commit}");
    println!("cargo::rerun-if-changed=../../src");
    println!("cargo::rerun-if-changed=Cargo.lock");
}

fn output(program: &str, args: &[&str]) -> String {
    let out = Command::new(program).args(args).output().ok().filter(|out| out.status.success());
    out.map_or("unknown".into(), |out| String::from_utf8_lossy(&out.stdout).trim().into())
}
