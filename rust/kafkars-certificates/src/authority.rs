//! What a certificate may be trusted for: for those it has signed, or only for itself.

use x509_parser::certificate::BasicExtension;
use x509_parser::extensions::ExtendedKeyUsage;
use x509_parser::prelude::{FromDer, X509Certificate, X509Version};
use x509_parser::public_key::PublicKey;
use x509_parser::x509::SubjectPublicKeyInfo;

use crate::der;

/// The fields of a certificate that decide about the chains it is part of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trusted {
    /// Its subject.
    pub subject: String,
    /// Its issuer.
    pub issuer: String,
    /// The name of its issuer as encoded in it.
    pub issuer_name: Vec<u8>,
    /// The name of its subject as encoded in it.
    pub subject_name: Vec<u8>,
    /// Its serial number.
    pub serial: Vec<u8>,
    /// Its first and its last second of validity, in seconds since 1970.
    pub valid: (i64, i64),
    /// True if it may sign certificates of servers.
    pub is_authority: bool,
    /// How many authorities may be between it and a server; `None` if it has no path length constraint.
    pub path_length: Option<u32>,
    /// True if its key may sign revocation lists.
    pub signs_lists: bool,
    /// True if a server may present it.
    pub is_for_servers: bool,
    /// True if its key may be used for what a TLS server does.
    pub key_serves: bool,
    /// Its public key.
    pub key: CertifiedKey,
}

/// The public key of a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertifiedKey {
    /// The algorithm and its parameters, encoded as in signatures.
    pub algorithm: Vec<u8>,
    /// The key itself.
    pub bits: Vec<u8>,
    /// Its length in bits if it is an RSA key.
    pub rsa_bits: Option<usize>,
}

impl Trusted {
    /// Reads a DER certificate; `None` if the bytes are not one.
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
            // Any of the three, because RSA keys may decrypt instead of sign.
            key_serves: usage.is_none_or(|usage| {
                usage.digital_signature() || usage.key_encipherment() || usage.key_agreement()
            }),
            key: CertifiedKey::read(certificate.public_key())?,
        })
    }

    /// True if it is self-issued: its issuer has the same name, as when an authority renews its key.
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

/// The bytes of a number without leading zeros.
pub(crate) fn number(bytes: &[u8]) -> Vec<u8> {
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    bytes[zeros..].to_vec()
}

fn allows_servers(usage: &BasicExtension<&ExtendedKeyUsage<'_>>) -> bool {
    usage.value.server_auth || usage.value.any
}

/// Decides as OpenSSL does: by the basic constraints. Without these by the key usage; X.509 version 1 certificates,
/// which have neither, are authorities if they are self-signed.
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
