//! Clients that call at the same time, each with a connection and a thread of
//! its own, and their server.

use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::calls::{Allocator, Call, Client, Result, serve};
use super::transport::Transport;

/// How long a call may hang before the run fails instead of waiting on.
const TIMEOUT: Duration = Duration::from_secs(30);

pub struct Fleet {
    clients: Vec<Sender<usize>>,
    done: Receiver<Result<()>>,
    threads: Vec<JoinHandle<Result<()>>>,
    /// Handles of the clients' connections, to end them by.
    connections: Vec<TcpStream>,
}

impl Fleet {
    /// Connects `size` clients that make these calls, over and over.
    pub fn start(
        size: usize,
        transport: &Transport,
        allocator: &Allocator,
        calls: &'static [Call],
    ) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let (report, done) = channel();
        let mut fleet =
            Self { clients: Vec::new(), done, threads: Vec::new(), connections: Vec::new() };
        for _ in 0..size {
            let near = TcpStream::connect(listener.local_addr()?)?;
            let (far, _) = listener.accept()?;
            near.set_read_timeout(Some(TIMEOUT))?;
            fleet.connections.push(near.try_clone()?);

            let stream = transport.accept(far, allocator)?;
            let server_allocator = Arc::clone(allocator);
            fleet.threads.push(thread::spawn(move || serve(stream, &server_allocator)));

            let (start, orders) = channel();
            fleet.clients.push(start);
            let mut client =
                Client::new(transport.connect(near, allocator)?, Arc::clone(allocator));
            let report = report.clone();
            fleet.threads.push(thread::spawn(move || {
                let mut calls = calls.iter().cycle();
                for count in orders {
                    let result = calls.by_ref().take(count).try_for_each(|&call| client.call(call));
                    report.send(result)?;
                }
                Ok(())
            }));
        }
        Ok(fleet)
    }

    /// Lets each client call so many times; how long that took.
    pub fn run(&self, calls: usize) -> Result<Duration> {
        let start = Instant::now();
        for client in &self.clients {
            client.send(calls)?;
        }
        for _ in &self.clients {
            self.done.recv()??;
        }
        Ok(start.elapsed())
    }

    /// Ends the connections, and waits for everybody.
    pub fn stop(mut self) {
        self.clients.clear();
        for connection in &self.connections {
            // Fails if it is gone already.
            let _ = connection.shutdown(Shutdown::Both);
        }
        for thread in self.threads.drain(..) {
            // A server may complain that a connection ended without a farewell
            // of TLS; a panic is another matter.
            let _ = thread.join().expect("nobody panics");
        }
    }
}
