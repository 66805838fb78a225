//! A `rustls` connection of either role, one step at a time.

use std::ops::Deref;
use std::sync::Arc;

use refbuf::BufAllocator;
use rustls::client::UnbufferedClientConnection;
use rustls::pki_types::ServerName;
use rustls::server::UnbufferedServerConnection;
use rustls::unbuffered::{ConnectionState, EncodeError, EncodeTlsData, UnbufferedStatus};
use rustls::{ClientConfig, CommonState, ServerConfig};

use super::TlsError;
use super::inbound::{Inbound, Plaintext};
use super::outbound::Outbound;

/// The two have the same methods, and no trait in common.
pub(super) enum Connection {
    Client(UnbufferedClientConnection),
    Server(UnbufferedServerConnection),
}

/// Whether there may be more to do.
pub(super) enum Step {
    Again,
    Done,
}

/// What went wrong in a step.
pub(super) struct Fault {
    pub(super) error: TlsError,
    /// Not if nothing has changed and the step can be repeated.
    pub(super) fatal: bool,
}

impl From<TlsError> for Fault {
    fn from(error: TlsError) -> Self {
        let fatal = !matches!(error, TlsError::Buffer(_));
        Self { error, fatal }
    }
}

impl From<rustls::Error> for Fault {
    fn from(error: rustls::Error) -> Self {
        TlsError::from(error).into()
    }
}

impl From<refbuf::Error> for Fault {
    fn from(error: refbuf::Error) -> Self {
        TlsError::from(error).into()
    }
}

impl Connection {
    pub(super) fn client(
        config: Arc<ClientConfig>,
        name: ServerName<'static>,
    ) -> Result<Self, TlsError> {
        Ok(Self::Client(UnbufferedClientConnection::new(config, name)?))
    }

    pub(super) fn server(config: Arc<ServerConfig>) -> Result<Self, TlsError> {
        if config.max_early_data_size != 0 {
            return Err(TlsError::EarlyData);
        }
        Ok(Self::Server(UnbufferedServerConnection::new(config)?))
    }

    /// Brings the connection to its next state and does what that asks for.
    /// With `wrap` it encrypts what is to be sent, if that is possible now.
    ///
    /// The record layer remembers positions in what was received, also when it
    /// is asked to send: it has to be shown all of it each time.
    pub(super) fn step<T>(
        &mut self,
        inbound: &mut Inbound,
        outbound: &mut Outbound<T>,
        allocator: &dyn BufAllocator,
        wrap: bool,
    ) -> Result<Step, Fault> {
        let (received, plaintext) = inbound.parts();
        let incoming = received.filled_mut()?;
        let expected = incoming.len();
        let mut work = Work { plaintext, outbound, allocator, expected, wrap };
        let (consumed, step) = match self {
            Self::Client(connection) => work.take(connection.process_tls_records(incoming)),
            Self::Server(connection) => work.take(connection.process_tls_records(incoming)),
        };
        received.consume(consumed);
        step
    }
}

impl Deref for Connection {
    type Target = CommonState;

    fn deref(&self) -> &CommonState {
        match self {
            Self::Client(connection) => connection,
            Self::Server(connection) => connection,
        }
    }
}

/// Where a state's work goes.
struct Work<'a, T> {
    plaintext: &'a mut Plaintext,
    outbound: &'a mut Outbound<T>,
    allocator: &'a dyn BufAllocator,
    /// No more plaintext than this can come out of what was received.
    expected: usize,
    wrap: bool,
}

impl<T> Work<'_, T> {
    /// Bytes consumed of what was received, also if the work failed, and the
    /// step that this was.
    fn take<D>(&mut self, status: UnbufferedStatus<'_, '_, D>) -> (usize, Result<Step, Fault>) {
        let UnbufferedStatus { mut discard, state } = status;
        let step = match state {
            Ok(state) => self.handle(state, &mut discard),
            Err(error) => Err(error.into()),
        };
        (discard, step)
    }

    fn handle<D>(
        &mut self,
        state: ConnectionState<'_, '_, D>,
        discard: &mut usize,
    ) -> Result<Step, Fault> {
        match state {
            ConnectionState::ReadTraffic(mut traffic) => {
                // Room first: a record that is not taken stays for the next call.
                while let Some(len) = traffic.peek_len() {
                    self.plaintext.try_make_room(self.allocator, len.get(), self.expected)?;
                    let Some(record) = traffic.next_record().transpose()? else { break };
                    self.plaintext.append(record.payload)?;
                    *discard += record.discard;
                }
                Ok(Step::Again)
            }
            ConnectionState::EncodeTlsData(mut message) => {
                self.encode(&mut message)?;
                Ok(Step::Again)
            }
            ConnectionState::TransmitTlsData(message) => {
                // It is in order with all else that is going to be sent.
                message.done();
                Ok(Step::Again)
            }
            ConnectionState::WriteTraffic(mut traffic) => {
                if self.wrap {
                    self.outbound.wrap(&mut traffic, self.allocator)?;
                }
                Ok(Step::Done)
            }
            ConnectionState::PeerClosed => {
                self.plaintext.peer_closed = true;
                Ok(Step::Again)
            }
            ConnectionState::BlockedHandshake | ConnectionState::Closed => Ok(Step::Done),
            // The constructor does not let this happen, and there are no others yet.
            ConnectionState::ReadEarlyData(_) => Err(TlsError::EarlyData.into()),
            state => Err(rustls::Error::General(format!("unknown state {state:?}")).into()),
        }
    }

    /// The message is gone if it cannot be taken.
    fn encode<D>(&mut self, message: &mut EncodeTlsData<'_, D>) -> Result<(), Fault> {
        let ciphertext = &mut self.outbound.ciphertext;
        let mut size = 0;
        loop {
            let room = ciphertext
                .try_room(self.allocator, size)
                .map_err(|error| Fault { error: error.into(), fatal: true })?;
            match message.encode(room) {
                Ok(n) => {
                    ciphertext.fill(n);
                    return Ok(());
                }
                Err(EncodeError::InsufficientSize(short)) => size = short.required_size,
                Err(error) => return Err(rustls::Error::General(error.to_string()).into()),
            }
        }
    }
}
