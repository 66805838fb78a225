//! The same on tokio's sockets.

use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use refbuf_codec::tls::{AsyncTlsStream, TlsError};
use tokio::io::{
    AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, ReadBuf, duplex,
};

use crate::configs;
use crate::support::Random;

fn pair(capacity: usize) -> (AsyncTlsStream<DuplexStream>, AsyncTlsStream<DuplexStream>) {
    let (client_config, server_config) = configs::pair();
    let (there, back) = duplex(capacity);
    let client = AsyncTlsStream::client(there, client_config, configs::name()).unwrap();
    (client, AsyncTlsStream::server(back, server_config).unwrap())
}

/// Sends all of it and closes.
async fn send(stream: &mut (impl AsyncWriteExt + Unpin), bytes: &[u8]) {
    let mut random = Random(9);
    let mut rest = bytes;
    while !rest.is_empty() {
        let (piece, later) = rest.split_at(random.size().min(rest.len()));
        stream.write_all(piece).await.unwrap();
        rest = later;
    }
    stream.shutdown().await.unwrap();
}

#[tokio::test]
async fn both_directions_at_once_in_two_tasks_each() {
    for capacity in [4000, 100_000] {
        let (mut client, mut server) = pair(capacity);
        tokio::try_join!(client.handshake(), server.handshake()).unwrap();
        let bytes = Random(10).bytes(300_000);
        let mut tasks = Vec::new();
        for mut stream in [client, server] {
            stream.session_mut().set_wrap_data_size(5000);
            let (mut reads, mut writes) = tokio::io::split(stream);
            let bytes = bytes.clone();
            let sent = bytes.clone();
            tasks.push(tokio::spawn(async move { send(&mut writes, &sent).await }));
            tasks.push(tokio::spawn(async move {
                let mut received = Vec::new();
                reads.read_to_end(&mut received).await.unwrap();
                assert!(received == bytes);
            }));
        }
        for task in tasks {
            task.await.unwrap();
        }
    }
}

#[tokio::test]
async fn slices_are_echoed() {
    let (mut client, mut server) = pair(3000);
    let bytes = Random(11).bytes(200_000);
    let echo = tokio::spawn(async move {
        while let Some(slice) = server.read_slice().await.unwrap() {
            server.send(slice).unwrap();
            server.flush().await.unwrap();
        }
        server.shutdown().await.unwrap();
    });
    let mut received = vec![0; 1000];
    for piece in bytes.chunks(1000) {
        client.write_all(piece).await.unwrap();
        client.flush().await.unwrap();
        client.read_exact(&mut received).await.unwrap();
        assert_eq!(received, piece);
    }
    client.shutdown().await.unwrap();
    assert!(client.read_slice().await.unwrap().is_none());
    echo.await.unwrap();
}

#[tokio::test]
async fn truncation_and_garbage_are_told_apart_from_the_end() {
    let (mut client, mut server) = pair(100_000);
    tokio::try_join!(client.handshake(), server.handshake()).unwrap();
    client.send("all there is").unwrap();
    client.flush().await.unwrap();
    drop(client.into_parts().0); // without close_notify
    assert_eq!(server.read_slice().await.unwrap().unwrap(), "all there is");
    let error = server.read_slice().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnexpectedEof);

    let (mut there, back) = duplex(1000);
    let mut server = AsyncTlsStream::server(back, configs::pair().1).unwrap();
    there.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    let error = server.read_slice().await.unwrap_err();
    assert!(matches!(TlsError::of(&error), Some(TlsError::Protocol(_))));
    let mut alert = [0; 7];
    there.read_exact(&mut alert).await.unwrap();
    assert_eq!(alert, [21, 3, 3, 0, 2, 2, 50]);
}

/// A read that is given up has lost nothing.
#[tokio::test]
async fn reading_can_be_cancelled() {
    let (mut client, mut server) = pair(10);
    let bytes = Random(12).bytes(3000);
    let sending = {
        let bytes = bytes.clone();
        tokio::spawn(async move {
            send(&mut client, &bytes).await;
            client
        })
    };
    let mut received = Vec::<u8>::new();
    loop {
        tokio::select! {
            biased;
            slice = server.read_slice() => match slice.unwrap() {
                Some(slice) => received.extend(slice.as_slice()),
                None => break,
            },
            () = tokio::task::yield_now() => {}
        }
    }
    assert!(received == bytes);
    drop(sending.await.unwrap());
}

/// Takes nothing for now, and will never say anything.
struct Reset;

impl AsyncRead for Reset {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        _: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Poll::Ready(Err(ErrorKind::ConnectionReset.into()))
    }
}

impl AsyncWrite for Reset {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, _: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Pending
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Pending
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Pending
    }
}

#[tokio::test]
async fn a_read_that_fails_while_a_write_is_pending_is_an_error() {
    let mut client = AsyncTlsStream::client(Reset, configs::pair().0, configs::name()).unwrap();
    let reading = tokio::time::timeout(Duration::from_secs(10), client.read_slice());
    let error = reading.await.expect("it waits for nobody").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
}
