//! What a certificate may be believed for: signing others, or itself only.

use x509_parser::certificate::BasicExtension;
use x509_parser::extensions::ExtendedKeyUsage;
use x509_parser::prelude::{FromDer, X509Certificate, X509Version};
use x509_parser::public_key::PublicKey;
use x509_parser::x509::SubjectPublicKeyInfo;

use crate::der;

/// What is to be known of a certificate to judge the chains in which it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trusted {
    /// Whom it names.
    pub subject: String,
    /// Who signed it.
    pub issuer: String,
    /// The issuer's name as it stands there.
    pub issuer_name: Vec<u8>,
    /// Its own name as it stands there.
    pub subject_name: Vec<u8>,
    /// The number that its issuer gave it.
    pub serial: Vec<u8>,
    /// The seconds since 1970 between which it is valid, both of them included.
    pub valid: (i64, i64),
    /// True if it may sign certificates of servers.
    pub is_authority: bool,
    /// How many authorities may stand between it and a server; none where it does not say.
    pub path_length: Option<u32>,
    /// True if its key may sign lists of revoked certificates.
    pub signs_lists: bool,
    /// True if a server may show it.
    pub is_for_servers: bool,
    /// True if its key may do what a server's does.
    pub key_serves: bool,
    /// The key that it speaks of.
    pub key: CertifiedKey,
}

/// The key of a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertifiedKey {
    /// The algorithm and its parameters, as signatures name it.
    pub algorithm: Vec<u8>,
    /// The key itself.
    pub bits: Vec<u8>,
    /// How long it is where it is an RSA key.
    pub rsa_bits: Option<usize>,
}

impl Trusted {
    /// Reads a DER certificate; none if the bytes are none.
    #[must_use]
    pub fn read(certificate: &[u8]) -> Option<Self> {
        let (_, certificate) = X509Certificate::from_der(certificate).ok()?;
        let purpose = certificate.extended_key_usage().ok()?;
        let is_for_servers = purpose.is_none_or(|usage| allows_servers(&usage));
        let usage = certificate.key_usage().ok().flatten();
        let usage = usage.map(|usage| usage.value);
        let constraints = certificate.basic_constraints().ok().flatten();
        Some(Self {
            subject: certificate.subject().to_string(),
            issuer: certificate.issuer().to_string(),
            issuer_name: certificate.issuer().as_raw().to_vec(),
            subject_name: certificate.subject().as_raw().to_vec(),
            serial: number(certificate.raw_serial()),
            valid: (
                certificate.validity().not_before.timestamp(),
                certificate.validity().not_after.timestamp(),
            ),
            is_authority: is_for_servers && may_sign(&certificate),
            path_length: constraints.and_then(|constraints| constraints.value.path_len_constraint),
            signs_lists: usage.is_none_or(|usage| usage.crl_sign()),
            is_for_servers,
            // Any of the three, because keys of RSA may decrypt instead of sign.
            key_serves: usage.is_none_or(|usage| {
                usage.digital_signature() || usage.key_encipherment() || usage.key_agreement()
            }),
            key: CertifiedKey::read(certificate.public_key())?,
        })
    }

    /// True if its issuer has its own name: an edition of the same authority.
    #[must_use]
    pub fn is_self_issued(&self) -> bool {
        self.issuer_name == self.subject_name
    }
}

impl CertifiedKey {
    fn read(info: &SubjectPublicKeyInfo<'_>) -> Option<Self> {
        let (algorithm, _) = der::element(der::element(info.raw)?.0.content)?;
        let rsa_bits = match info.parsed() {
            Ok(PublicKey::RSA(key)) => Some(key.key_size()),
            _ => None,
        };
        Some(Self {
            algorithm: algorithm.content.to_vec(),
            bits: info.subject_public_key.data.to_vec(),
            rsa_bits,
        })
    }
}

/// A number without the zeros before it, which say nothing.
pub(crate) fn number(bytes: &[u8]) -> Vec<u8> {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    bytes[zeros..].to_vec()
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
        assert!(own.is_authority && own.signs_lists && own.key_serves);
        assert_eq!(own.subject, own.issuer);
        assert!(own.is_self_issued());
        assert!(own.valid.0 < own.valid.1);
        assert_eq!(Trusted::read(b"no certificate"), None);
    }
}
