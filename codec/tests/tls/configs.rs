// A certificate for `localhost`, made once, and configurations of both sides
// that go with it. A module of the tests, and by its path of examples, benches
// and documentation.

use std::sync::{Arc, OnceLock};

use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore, ServerConfig, SupportedProtocolVersion};

static CERTIFIED: OnceLock<(CertificateDer<'static>, Vec<u8>)> = OnceLock::new();

fn certified() -> &'static (CertificateDer<'static>, Vec<u8>) {
    CERTIFIED.get_or_init(|| {
        let certified = rcgen::generate_simple_self_signed(vec!["localhost".into()]).unwrap();
        (certified.cert.der().clone(), certified.signing_key.serialize_der())
    })
}

/// Speaks one of `versions`, trusts the certificate.
pub fn client(versions: &[&'static SupportedProtocolVersion]) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    roots.add(certified().0.clone()).unwrap();
    ClientConfig::builder_with_protocol_versions(versions)
        .with_root_certificates(roots)
        .with_no_client_auth()
}

/// Speaks one of `versions`, has the certificate.
pub fn server(versions: &[&'static SupportedProtocolVersion]) -> ServerConfig {
    let (certificate, key) = certified();
    ServerConfig::builder_with_protocol_versions(versions)
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], PrivateKeyDer::Pkcs8(key.clone().into()))
        .unwrap()
}

/// Both, with what is usual.
#[allow(dead_code)]
pub fn pair() -> (Arc<ClientConfig>, Arc<ServerConfig>) {
    (Arc::new(client(rustls::ALL_VERSIONS)), Arc::new(server(rustls::ALL_VERSIONS)))
}

/// Whom the client wants to talk to.
pub fn name() -> ServerName<'static> {
    ServerName::try_from("localhost").unwrap()
}
