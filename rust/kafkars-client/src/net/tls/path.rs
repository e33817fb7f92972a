//! What OpenSSL asks of a chain and webpki does not: uses of keys, the authority's path length, and lists of the
//! revoked.

use kafkars_certificates::Trusted;

use super::revocations::{Doubt, Revocations};

/// Why a chain, which begins with the broker's certificate and ends with one that is believed, is not believed. The
/// last one's issuer is among `known` or nowhere.
pub(super) fn flaw<'a>(
    chain: &[&'a Trusted],
    known: impl Iterator<Item = &'a Trusted> + Clone,
    revocations: &Revocations,
    now: i64,
) -> Option<String> {
    // Editions of the same authority do not count.
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
        let doubt = match chain.get(position + 1) {
            Some(issuer) => revocations.doubt(certificate, std::iter::once(*issuer), now),
            None => revocations.doubt(certificate, known.clone(), now),
        };
        match doubt {
            None => {}
            // Authorities that the settings name are believed, except those that were taken back.
            Some(Doubt::Untold(_)) if !is_brokers && position + 1 == chain.len() => {}
            Some(doubt) if is_brokers => return Some(format!("it {doubt}")),
            Some(doubt) => return Some(format!("it is signed by {subject:?}, which {doubt}")),
        }
    }
    None
}
