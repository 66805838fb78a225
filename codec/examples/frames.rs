//! A chat over TCP in which some speak lines and others frames with a length.
//!
//! ```text
//!    member ---- cut off the receive buffer ----> room ---- a handle each ----> all members
//!    lines                                                                       lines
//!    frames                                                                      frames
//! ```
//!
//! What one says is received once. What goes to the others is a handle of these
//! bytes, framed as each of them wants it: nobody copies a message, however
//! many hear it. The program lets a few members talk at once, and ends with a
//! table of what that took:
//!
//! ```text
//! cargo run --release --example frames -p refbuf-codec [messages of each member]
//! ```

use std::error::Error;
use std::io::Write;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Barrier, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use counting::Counting;
use refbuf::{ByteBuf, HeapBuf, SliceBuf};
use refbuf_codec::frame::{
    Delimiter, DelimiterDecoder, DelimiterEncoder, FrameError, LengthField, LengthFieldDecoder,
    LengthFieldEncoder,
};
use refbuf_codec::framed::{self, blocking::Framed};
use refbuf_codec::{Decoder, Encoder};

#[path = "../../examples/tour/counting.rs"]
#[allow(dead_code)] // The tour asks for more.
mod counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting::new();

/// Bytes of a message at the most.
const MAX: usize = 16 << 10;

/// Messages that wait for a member. One that falls behind by as many holds the
/// others up, until it reads on or [`PATIENCE`] ends.
const QUEUE: usize = 256;

/// How long a member may take to read something.
const PATIENCE: Duration = Duration::from_secs(5);

const LOCAL: &str = "127.0.0.1:0";

/// What every member hears first.
const WELCOME: &str = "welcome";

// ---- the server ------------------------------------------------------------

/// What has come and gone.
#[derive(Default)]
struct Figures {
    received: AtomicU64,
    refused: AtomicU64,
    delivered: AtomicU64,
    delivered_bytes: AtomicU64,
    withheld: AtomicU64,
}

#[derive(Default)]
struct Room {
    members: Mutex<Vec<(SocketAddr, SyncSender<SliceBuf>)>>,
    figures: Figures,
}

impl Room {
    /// Messages for a new member.
    fn join(&self, address: SocketAddr) -> Receiver<SliceBuf> {
        let (sender, messages) = sync_channel(QUEUE);
        self.members.lock().expect("no panic").push((address, sender));
        messages
    }

    /// Its messages end with those that wait.
    fn leave(&self, address: SocketAddr) {
        self.members.lock().expect("no panic").retain(|(other, _)| *other != address);
    }

    fn say(&self, message: &SliceBuf) {
        for (_, member) in &*self.members.lock().expect("no panic") {
            // One that cannot be written to is about to leave.
            let _ = member.send(message.clone());
        }
    }
}

/// Listens to a member until it has no more to say, and tells it what is said.
fn serve<D, E>(stream: &TcpStream, (decoder, encoder): (D, E), room: &Room)
where
    D: Decoder<HeapBuf, Item = SliceBuf, Error = FrameError>,
    E: Encoder<SliceBuf, Error = FrameError> + Send,
{
    let address = stream.peer_addr().expect("connected");
    let messages = room.join(address);
    thread::scope(|scope| {
        scope.spawn(|| {
            if let Err(error) = tell(stream, encoder, &messages, room) {
                eprintln!("{address} is lost: {error}");
                let _ = stream.shutdown(Shutdown::Both);
            }
            // Nobody waits for this member any more.
            drop(messages);
        });
        for message in Framed::new(stream, decoder) {
            match message {
                Ok(message) => {
                    room.figures.received.fetch_add(1, Relaxed);
                    room.say(&message);
                }
                // The last one, unless the decoder goes on behind it.
                Err(error) => {
                    room.figures.refused.fetch_add(1, Relaxed);
                    eprintln!("{address} is not understood: {error}");
                }
            }
        }
        room.leave(address);
    });
}

/// Sends what there is, and flushes when there is no more for now.
fn tell<E: Encoder<SliceBuf, Error = FrameError>>(
    stream: &TcpStream,
    encoder: E,
    messages: &Receiver<SliceBuf>,
    room: &Room,
) -> Result<(), framed::Error<FrameError>> {
    let mut framed = Framed::new(stream, encoder);
    framed.send(SliceBuf::from_static(WELCOME.as_bytes()))?;
    for message in messages {
        let mut next = Some(message);
        while let Some(message) = next {
            let len = message.readable_bytes() as u64;
            match framed.feed(message) {
                Ok(()) => {
                    room.figures.delivered.fetch_add(1, Relaxed);
                    room.figures.delivered_bytes.fetch_add(len, Relaxed);
                }
                // Two lines are not a line.
                Err(framed::Error::Codec(FrameError::ContainsDelimiter { .. })) => {
                    room.figures.withheld.fetch_add(1, Relaxed);
                }
                Err(error) => return Err(error),
            }
            next = messages.try_recv().ok();
        }
        framed.flush()?;
    }
    Ok(())
}

/// Serves as many connections as are given.
fn accept<D, E>(
    listener: &TcpListener,
    connections: usize,
    codec: impl Fn() -> (D, E) + Sync,
    room: &Room,
) -> std::io::Result<()>
where
    D: Decoder<HeapBuf, Item = SliceBuf, Error = FrameError>,
    E: Encoder<SliceBuf, Error = FrameError> + Send,
{
    thread::scope(|scope| {
        for _ in 0..connections {
            let (stream, _) = listener.accept()?;
            stream.set_nodelay(true)?;
            stream.set_write_timeout(Some(PATIENCE))?;
            let codec = &codec;
            scope.spawn(move || serve(&stream, codec(), room));
        }
        Ok(())
    })
}

// ---- the members -----------------------------------------------------------

fn lines() -> (DelimiterDecoder, DelimiterEncoder) {
    Delimiter::lines().max_frame_len(MAX).codec().expect("makes sense")
}

fn with_length() -> (LengthFieldDecoder, LengthFieldEncoder) {
    LengthField::new(4).max_frame_len(MAX).codec().expect("makes sense")
}

/// Says all of `messages`, and hears `expected`; returns the bytes heard.
fn talk<D, E>(
    address: SocketAddr,
    (decoder, encoder): (D, E),
    messages: &[SliceBuf],
    expected: usize,
    all_here: &Barrier,
) -> Result<u64, framed::Error<FrameError>>
where
    D: Decoder<HeapBuf, Item = SliceBuf, Error = FrameError>,
    E: Encoder<SliceBuf, Error = FrameError> + Send,
{
    let stream = TcpStream::connect(address)?;
    let mut heard = Framed::new(&stream, decoder);
    assert_eq!(heard.receive()?.expect("a welcome"), WELCOME);
    all_here.wait();
    thread::scope(|scope| {
        let said = scope.spawn(|| {
            let mut framed = Framed::new(&stream, encoder);
            messages.iter().try_for_each(|message| framed.feed(message.clone()))?;
            Ok(framed.flush()?)
        });
        let mut bytes = 0;
        for _ in 0..expected {
            let message = heard.receive()?.expect("more messages");
            bytes += message.readable_bytes() as u64;
        }
        // It goes: the server hears that, and ends the connection.
        stream.shutdown(Shutdown::Write)?;
        assert!(heard.receive()?.is_none());
        said.join().expect("no panic").map(|()| bytes)
    })
}

/// Says more in one line than is allowed, and is heard all the same after that.
fn shout(address: SocketAddr) -> Result<(), framed::Error<FrameError>> {
    let mut stream = TcpStream::connect(address)?;
    stream.write_all(&[b'A'; 20 * MAX])?;
    let mut framed = Framed::new(&stream, lines());
    framed.feed("!")?;
    framed.send("sorry")?;
    assert_eq!(framed.receive()?.expect("a welcome"), WELCOME);
    assert_eq!(framed.receive()?.expect("an answer"), "sorry");
    Ok(())
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    const LEN: usize = 4000;
    let each: usize = std::env::args().nth(1).map_or(Ok(10_000), |arg| arg.parse())?;

    let room = Room::default();
    let (for_lines, for_frames) = (TcpListener::bind(LOCAL)?, TcpListener::bind(LOCAL)?);
    let (lines_at, frames_at) = (for_lines.local_addr()?, for_frames.local_addr()?);

    // Two that speak lines, two that speak frames; one of these also says two
    // lines in one message, which cannot be told to the first two.
    let said = vec![SliceBuf::from(vec![b'x'; LEN]); each];
    let mut odd = said.clone();
    odd.push(SliceBuf::from_static(b"two\nlines"));
    let (all, all_here) = (4 * each, Barrier::new(4));

    let (allocations, allocated) = (ALLOCATOR.allocations(), ALLOCATOR.bytes());
    let started = Instant::now();
    let heard = thread::scope(|scope| {
        scope.spawn(|| accept(&for_lines, 3, lines, &room));
        scope.spawn(|| accept(&for_frames, 2, with_length, &room));
        let members = [
            scope.spawn(|| talk(lines_at, lines(), &said, all, &all_here)),
            scope.spawn(|| talk(lines_at, lines(), &said, all, &all_here)),
            scope.spawn(|| talk(frames_at, with_length(), &said, all + 1, &all_here)),
            scope.spawn(|| talk(frames_at, with_length(), &odd, all + 1, &all_here)),
        ];
        let heard = members
            .into_iter()
            .map(|member| member.join().expect("no panic"))
            .sum::<Result<u64, _>>();
        shout(lines_at).and(heard)
    })?;
    let seconds = started.elapsed().as_secs_f64();
    let (allocations, allocated) =
        (ALLOCATOR.allocations() - allocations, ALLOCATOR.bytes() - allocated);

    let Figures { received, refused, delivered, delivered_bytes, withheld } = room.figures;
    let (delivered, bytes) = (delivered.into_inner(), delivered_bytes.into_inner());
    assert_eq!(heard + b"sorry".len() as u64, bytes);
    let per_delivery = |n: u64| n as f64 / delivered as f64;
    println!("messages of {LEN} bytes, 4 members; server and members in one process");
    println!("{:>12}  messages received", received.into_inner());
    println!("{:>12}  refused: longer than {MAX} bytes", refused.into_inner());
    println!("{delivered:>12}  delivered");
    println!("{:>12}  withheld: two lines are not one", withheld.into_inner());
    println!("{:>12.0}  deliveries a second", delivered as f64 / seconds);
    println!("{:>12.1}  MiB a second", bytes as f64 / seconds / f64::from(1 << 20));
    println!("{:>12.4}  allocations a delivery", per_delivery(allocations));
    println!("{:>12.1}  bytes allocated a delivery", per_delivery(allocated));
    Ok(())
}
