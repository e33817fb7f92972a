//! Checks of a certificate chain that OpenSSL makes and webpki does not: key usage, path length, revocation lists.

use kafkars_certificates::Trusted;

use super::revocations::{RevocationFailure, Revocations};

/// Returns what is wrong with a chain, if anything is. It begins with the broker's certificate and ends with a trusted
/// one, whose issuer is among `known` if it is known at all.
pub(super) fn flaw<'a>(
    chain: &[&'a Trusted],
    known: impl Iterator<Item = &'a Trusted> + Clone,
    revocations: &Revocations,
    now: i64,
) -> Option<String> {
    // Self-issued certificates do not count (RFC 5280).
    let mut authorities_below = 0;
    for (position, certificate) in chain.iter().enumerate() {
        let subject = &certificate.subject;
        let is_brokers = position == 0;
        if is_brokers {
            if !certificate.key_serves {
                return Some("its key is not for TLS (its key usage)".to_owned());
            }
        } else {
            if !certificate.is_authority {
                return Some(format!(
                    "it is signed by {subject:?}, whose key is not for signing certificates (its key usage)"
                ));
            }
            if certificate
                .path_length
                .is_some_and(|most| authorities_below > most)
            {
                return Some(format!(
                    "there are {authorities_below} authorities between it and {subject:?}, which allows fewer (its path length)"
                ));
            }
            authorities_below += u32::from(!certificate.is_self_issued());
        }
        let failure = match chain.get(position + 1) {
            Some(issuer) => revocations.failure(certificate, std::iter::once(*issuer), now),
            None => revocations.failure(certificate, known.clone(), now),
        };
        match failure {
            None => {}
            // Authorities from the settings are trusted without a valid revocation list, but not once they were
            // revoked.
            Some(RevocationFailure::Unknown(_)) if !is_brokers && position + 1 == chain.len() => {}
            Some(failure) if is_brokers => return Some(format!("it {failure}")),
            Some(failure) => return Some(format!("it is signed by {subject:?}, which {failure}")),
        }
    }
    None
}
