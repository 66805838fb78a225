//! The command line.

pub const HELP: &str = "\
A length-prefixed message protocol over TCP, on the loopback: the server cuts
each message out of its receive buffer without a copy and sends the very bytes
back; the client checks every one of them.

usage: cargo run --release --example tour -- [options]

  --messages N      messages on each connection (500000)
  --min BYTES       shortest payload (1)
  --max BYTES       longest payload, and the limit of both ends (4096)
  --connections N   at the same time (1, at most 64)
  --buffer BYTES    receive buffers begin with this (65536)
  --direct          receive into DirectBuf rather than HeapBuf
  --help            this text
";

pub struct Options {
    pub messages: u64,
    pub min: usize,
    pub max: usize,
    pub connections: usize,
    pub buffer: usize,
    pub direct: bool,
}

impl Options {
    /// `None` if it is help that is wanted.
    pub fn parse(mut args: impl Iterator<Item = String>) -> Result<Option<Self>, String> {
        let mut options = Self {
            messages: 500_000,
            min: 1,
            max: 4096,
            connections: 1,
            buffer: 65536,
            direct: false,
        };
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--messages" => options.messages = number(&arg, args.next())?,
                "--min" => options.min = number(&arg, args.next())?,
                "--max" => options.max = number(&arg, args.next())?,
                "--connections" => options.connections = number(&arg, args.next())?,
                "--buffer" => options.buffer = number(&arg, args.next())?,
                "--direct" => options.direct = true,
                "--help" | "-h" => return Ok(None),
                _ => return Err(format!("{arg}: no such option (try --help)")),
            }
        }
        if options.connections > 64 {
            return Err("--connections: at most 64".to_owned());
        }
        if options.max > 1 << 30 {
            return Err("--max: at most 1073741824".to_owned());
        }
        if options.min > options.max {
            return Err(format!("--min {} is more than --max {}", options.min, options.max));
        }
        Ok(Some(options))
    }
}

fn number<T: std::str::FromStr>(option: &str, value: Option<String>) -> Result<T, String> {
    let value = value.ok_or_else(|| format!("{option} wants a number"))?;
    value.parse().map_err(|_| format!("{option}: {value} is not a number, or out of range"))
}
