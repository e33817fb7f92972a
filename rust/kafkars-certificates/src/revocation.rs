//! Reads revocation lists: their issuer, their validity, and the signed bytes.

use std::collections::HashSet;

use x509_parser::prelude::{CertificateRevocationList, FromDer};

use crate::Trusted;
use crate::authority::number;
use crate::der;

/// A revocation list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevocationList {
    /// The name of its issuer as encoded in it.
    pub issuer_name: Vec<u8>,
    /// From when on it is valid, in seconds since 1970.
    pub since: i64,
    /// When the next list is due, in seconds since 1970; `None` if it does not say.
    pub until: Option<i64>,
    /// The bytes that were signed.
    pub signed: Vec<u8>,
    /// The algorithm of the signature.
    pub signature_algorithm: Vec<u8>,
    /// The signature.
    pub signature: Vec<u8>,
    serials: HashSet<Vec<u8>>,
}

impl RevocationList {
    /// Reads a DER revocation list; `None` if the bytes are not one.
    #[must_use]
    pub fn read(list: &[u8]) -> Option<Self> {
        let (_, parsed) = CertificateRevocationList::from_der(list).ok()?;
        let (signed, rest) = der::element(der::element(list)?.0.content)?;
        let (algorithm, _) = der::element(rest)?;
        let revoked = parsed.iter_revoked_certificates();
        Some(Self {
            issuer_name: parsed.issuer().as_raw().to_vec(),
            since: parsed.last_update().timestamp(),
            until: parsed.next_update().map(|until| until.timestamp()),
            signed: signed.whole.to_vec(),
            signature_algorithm: algorithm.content.to_vec(),
            signature: parsed.signature_value.data.to_vec(),
            serials: revoked.map(|each| number(each.raw_serial())).collect(),
        })
    }

    /// True if it lists a certificate as revoked.
    #[must_use]
    pub fn lists(&self, certificate: &Trusted) -> bool {
        self.issuer_name == certificate.issuer_name && self.serials.contains(&certificate.serial)
    }
}
