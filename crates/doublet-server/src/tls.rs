//! Certificates: read from files, and read anew while the service runs.

use std::sync::{Arc, RwLock};

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::options::TlsFiles;

/// The certificate that connections are made with.
pub(crate) struct Tls {
    files: TlsFiles,
    acceptor: RwLock<TlsAcceptor>,
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Tls({:?})", self.files)
    }
}

impl Tls {
    /// Reads the files; gives what is wrong with them.
    pub(crate) fn open(files: &TlsFiles) -> Result<Self, String> {
        Ok(Self {
            acceptor: RwLock::new(acceptor(files)?),
            files: files.clone(),
        })
    }

    /// Reads the files anew. Bad ones change nothing.
    pub(crate) fn reload(&self) -> Result<(), String> {
        let read = acceptor(&self.files)?;
        *self
            .acceptor
            .write()
            .unwrap_or_else(|poisoned| poisoned.into_inner()) = read;
        Ok(())
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        let acceptor = self.acceptor.read();
        acceptor
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .clone()
    }
}

fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor, String> {
    let TlsFiles { certificate, key } = files;
    let unreadable = |what: &str, path: &std::path::Path, error: &dyn std::fmt::Display| {
        format!("cannot read {what} from `{}`: {error}", path.display())
    };
    let chain: Result<Vec<CertificateDer<'static>>, _> =
        CertificateDer::pem_file_iter(certificate).and_then(Iterator::collect);
    let chain = chain.map_err(|error| unreadable("a certificate", certificate, &error))?;
    if chain.is_empty() {
        return Err(unreadable(
            "a certificate",
            certificate,
            &"it holds none, as PEM",
        ));
    }
    let private =
        PrivateKeyDer::from_pem_file(key).map_err(|error| unreadable("a key", key, &error))?;
    let provider = Arc::new(ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| {
            builder
                .with_no_client_auth()
                .with_single_cert(chain, private)
        });
    let mut config = config.map_err(|error| {
        let (certificate, key) = (certificate.display(), key.display());
        format!("`{certificate}` and `{key}` do not go together: {error}")
    })?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
