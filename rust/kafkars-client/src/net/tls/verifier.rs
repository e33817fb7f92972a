//! Whether a broker's certificate is believed: webpki decides, and what it says is told with the certificate's subject.

use std::sync::Arc;

use kafkars_certificates::Trusted;
use kafkars_core::config::TlsConfig;
use p12_keystore::Certificate;
use parking_lot::Mutex;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, OtherError, SignatureScheme};

use super::failure::{Rejection, TlsFailure};
use super::setting;
use super::trust::{self, Given, Roots};

/// Names of a certificate that an error lists.
const MOST_NAMES: usize = 10;

/// Checks the chain always, and the host name unless told not to.
#[derive(Debug)]
pub(super) struct Verifier {
    roots: Roots,
    revocations: Vec<CertificateRevocationListDer<'static>>,
    provider: Arc<CryptoProvider>,
    // Guards what believes the authorities of a time.
    current: Mutex<Option<Current>>,
    verify_host_name: bool,
}

/// What believes the authorities that are valid in a stretch of time; nobody where none is.
#[derive(Debug, Clone)]
struct Current {
    chain: Option<Arc<WebPkiServerVerifier>>,
    between: (i64, i64),
}

impl Verifier {
    pub(super) fn new(
        config: &TlsConfig,
        provider: Arc<CryptoProvider>,
    ) -> Result<Self, TlsFailure> {
        let verifier = Self {
            roots: trust::roots(config)?,
            revocations: trust::revocations(config)?,
            provider,
            current: Mutex::new(None),
            verify_host_name: config.verify_host_name,
        };
        let current = verifier.current(seconds(UnixTime::now()));
        current.map_err(|error| setting("ssl_crl_location", error.to_string()))?;
        Ok(verifier)
    }

    /// What to check chains with now: authorities expire, and those that are given for later become valid.
    fn current(
        &self,
        now: i64,
    ) -> Result<Option<Arc<WebPkiServerVerifier>>, rustls::server::VerifierBuilderError> {
        let mut current = self.current.lock();
        if let Some(current) = &*current
            && (current.between.0..=current.between.1).contains(&now)
        {
            return Ok(current.chain.clone());
        }
        let roots = self.roots.at(now);
        let chain = match roots.store.is_empty() {
            true => None,
            false => {
                let provider = Arc::clone(&self.provider);
                let mut chain =
                    WebPkiServerVerifier::builder_with_provider(Arc::new(roots.store), provider);
                if !self.revocations.is_empty() {
                    chain = chain
                        .with_crls(self.revocations.iter().cloned())
                        .allow_unknown_revocation_status()
                        .enforce_revocation_expiration();
                }
                Some(chain.build()?)
            }
        };
        *current = Some(Current {
            chain: chain.clone(),
            between: roots.between,
        });
        Ok(chain)
    }

    /// A certificate that the settings name is believed itself, while it is valid and for the host that it names:
    /// servers for tests often show the one that signed itself.
    fn verify_given(
        &self,
        given: &Given,
        server_name: &ServerName<'_>,
        now: i64,
    ) -> Result<(), CertificateError> {
        let (from, until) = given.about.valid;
        match () {
            () if now < from => return Err(CertificateError::NotValidYet),
            () if now > until => return Err(CertificateError::Expired),
            () if !given.about.is_for_servers => return Err(CertificateError::InvalidPurpose),
            () if !self.verify_host_name => return Ok(()),
            () => {}
        }
        let checked = ParsedCertificate::try_from(&given.certificate)
            .and_then(|certificate| verify_server_name(&certificate, server_name));
        match checked {
            Err(Error::InvalidCertificate(error)) => Err(error),
            Err(_) => Err(CertificateError::BadEncoding),
            Ok(()) => Ok(()),
        }
    }

    /// Those of our certificates that have signed something of a chain, and are not believed.
    fn obstacles(&self, chain: &[&CertificateDer<'_>], now: i64) -> Vec<String> {
        let signers = chain.iter().filter_map(|each| Trusted::read(each));
        let signers: Vec<String> = signers.map(|about| about.issuer).collect();
        let involved = self
            .roots
            .all()
            .filter(|given| signers.contains(&given.about.subject));
        involved
            .filter_map(|given| {
                let obstacle = given.obstacle(now)?;
                Some(format!("{:?} {obstacle}", given.about.subject))
            })
            .collect()
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let at = seconds(now);
        let chain = self
            .current(at)
            .map_err(|error| Error::General(error.to_string()))?;
        let checked = match chain {
            Some(chain) => chain
                .verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
                .map(drop),
            None => Err(CertificateError::UnknownIssuer.into()),
        };
        let error = match checked {
            Ok(()) => return Ok(ServerCertVerified::assertion()),
            Err(Error::InvalidCertificate(error)) => error,
            Err(other) => return Err(other),
        };
        let error = match (error, self.roots.given(end_entity)) {
            // The name is what webpki looks at last: with this error everything else was in order.
            (
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
                _,
            ) if !self.verify_host_name => return Ok(ServerCertVerified::assertion()),
            (CertificateError::Revoked, _) => CertificateError::Revoked,
            (_, Some(given)) => match self.verify_given(given, server_name, at) {
                Ok(()) => return Ok(ServerCertVerified::assertion()),
                Err(error) => error,
            },
            (error, None) => error,
        };
        let mut reason = reason(&error, end_entity, server_name);
        let chain: Vec<&CertificateDer<'_>> =
            std::iter::once(end_entity).chain(intermediates).collect();
        if matches!(error, CertificateError::UnknownIssuer) {
            let obstacles = self.obstacles(&chain, at);
            if !obstacles.is_empty() {
                reason = format!("it is signed by {}; {reason}", obstacles.join(", "));
            }
        }
        let rejection = Rejection {
            subject: subject_of(end_entity).into(),
            reason: reason.into(),
        };
        let other = OtherError(Arc::new(rejection));
        Err(Error::InvalidCertificate(CertificateError::Other(other)))
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

fn seconds(time: UnixTime) -> i64 {
    i64::try_from(time.as_secs()).unwrap_or(i64::MAX)
}

/// Whom a certificate names and who signed it.
fn subject_of(certificate: &CertificateDer<'_>) -> String {
    match Certificate::from_der(certificate) {
        Ok(certificate) => format!(
            "subject {:?}, issuer {:?}",
            certificate.subject(),
            certificate.issuer()
        ),
        Err(_) => "unreadable".to_owned(),
    }
}

fn reason(
    error: &CertificateError,
    certificate: &CertificateDer<'_>,
    server_name: &ServerName<'_>,
) -> String {
    match error {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            format!("it has expired ({error})")
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            format!("it is not valid yet, or the clock of this machine is wrong ({error})")
        }
        CertificateError::UnknownIssuer => {
            "its issuer is no authority that is believed here; give the authority's certificate with ssl_ca_location or ssl_ca_pem"
                .to_owned()
        }
        CertificateError::BadSignature => {
            "its signature is not by the authority of that name that is believed here; give the certificate of the authority that \
             signed it with ssl_ca_location or ssl_ca_pem"
                .to_owned()
        }
        CertificateError::Revoked => "it was revoked (ssl_crl_location)".to_owned(),
        CertificateError::NotValidForNameContext { presented, .. } => format!(
            "it does not name the host {:?}, {}; connect by a name that it has, or set \
             ssl_endpoint_identification_algorithm=\"none\" if you know why",
            server_name.to_str(),
            names(presented)
        ),
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            "it is not for servers (its extended key usage)".to_owned()
        }
        // What webpki says of it has no name in rustls.
        CertificateError::Other(_)
            if Trusted::read(certificate).is_some_and(|about| about.is_authority) =>
        {
            "it is the certificate of an authority, which is believed as a broker's own only where it is itself given with \
             ssl_ca_location or ssl_ca_pem"
                .to_owned()
        }
        other => other.to_string(),
    }
}

fn names(presented: &[String]) -> String {
    let some = presented.iter().take(MOST_NAMES);
    let some = some.map(String::as_str).collect::<Vec<_>>().join(", ");
    match presented.len() {
        0 => "and no other: only a subjectAltName counts, not the common name".to_owned(),
        count if count > MOST_NAMES => format!("only {some} and {} more", count - MOST_NAMES),
        _ => format!("only {some}"),
    }
}
