//! Over tokio.

use std::io::{self, ErrorKind, IoSlice, Write as _};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use refbuf::{ByteBuf, SliceBuf};
use refbuf_codec::frame::{Delimiter, FrameError, LengthField, Varint};
use refbuf_codec::framed::{Error, Options, tokio::Framed};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

use crate::hostile::{Event, attack, codec, frame, peers};
use crate::script::Script;

/// Runs to the end, or fails if that takes too long.
fn run<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(Duration::from_secs(20), work).await }).unwrap()
}

async fn pair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
    (client, listener.accept().await.unwrap().0)
}

/// A script as a stream of tokio: `WouldBlock` is pending.
struct Async(Script);

impl Async {
    fn poll<T>(cx: &mut Context<'_>, result: io::Result<T>) -> Poll<io::Result<T>> {
        match result {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            result => Poll::Ready(result),
        }
    }
}

impl AsyncRead for Async {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        dst: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let result = io::Read::read(&mut self.0, dst.initialize_unfilled());
        Self::poll(cx, result.map(|n| dst.advance(n)))
    }
}

impl AsyncWrite for Async {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        src: &[u8],
    ) -> Poll<io::Result<usize>> {
        Self::poll(cx, self.0.write(src))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        src: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Self::poll(cx, self.0.write_vectored(src))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.0.flush())
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Counts how often it is woken.
#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Relaxed);
    }
}

#[test]
fn no_peer_does_any_harm() {
    for peer in peers() {
        attack(peer, |listener| {
            run(async {
                listener.set_nonblocking(true).unwrap();
                let listener = TcpListener::from_std(listener).unwrap();
                let stream = listener.accept().await.unwrap().0;
                let mut framed = Framed::new(stream, codec());
                let events = framed.by_ref().map(Event::of).collect().await;
                assert!(framed.next().await.is_none());
                assert!(framed.into_parts().input.allocation_len() <= 128 << 10);
                events
            })
        });
    }
}

#[test]
fn pending_loses_nothing() {
    let bytes = [frame(b"one"), frame(b""), frame(b"three")].concat();
    let script = Script::stuttering(&bytes, ErrorKind::WouldBlock);
    let mut framed = Framed::new(Async(script), codec());
    let mut frames = Vec::new();
    let mut pending = 0;
    let mut cx = Context::from_waker(Waker::noop());
    loop {
        match framed.poll_next_unpin(&mut cx) {
            Poll::Pending => pending += 1,
            Poll::Ready(None) => break,
            Poll::Ready(Some(frame)) => frames.push(frame.unwrap().to_vec()),
        }
    }
    assert_eq!(pending, bytes.len());
    assert_eq!(frames, [&b"one"[..], b"", b"three"]);
}

/// A frame that comes a byte at a time, from a stream that always has one more.
#[test]
fn one_poll_reads_so_often_and_no_more() {
    let frame = frame(&[7; 500]);
    let script = Script::stuttering(&frame, ErrorKind::Interrupted);
    let woken = Arc::new(Woken::default());
    let waker = Waker::from(Arc::clone(&woken));
    let mut framed = Framed::new(Async(script), codec());
    let mut polls = 0;
    let got = loop {
        let reads = framed.get_ref().0.reads;
        match framed.poll_next_unpin(&mut Context::from_waker(&waker)) {
            Poll::Ready(got) => break got,
            Poll::Pending => polls += 1,
        }
        assert!(framed.get_ref().0.reads - reads <= 32);
        assert_eq!(woken.0.load(Relaxed), polls, "it asked to be polled again");
    };
    assert_eq!(got.unwrap().unwrap(), [7; 500]);
    assert!(polls >= 2 * 502 / 32 - 1);
}

#[test]
fn one_poll_writes_so_often_and_no_more() {
    let script = Script { at_most: Some(1), ..Script::default() };
    let mut framed = Framed::new(Async(script), codec());
    framed.start_send_unpin(vec![7; 100]).unwrap();
    let woken = Arc::new(Woken::default());
    let waker = Waker::from(Arc::clone(&woken));
    let mut cx = Context::from_waker(&waker);
    for polls in 1..=3 {
        assert!(SinkExt::<Vec<u8>>::poll_flush_unpin(&mut framed, &mut cx).is_pending());
        assert_eq!((woken.0.load(Relaxed), framed.queued()), (polls, 102 - 32 * polls));
    }
    assert!(SinkExt::<Vec<u8>>::poll_flush_unpin(&mut framed, &mut cx).is_ready());
    assert_eq!(framed.get_ref().0.written, frame(&[7; 100]));
}

#[test]
fn it_is_not_ready_while_the_limit_is_queued() {
    let script = Script { room: Some(0), ..Script::default() };
    let options = Options::new().write_limit(1000);
    let mut framed = Framed::with_options(Async(script), codec(), &options);
    let mut cx = Context::from_waker(Waker::noop());
    let ready = |framed: &mut Framed<Async, _>| {
        let mut cx = Context::from_waker(Waker::noop());
        SinkExt::<Vec<u8>>::poll_ready_unpin(framed, &mut cx).map(Result::unwrap).is_ready()
    };
    let mut sent = Vec::new();
    while ready(&mut framed) {
        framed.start_send_unpin(vec![1; 98]).unwrap();
        sent.extend(frame(&[1; 98]));
    }
    assert_eq!((sent.len(), framed.queued()), (1000, 1000));
    // A little goes: that is enough to go on.
    framed.get_mut().0.room = Some(300);
    assert!(ready(&mut framed));
    assert_eq!(framed.queued(), 700);
    framed.get_mut().0.room = None;
    assert!(SinkExt::<Vec<u8>>::poll_flush_unpin(&mut framed, &mut cx).is_ready());
    assert_eq!(framed.get_ref().0.written, sent);
}

#[test]
fn errors_end_it_unless_they_are_of_one_frame() {
    run(async {
        let bytes = b"\x04long\x01a\xff\xff\xff\xff\xff\x01a";
        let mut framed = Framed::new(&bytes[..], Varint::new().max_frame_len(3).decoder());
        let too_long = framed.next().await.unwrap();
        assert!(matches!(too_long, Err(Error::Codec(FrameError::TooLong { len: 4, max: 3 }))));
        assert_eq!(framed.next().await.unwrap().unwrap(), b"a");
        let invalid = framed.next().await.unwrap();
        assert!(matches!(invalid, Err(Error::Codec(FrameError::InvalidVarint))));
        assert!(framed.next().await.is_none());
        assert!(framed.next().await.is_none());
    });
}

#[test]
fn the_last_line_comes_at_the_end() {
    run(async {
        let lines = Framed::new(&b"one\r\ntwo"[..], Delimiter::lines().decoder().unwrap());
        let lines: Vec<_> = lines.map(Result::unwrap).collect().await;
        assert_eq!(lines, [&b"one"[..], b"two"]);
    });
}

/// Closing one direction leaves the other open.
#[test]
fn a_closed_sink_still_gets_its_answers() {
    run(async {
        let (client, server) = pair().await;
        let server = tokio::spawn(async move {
            let mut framed = Framed::new(server, codec());
            let mut requests = Vec::new();
            while let Some(request) = framed.next().await {
                requests.push(request.unwrap());
            }
            // All of them, after the end.
            for request in requests {
                framed.feed(request).await.unwrap();
            }
            SinkExt::<SliceBuf>::close(&mut framed).await.unwrap();
        });
        let mut client = Framed::new(client, codec());
        client.feed("one").await.unwrap();
        client.feed("two").await.unwrap();
        SinkExt::<&'static str>::close(&mut client).await.unwrap();
        let answers: Vec<_> = client.map(Result::unwrap).collect().await;
        assert_eq!(answers, [b"one", b"two"]);
        server.await.unwrap();
    });
}

#[test]
fn a_peer_that_never_reads_costs_the_limit() {
    run(async {
        const LIMIT: usize = 64 << 10;
        let (client, server) = pair().await;
        let mut framed = Framed::new(server, codec());
        let payload = SliceBuf::from(vec![0; 900]);
        let stuck = async {
            loop {
                framed.feed(payload.clone()).await.unwrap();
            }
        };
        tokio::time::timeout(Duration::from_millis(200), stuck).await.unwrap_err();
        assert!((LIMIT..LIMIT + 902).contains(&framed.queued()), "{}", framed.queued());
        // It reads after all: the rest goes out.
        let reader = tokio::spawn(async move { Framed::new(client, codec()).count().await });
        SinkExt::<SliceBuf>::close(&mut framed).await.unwrap();
        assert!(reader.await.unwrap() > LIMIT / 902);
    });
}

#[test]
fn a_future_that_is_dropped_loses_nothing() {
    run(async {
        let (mut client, server) = pair().await;
        let mut framed = Framed::new(server, codec());
        for byte in frame(b"slow") {
            let next = tokio::time::timeout(Duration::from_millis(1), framed.next());
            assert!(next.await.is_err());
            client.write_all(&[byte]).await.unwrap();
        }
        assert_eq!(framed.next().await.unwrap().unwrap(), b"slow");
    });
}

/// Both directions of a socket, by two tasks.
#[test]
fn halves_go_their_own_ways() {
    run(async {
        let (client, server) = pair().await;
        tokio::spawn(async move {
            let (mut reader, mut writer) = server.into_split();
            tokio::io::copy(&mut reader, &mut writer).await.unwrap();
        });
        let (reader, writer) = client.into_split();
        let field = LengthField::new(4);
        let sender = tokio::spawn(async move {
            let mut framed = Framed::new(writer, field.encoder().unwrap());
            for i in 0..200u8 {
                framed.feed(vec![i; 10_000]).await.unwrap();
            }
            SinkExt::<Vec<u8>>::close(&mut framed).await.unwrap();
        });
        let mut received = Framed::new(reader, field.decoder().unwrap());
        for i in 0..200u8 {
            assert_eq!(received.next().await.unwrap().unwrap(), vec![i; 10_000]);
        }
        assert!(received.next().await.is_none());
        sender.await.unwrap();
    });
}
