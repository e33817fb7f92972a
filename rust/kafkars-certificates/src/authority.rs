//! What a certificate may be believed for: signing others, or itself only.

use x509_parser::certificate::BasicExtension;
use x509_parser::extensions::ExtendedKeyUsage;
use x509_parser::prelude::{FromDer, X509Certificate, X509Version};

/// What is to be known of a certificate that somebody was told to believe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trusted {
    /// Whom it names.
    pub subject: String,
    /// Who signed it.
    pub issuer: String,
    /// The seconds since 1970 between which it is valid, both of them included.
    pub valid: (i64, i64),
    /// Whether it may sign certificates of servers.
    pub is_authority: bool,
    /// Whether a server may show it.
    pub is_for_servers: bool,
}

impl Trusted {
    /// Reads a DER certificate; none if the bytes are none.
    #[must_use]
    pub fn read(certificate: &[u8]) -> Option<Self> {
        let (_, certificate) = X509Certificate::from_der(certificate).ok()?;
        let usage = certificate.extended_key_usage().ok()?;
        let is_for_servers = usage.is_none_or(|usage| allows_servers(&usage));
        Some(Self {
            subject: certificate.subject().to_string(),
            issuer: certificate.issuer().to_string(),
            valid: (
                certificate.validity().not_before.timestamp(),
                certificate.validity().not_after.timestamp(),
            ),
            is_authority: is_for_servers && may_sign(&certificate),
            is_for_servers,
        })
    }
}

fn allows_servers(usage: &BasicExtension<&ExtendedKeyUsage<'_>>) -> bool {
    usage.value.server_auth || usage.value.any
}

/// As OpenSSL judges: the constraint decides. Without it, the use of the key does; certificates of the first version,
/// which have neither, are authorities if they have signed themselves.
fn may_sign(certificate: &X509Certificate<'_>) -> bool {
    let usage = certificate.key_usage().ok().flatten();
    let signs = usage.as_ref().map(|usage| usage.value.key_cert_sign());
    match certificate.basic_constraints() {
        Err(_) => false,
        Ok(Some(constraints)) => constraints.value.ca && signs != Some(false),
        Ok(None) if certificate.version() == X509Version::V1 => {
            certificate.subject() == certificate.issuer()
        }
        Ok(None) => signs == Some(true),
    }
}

#[cfg(test)]
mod tests {
    use rustls_pki_types::CertificateDer;
    use rustls_pki_types::pem::PemObject;

    use super::*;
    use crate::{Authority, KeyKind};

    #[test]
    fn an_authority_may_sign_and_what_it_signed_may_not() {
        let authority = Authority::new("an authority", KeyKind::Ec).expect("made");
        let own = CertificateDer::from_pem_slice(authority.certificate_pem().as_bytes());
        let own = Trusted::read(&own.expect("PEM")).expect("a certificate");
        assert!(own.is_authority);
        assert_eq!(own.subject, own.issuer);
        assert!(own.valid.0 < own.valid.1);
        assert_eq!(Trusted::read(b"no certificate"), None);
    }
}
