//! What calls go over: TCP on the loopback interface, with and without TLS.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use refbuf_codec::tls::{TlsOptions, TlsStream};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore, ServerConfig};

use super::calls::{Allocator, Result};

/// A stream of bytes.
pub trait Stream: Read + Write + Send {}

impl<S: Read + Write + Send> Stream for S {}

/// Plain, or TLS with a certificate that is made for the occasion.
#[derive(Clone)]
pub enum Transport {
    Plain,
    Tls { client: Arc<ClientConfig>, server: Arc<ServerConfig> },
}

impl Transport {
    pub fn tls() -> Result<Self> {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
        let certificate = made.cert.der().clone();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
        let mut roots = RootCertStore::empty();
        roots.add(certificate.clone())?;
        let server = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)?;
        let client = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        Ok(Self::Tls { client: Arc::new(client), server: Arc::new(server) })
    }

    pub fn name(&self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Tls { .. } => "tls",
        }
    }

    /// The client's end.
    pub fn connect(&self, tcp: TcpStream, allocator: &Allocator) -> Result<Box<dyn Stream>> {
        tcp.set_nodelay(true)?;
        Ok(match self {
            Self::Plain => Box::new(tcp),
            Self::Tls { client, .. } => {
                let name = ServerName::try_from("localhost")?;
                let options = TlsOptions::new().allocator(Arc::clone(allocator));
                let session = options.client::<()>(Arc::clone(client), name)?;
                Box::new(TlsStream::new(tcp, session))
            }
        })
    }

    /// The server's end.
    pub fn accept(&self, tcp: TcpStream, allocator: &Allocator) -> Result<Box<dyn Stream>> {
        tcp.set_nodelay(true)?;
        Ok(match self {
            Self::Plain => Box::new(tcp),
            Self::Tls { server, .. } => {
                let options = TlsOptions::new().allocator(Arc::clone(allocator));
                let session = options.server::<()>(Arc::clone(server))?;
                Box::new(TlsStream::new(tcp, session))
            }
        })
    }
}
