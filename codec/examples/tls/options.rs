//! The command line.

pub const HELP: &str = "\
A server with rows of 5 MiB in memory sends them over TLS on the loopback, and
wraps 16 KiB to 10 MiB of plaintext at once. Prints requests per second, what
was allocated, and the system calls and CPU time of the server; beside it the
same server on rustls's own stream. Then the same for answers of 1000 buffers of
100 bytes.

usage: cargo run --release -p refbuf-codec --example tls -- [options]

  --rows N      rows to ask for (1000)
  --store MIB   memory that rows are slices of (as large as all rows, if that is
                not more than half of what is free, else as large as that); in
                a smaller one, rows overlap
  --rounds N    how often each server has its turn (31)
  --requests N  timed requests of a turn (100)
  --help        this text
";

pub struct Options {
    pub rows: usize,
    pub store: Option<usize>,
    pub rounds: usize,
    pub requests: usize,
}

impl Options {
    /// `None` if it is help that is wanted.
    pub fn parse(mut args: impl Iterator<Item = String>) -> Result<Option<Self>, String> {
        let mut options = Self { rows: 1000, store: None, rounds: 31, requests: 100 };
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--rows" => options.rows = positive(&arg, args.next())?,
                "--store" => options.store = Some(positive(&arg, args.next())?),
                "--rounds" => options.rounds = positive(&arg, args.next())?,
                "--requests" => options.requests = positive(&arg, args.next())?,
                "--help" | "-h" => return Ok(None),
                _ => return Err(format!("{arg}: no such option (try --help)")),
            }
        }
        Ok(Some(options))
    }
}

fn positive(option: &str, value: Option<String>) -> Result<usize, String> {
    let value = value.ok_or_else(|| format!("{option} wants a number"))?;
    match value.parse() {
        Ok(0) | Err(_) => Err(format!("{option}: {value} is not a number above 0")),
        Ok(number) => Ok(number),
    }
}
