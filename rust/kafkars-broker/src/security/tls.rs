//! The certificates of a TLS listener: its own, whose it trusts, and the name of a client by its certificate.

use std::fmt;
use std::sync::Arc;

use rustls::crypto::aws_lc_rs;
use rustls::pki_types::CertificateDer;
use rustls::server::{NoClientAuth, WebPkiClientVerifier, danger::ClientCertVerifier};
use rustls::{RootCertStore, ServerConfig};

/// The demand for certificates of clients (`ssl.client.auth`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClientAuth {
    /// Clients are not asked for certificates.
    #[default]
    None,
    /// Clients are asked. A client that shows none is `ANONYMOUS`; one whose certificate is not trusted is refused.
    Requested,
    /// A client that shows none is refused.
    Required,
}

/// The certificates and keys of a TLS listener, all as PEM.
#[derive(Clone, Default)]
pub struct TlsSettings {
    /// The broker's certificate, followed by those between it and its authority.
    pub certificate_pem: String,
    /// The broker's private key, encrypted or not.
    pub key_pem: String,
    /// The password of the key, if it is encrypted.
    pub key_password: Option<String>,
    /// The demand for certificates of clients. Default [`ClientAuth::None`].
    pub client_auth: ClientAuth,
    /// Authorities of clients' certificates. Needed where clients are asked for them.
    pub client_ca_pem: Option<String>,
}

impl fmt::Debug for TlsSettings {
    /// Leaves key and password out.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("TlsSettings")
            .field("client_auth", &self.client_auth)
            .finish_non_exhaustive()
    }
}

/// Makes the configuration that connections work with.
///
/// The error says which part cannot be used, and why.
pub(super) fn server_config(settings: &TlsSettings) -> Result<ServerConfig, String> {
    let refused =
        |what: &str, reason: &dyn fmt::Display| format!("the {what} cannot be used: {reason}");
    let chain = kafkars_certificates::chain(settings.certificate_pem.as_bytes());
    let chain = chain.map_err(|error| refused("certificate", &error))?;
    let password = settings.key_password.as_deref().map(str::as_bytes);
    let key = kafkars_certificates::private_key(settings.key_pem.as_bytes(), password);
    let key = key.map_err(|error| refused("key", &error))?;
    let verifier = client_verifier(settings).map_err(|reason| refused("client CA", &reason))?;
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| refused("TLS library", &error))?
        .with_client_cert_verifier(verifier)
        .with_single_cert(chain, key)
        .map_err(|error| refused("certificate", &error))?;
    Ok(config)
}

fn client_verifier(settings: &TlsSettings) -> Result<Arc<dyn ClientCertVerifier>, String> {
    if settings.client_auth == ClientAuth::None {
        return Ok(Arc::new(NoClientAuth));
    }
    let missing = "clients are asked for certificates, so an authority is needed to believe them";
    let pem = settings.client_ca_pem.as_ref().ok_or(missing)?;
    let mut roots = RootCertStore::empty();
    let authorities =
        kafkars_certificates::chain(pem.as_bytes()).map_err(|error| error.to_string())?;
    for authority in authorities {
        roots.add(authority).map_err(|error| error.to_string())?;
    }
    let provider = Arc::new(aws_lc_rs::default_provider());
    let mut builder = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
    if settings.client_auth == ClientAuth::Requested {
        builder = builder.allow_unauthenticated();
    }
    let verifier = builder.build().map_err(|error| error.to_string())?;
    Ok(verifier)
}

/// The name of a client by the certificate that it has shown, as Kafka has it: the subject's distinguished name.
pub(super) fn principal(certificates: Option<&[CertificateDer<'_>]>) -> Option<String> {
    kafkars_certificates::distinguished_name(certificates?.first()?)
}
