//! The command line.

pub const HELP: &str = "\
Serves the same requests with unpooled and with pooled buffers, and prints what
each allocates, its speed and its resident memory. Plots the memory over time.
In the middle third, large messages are 20 times as often.

usage: cargo run --release --example pool_report -- [options]

  --requests N   requests in all (600000)
  --threads N    that receive, each with a worker that answers (2, at most 64)
  --direct       receive into direct buffers; answers are heap buffers still
  --measure      only the allocator that REFBUF_ALLOCATOR names, in this very
                 process: for profilers; prints figures for programs to read
  --help         this text
";

pub struct Options {
    pub requests: u64,
    pub threads: u64,
    pub direct: bool,
    pub measure: bool,
}

impl Options {
    /// `None` if it is help that is wanted.
    pub fn parse(mut args: impl Iterator<Item = String>) -> Result<Option<Self>, String> {
        let mut options = Self { requests: 600_000, threads: 2, direct: false, measure: false };
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--requests" => options.requests = positive(&arg, args.next())?,
                "--threads" => options.threads = positive(&arg, args.next())?,
                "--direct" => options.direct = true,
                "--measure" => options.measure = true,
                "--help" | "-h" => return Ok(None),
                _ => return Err(format!("{arg}: no such option (try --help)")),
            }
        }
        if options.threads > 64 {
            return Err("--threads: at most 64".to_owned());
        }
        Ok(Some(options))
    }

    /// What requests are received into.
    pub fn memory(&self) -> &'static str {
        if self.direct { "direct" } else { "heap" }
    }
}

fn positive(option: &str, value: Option<String>) -> Result<u64, String> {
    let value = value.ok_or_else(|| format!("{option} wants a number"))?;
    match value.parse() {
        Ok(0) | Err(_) => Err(format!("{option}: {value} is not a number above 0")),
        Ok(number) => Ok(number),
    }
}
