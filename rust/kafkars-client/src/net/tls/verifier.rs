//! Whether a broker's certificate is believed: webpki decides, and what it says is told with the certificate's subject.

use std::sync::Arc;

use p12_keystore::Certificate;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, DigitallySignedStruct, Error, OtherError, SignatureScheme};

use super::failure::Rejection;

/// Checks the chain always, and the host name unless told not to.
#[derive(Debug)]
pub(super) struct Verifier {
    pub(super) chain: Arc<WebPkiServerVerifier>,
    pub(super) verify_host_name: bool,
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
        let checked = self.chain.verify_server_cert(
            end_entity,
            intermediates,
            server_name,
            ocsp_response,
            now,
        );
        match checked {
            // The name is what webpki looks at last: with this error everything else was in order.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.verify_host_name => Ok(ServerCertVerified::assertion()),
            Err(Error::InvalidCertificate(error)) => {
                let rejection = Rejection {
                    subject: subject_of(end_entity).into(),
                    reason: reason(&error, server_name).into(),
                };
                let other = OtherError(Arc::new(rejection));
                Err(Error::InvalidCertificate(CertificateError::Other(other)))
            }
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.chain
            .verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.chain
            .verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.chain.supported_verify_schemes()
    }
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

fn reason(error: &CertificateError, server_name: &ServerName<'_>) -> String {
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
            "it does not name the host {:?}, only {}; connect by a name that it has, or set \
             ssl_endpoint_identification_algorithm=\"none\" if you know why",
            server_name.to_str(),
            presented.join(", ")
        ),
        other => other.to_string(),
    }
}
