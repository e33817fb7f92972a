//! Verifies brokers' certificates: webpki decides, and its errors are reported with the certificate's subject.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use kafkars_certificates::Trusted;
use kafkars_core::config::TlsConfig;
use p12_keystore::Certificate;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, DigitallySignedStruct, Error, OtherError, SignatureScheme};
use webpki::{EndEntityCert, VerifiedPath};

use super::failure::{Rejection, TlsFailure};
use super::path;
use super::reason::{self, Problem};
use super::revocations::Revocations;
use super::trust::{self, Roots, TrustedCertificate};

/// Verifies the chain always, and the host name unless the settings say not to.
#[derive(Debug)]
pub(super) struct Verifier {
    roots: Roots,
    revocations: Revocations,
    provider: Arc<CryptoProvider>,
    verify_host_name: bool,
}

impl Verifier {
    pub(super) fn new(
        config: &TlsConfig,
        provider: Arc<CryptoProvider>,
    ) -> Result<Self, TlsFailure> {
        Ok(Self {
            roots: trust::roots(config)?,
            revocations: Revocations::read(config, provider.signature_verification_algorithms.all)?,
            provider,
            verify_host_name: config.verify_host_name,
        })
    }

    /// Verifies that a certificate was signed by a trusted one, directly or by way of intermediates.
    fn verify_chain(
        &self,
        certificate: &EndEntityCert<'_>,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<(), Problem> {
        let at = seconds(now);
        // Only those that are valid now: authorities expire, and some are for later.
        let (given, anchors) = self.roots.at(at);
        let flaw = RefCell::new(None);
        let look = |path: &VerifiedPath<'_>| {
            let anchor = anchors
                .iter()
                .position(|each| std::ptr::eq(each, path.anchor()));
            let anchor = anchor.and_then(|position| given.get(position));
            let between = path.intermediate_certificates();
            let sent = std::iter::once(path.end_entity().der())
                .chain(between.map(|each| each.der()))
                .map(|each| Trusted::read(&each));
            let Some(sent) = sent.collect::<Option<Vec<Trusted>>>() else {
                return Err(webpki::Error::BadDer);
            };
            let chain = sent.iter().chain(anchor.map(|given| &given.about));
            let chain: Vec<&Trusted> = chain.collect();
            match path::flaw(&chain, self.known(), &self.revocations, at) {
                None => Ok(()),
                Some(found) => {
                    flaw.replace(Some(found));
                    // This error stands for one that webpki has no variant for; the flaw itself is kept beside it.
                    Err(webpki::Error::EndEntityUsedAsCa)
                }
            }
        };
        let verified = certificate.verify_for_usage(
            self.provider.signature_verification_algorithms.all,
            &anchors,
            intermediates,
            now,
            webpki::KeyUsage::server_auth(),
            None,
            Some(&look),
        );
        match (verified, flaw.take()) {
            (Ok(_), _) => Ok(()),
            (Err(_), Some(flaw)) => Err(Problem::Flaw(flaw)),
            (Err(error), None) => Err(Problem::Path(error)),
        }
    }

    /// Verifies a certificate that the settings name, which is trusted itself while it is valid: test servers often use
    /// one that is self-signed.
    fn verify_given(
        &self,
        given: &TrustedCertificate,
        intermediates: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<(), Problem> {
        let (from, until) = given.about.valid;
        let at = seconds(now);
        if at < from {
            let not_before = time(from);
            return Err(Problem::Path(webpki::Error::CertNotValidYet {
                time: now,
                not_before,
            }));
        }
        if at > until {
            let not_after = time(until);
            return Err(Problem::Path(webpki::Error::CertExpired {
                time: now,
                not_after,
            }));
        }
        if !given.about.is_for_servers {
            let purpose = "it is not for servers (its extended key usage)";
            return Err(Problem::Flaw(purpose.to_owned()));
        }
        let sent: Vec<Trusted> = intermediates
            .iter()
            .filter_map(|each| Trusted::read(each))
            .collect();
        let known = self.known().chain(&sent);
        match path::flaw(&[&given.about], known, &self.revocations, at) {
            None => Ok(()),
            Some(flaw) => Err(Problem::Flaw(flaw)),
        }
    }

    fn known(&self) -> impl Iterator<Item = &Trusted> + Clone {
        self.roots.all().map(|given| &given.about)
    }

    /// Builds the error for a certificate that is not trusted.
    fn rejection(
        &self,
        problem: &Problem,
        chain: &[&CertificateDer<'_>],
        server_name: &ServerName<'_>,
        now: i64,
    ) -> Error {
        let sent = chain.iter().filter_map(|each| Trusted::read(each));
        let sent: Vec<Trusted> = sent.collect();
        let signers = self.roots.all().filter(|given| {
            sent.iter()
                .any(|each| each.issuer_name == given.about.subject_name)
        });
        let signers: Vec<&TrustedCertificate> = signers.collect();
        let ours = signers.iter().map(|given| &given.about);
        let involved: Vec<&Trusted> = sent.iter().chain(ours).collect();
        let mut reason = reason::words(problem, &involved, server_name);
        if *problem == Problem::Path(webpki::Error::UnknownIssuer) {
            // Those of the settings' certificates that have signed one of the chain and are not trusted.
            let obstacles = signers.iter().filter_map(|given| {
                let obstacle = given.obstacle(now)?;
                Some(format!("{:?} {obstacle}", given.about.subject))
            });
            let obstacles: Vec<String> = obstacles.collect();
            if !obstacles.is_empty() {
                reason = format!("it is signed by {}; {reason}", obstacles.join(", "));
            }
        }
        rejected(chain.first().copied(), reason)
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let checked = EndEntityCert::try_from(end_entity).map_err(Problem::Path);
        let checked = checked.and_then(|certificate| {
            match (
                self.verify_chain(&certificate, intermediates, now),
                self.roots.given(end_entity),
            ) {
                (Ok(()), _) => {}
                (Err(_), Some(given)) => self.verify_given(given, intermediates, now)?,
                (Err(problem), None) => return Err(problem),
            }
            match self.verify_host_name {
                true => certificate
                    .verify_is_valid_for_subject_name(server_name)
                    .map_err(Problem::Path),
                false => Ok(()),
            }
        });
        checked.map_err(|problem| {
            let chain = std::iter::once(end_entity).chain(intermediates);
            let chain: Vec<&CertificateDer<'_>> = chain.collect();
            self.rejection(&problem, &chain, server_name, seconds(now))
        })?;
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
            .map_err(|error| of_signature(error, certificate))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
            .map_err(|error| of_signature(error, certificate))
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

fn time(seconds: i64) -> UnixTime {
    UnixTime::since_unix_epoch(Duration::from_secs(seconds.try_into().unwrap_or(0)))
}

fn seconds(time: UnixTime) -> i64 {
    i64::try_from(time.as_secs()).unwrap_or(i64::MAX)
}

/// Builds the error for a handshake whose signature does not match the certificate.
fn of_signature(error: Error, certificate: &CertificateDer<'_>) -> Error {
    let size = Trusted::read(certificate).and_then(|about| reason::bad_size(&about));
    match size {
        Some(reason) => rejected(Some(certificate), reason),
        None => error,
    }
}

fn rejected(certificate: Option<&CertificateDer<'_>>, reason: String) -> Error {
    let rejection = Rejection {
        subject: certificate.map(subject_of).unwrap_or_default().into(),
        reason: reason.into(),
    };
    let other = OtherError(Arc::new(rejection));
    Error::InvalidCertificate(CertificateError::Other(other))
}

/// The subject and the issuer of a certificate.
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
