//! What the report says of the compiler.

use std::process::Command;

fn main() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    println!("cargo::rustc-env=COMPARE_RUSTC={}", output(&rustc, &["--version"]));
    println!("cargo::rerun-if-changed=build.rs");
}

fn output(program: &str, args: &[&str]) -> String {
    let out = Command::new(program).args(args).output().ok().filter(|out| out.status.success());
    out.map_or("unknown".into(), |out| String::from_utf8_lossy(&out.stdout).trim().into())
}
