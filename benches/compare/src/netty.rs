//! Netty's side: its jars from Debian's package, the harness in `java/`
//! compiled, and one JVM for each case.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::row::JvmCase;

/// Of the package, what the harness needs.
const JARS: [&str; 8] =
    ["buffer", "common", "codec", "codec-http", "codec-http2", "handler", "resolver", "transport"];

/// Where Debian puts them.
const INSTALLED: &str = "usr/share/java";

/// For both flags of a case the same JVM.
const FLAGS: &[&str] = &[
    // All of the heap from the start, and the collector whose barriers cost the
    // program least.
    "-Xms512m",
    "-Xmx512m",
    "-XX:+UseParallelGC",
    "-XX:+AlwaysPreTouch",
    // What Netty wants of a Java 17 to work without a cleaner for each direct
    // buffer, that is, at its fastest.
    "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dio.netty.noUnsafe=false",
    "-Dio.netty.leakDetection.level=disabled",
];

/// How long a JVM runs.
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    pub warm_up: Duration,
    pub measured: Duration,
    pub sample: Duration,
}

/// Netty, ready to be measured.
pub struct Netty {
    class_path: String,
    /// Of Java, and of Netty as it says itself.
    pub java: String,
    pub version: String,
}

impl Netty {
    /// Finds or fetches what is needed, and compiles the harness. The error
    /// says what is missing and how to get it.
    pub fn prepare(directory: &Path) -> Result<Self, String> {
        let java = version_of("java")
            .ok_or("there is no `java`: apt-get install openjdk-17-jdk-headless")?;
        version_of("javac")
            .ok_or("there is no `javac`: apt-get install openjdk-17-jdk-headless")?;
        let jars = jars(directory)?;
        let classes = directory.join("classes");
        std::fs::create_dir_all(&classes).map_err(|error| error.to_string())?;
        let join = |paths: Vec<&Path>| {
            std::env::join_paths(paths)
                .ok()
                .and_then(|paths| paths.into_string().ok())
                .ok_or("a path that Java cannot be given")
        };
        let class_path = join(jars.iter().map(PathBuf::as_path).collect())?;
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("java");
        output(
            Command::new("javac")
                .args(["-nowarn", "-d"])
                .arg(&classes)
                .args(["-cp", &class_path])
                .arg(sources.join("Compare.java"))
                .arg(sources.join("io/netty/handler/codec/http2/HpackBlock.java")),
        )?;
        let mut all = vec![classes.as_path()];
        all.extend(jars.iter().map(PathBuf::as_path));
        let mut netty = Self { class_path: join(all)?, java, version: String::new() };
        netty.version = netty.identify()?;
        Ok(netty)
    }

    /// The shortest of runs: does it work, and which is it?
    fn identify(&self) -> Result<String, String> {
        let case =
            JvmCase { operation: "empty", kind: "loop".into(), size: 0, threads: 1, checks: true };
        let short = Duration::from_millis(1);
        let timing = Timing { warm_up: short, measured: short, sample: short };
        let out = output(&mut self.command(&case, timing))?;
        let info = |name: &str| {
            let line = out.lines().find_map(|line| line.strip_prefix("info ")?.strip_prefix(name));
            line.map_or("unknown", str::trim)
        };
        Ok(format!(
            "{} (Unsafe: {}, direct buffers without cleaner: {})",
            info("netty "),
            info("unsafe "),
            info("direct-without-cleaner "),
        ))
    }

    fn command(&self, case: &JvmCase, timing: Timing) -> Command {
        let mut command = Command::new("java");
        command
            .args(FLAGS)
            .arg(format!("-Dio.netty.buffer.checkAccessible={}", case.checks))
            .arg(format!("-Dio.netty.buffer.checkBounds={}", case.checks))
            .args(["-cp", &self.class_path, "Compare", case.operation, &case.kind])
            .arg(case.size.to_string())
            .arg(case.threads.to_string())
            .arg(timing.warm_up.as_secs_f64().to_string())
            .arg(timing.measured.as_secs_f64().to_string())
            .arg((timing.sample.as_secs_f64() * 1e3).to_string());
        command
    }

    /// Nanoseconds an operation, one number a sample.
    pub fn measure(&self, case: &JvmCase, timing: Timing) -> Result<Vec<f64>, String> {
        let out = output(&mut self.command(case, timing))?;
        let samples: Vec<f64> =
            out.lines().filter_map(|line| line.strip_prefix("sample ")?.parse().ok()).collect();
        if samples.is_empty() { Err(format!("no samples of {case:?}")) } else { Ok(samples) }
    }
}

fn version_of(program: &str) -> Option<String> {
    let out = Command::new(program).arg("-version").output().ok()?;
    // `java -version` says it on the other channel.
    let text = if out.stdout.is_empty() { out.stderr } else { out.stdout };
    let text = String::from_utf8_lossy(&text).into_owned();
    out.status.success().then(|| text.lines().collect::<Vec<_>>().join(", "))
}

/// Installed, or unpacked here before, or fetched now.
fn jars(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let unpacked = directory.join("libnetty-java");
    let find = |root: &Path| -> Option<Vec<PathBuf>> {
        let all = JARS.map(|name| root.join(INSTALLED).join(format!("netty-{name}.jar")));
        all.iter().all(|jar| jar.exists()).then(|| all.into())
    };
    if let Some(jars) = find(Path::new("/")).or_else(|| find(&unpacked)) {
        return Ok(jars);
    }
    eprintln!("fetching libnetty-java");
    fetch(directory, &unpacked)
        .map_err(|error| format!("no libnetty-java ({error}): apt-get install libnetty-java"))?;
    find(&unpacked).ok_or_else(|| "libnetty-java without the jars that are needed".into())
}

/// Debian's package, unpacked and not installed: that needs no rights.
fn fetch(directory: &Path, unpacked: &Path) -> Result<(), String> {
    output(Command::new("apt-get").args(["download", "libnetty-java"]).current_dir(directory))?;
    let entries = directory.read_dir().map_err(|error| error.to_string())?;
    let package = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            name.starts_with("libnetty-java") && path.extension().is_some_and(|ext| ext == "deb")
        })
        .ok_or("apt-get brought no package")?;
    output(Command::new("dpkg-deb").arg("-x").arg(package).arg(unpacked)).map(drop)
}

/// Standard output; an error with what was said on the other channel.
fn output(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let out: io::Result<_> = command.stdin(Stdio::null()).output();
    let out = out.map_err(|error| format!("{name}: {error}"))?;
    if !out.status.success() {
        return Err(format!("{name}: {}", String::from_utf8_lossy(&out.stderr).trim()));
    }
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}
