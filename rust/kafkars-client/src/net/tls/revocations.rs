//! Certificate revocation lists of `ssl_crl_location`: which certificates they name, and whether they are valid now.

use std::fmt;

use kafkars_certificates::{CertifiedKey, RevocationList, Trusted};
use kafkars_core::config::TlsConfig;
use rustls::pki_types::{CertificateRevocationListDer, SignatureVerificationAlgorithm};

use super::failure::TlsFailure;
use super::setting_files::{read, setting};

const SETTING: &str = "ssl_crl_location";

/// Why a certificate is not trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RevocationFailure {
    /// Its issuer has revoked it.
    Revoked,
    /// It is not known whether it was revoked: what is wrong with the issuer's list.
    Unknown(&'static str),
}

impl fmt::Display for RevocationFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Revoked => formatter.write_str("was revoked (ssl_crl_location)"),
            Self::Unknown(problem) => write!(
                formatter,
                "may have been revoked: the list of its issuer in ssl_crl_location {problem}"
            ),
        }
    }
}

/// The revocation lists that the settings name.
#[derive(Debug)]
pub(super) struct Revocations {
    lists: Vec<RevocationList>,
    algorithms: &'static [&'static dyn SignatureVerificationAlgorithm],
}

impl Revocations {
    pub(super) fn read(
        config: &TlsConfig,
        algorithms: &'static [&'static dyn SignatureVerificationAlgorithm],
    ) -> Result<Self, TlsFailure> {
        let mut lists = Vec::new();
        if let Some(location) = &config.crl_location {
            let content = read(SETTING, location)?;
            let found = kafkars_certificates::revocation_lists(&content);
            let found = found.map_err(|error| setting(SETTING, format!("no PEM: {error}")))?;
            if found.is_empty() {
                let instead = kafkars_certificates::instead(&content);
                let problem = format!("holds no PEM list (-----BEGIN X509 CRL-----){instead}");
                return Err(setting(SETTING, problem));
            }
            for list in &found {
                lists.push(usable(list)?);
            }
        }
        Ok(Self { lists, algorithms })
    }

    /// Returns what the lists say against a certificate; `None` if there is none of its issuer. The issuer is one of
    /// `issuers`, of which several may have the same name.
    pub(super) fn failure<'a>(
        &self,
        certificate: &Trusted,
        issuers: impl Iterator<Item = &'a Trusted>,
        now: i64,
    ) -> Option<RevocationFailure> {
        let lists = self.lists.iter();
        let lists = lists.filter(|list| list.issuer_name == certificate.issuer_name);
        let mut lists: Vec<&RevocationList> = lists.collect();
        if lists.is_empty() {
            return None;
        }
        let issuers = issuers.filter(|issuer| issuer.subject_name == certificate.issuer_name);
        let issuers: Vec<&Trusted> = issuers.collect();
        // A broker's own certificate may be in the settings without that of its issuer: then the signature cannot be
        // checked.
        if !issuers.is_empty() {
            let signers = issuers.iter().filter(|issuer| issuer.signs_lists);
            let keys: Vec<&CertifiedKey> = signers.map(|issuer| &issuer.key).collect();
            lists.retain(|list| keys.iter().any(|key| self.is_signed_by(list, key)));
            if lists.is_empty() {
                return Some(RevocationFailure::Unknown("is not signed by that"));
            }
        }
        let in_time = |list: &&RevocationList| {
            list.since <= now && list.until.is_none_or(|until| now <= until)
        };
        let is_told = lists.iter().any(in_time);
        if is_told {
            lists.retain(in_time);
        }
        match lists.iter().max_by_key(|list| list.since) {
            _ if lists.iter().any(|list| list.lists(certificate)) => {
                Some(RevocationFailure::Revoked)
            }
            _ if is_told => None,
            Some(newest) if newest.since > now => Some(RevocationFailure::Unknown(
                "is not valid yet, or the clock of this machine is wrong",
            )),
            _ => Some(RevocationFailure::Unknown(
                "has expired; put the current one there",
            )),
        }
    }

    fn is_signed_by(&self, list: &RevocationList, key: &CertifiedKey) -> bool {
        let mut fitting = self.algorithms.iter().filter(|algorithm| {
            algorithm.public_key_alg_id().as_ref() == key.algorithm
                && algorithm.signature_alg_id().as_ref() == list.signature_algorithm
        });
        fitting.any(|algorithm| {
            let verified = algorithm.verify_signature(&key.bits, &list.signed, &list.signature);
            verified.is_ok()
        })
    }
}

fn usable(list: &CertificateRevocationListDer<'_>) -> Result<RevocationList, TlsFailure> {
    // webpki refuses lists that are partial, or have extensions that change their meaning.
    webpki::BorrowedCertRevocationList::from_der(list)
        .map_err(|error| setting(SETTING, format!("a list cannot be used: {error}")))?;
    RevocationList::read(list).ok_or_else(|| setting(SETTING, "a list cannot be read".to_owned()))
}
