//! The message about a certificate that is not trusted, and what to do about it.

use kafkars_certificates::Trusted;
use rustls::CertificateError;
use rustls::pki_types::ServerName;

/// The most names of a certificate that an error lists.
const MOST_NAMES: usize = 10;
/// The sizes in bits of RSA keys whose signatures are accepted.
const RSA_BITS: std::ops::RangeInclusive<usize> = 2048..=8192;

/// Why a certificate is not trusted.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Problem {
    /// An error of webpki.
    Path(webpki::Error),
    /// A failed check of our own.
    Flaw(String),
}

/// The message for a problem. `involved` are the certificates that were sent, the broker's first, and their issuers.
pub(super) fn words(
    problem: &Problem,
    involved: &[&Trusted],
    server_name: &ServerName<'_>,
) -> String {
    use webpki::Error;
    let error = match problem {
        Problem::Flaw(flaw) => return flaw.clone(),
        Problem::Path(error) => error,
    };
    match error {
        &Error::CertExpired { time, not_after } => {
            let error = CertificateError::ExpiredContext { time, not_after };
            format!("it has expired ({error})")
        }
        &Error::CertNotValidYet { time, not_before } => {
            let error = CertificateError::NotValidYetContext { time, not_before };
            format!("it is not valid yet, or the clock of this machine is wrong ({error})")
        }
        Error::UnknownIssuer => {
            "its issuer is no authority that is believed here; give the authority's certificate with ssl_ca_location or ssl_ca_pem"
                .to_owned()
        }
        Error::InvalidSignatureForPublicKey => match involved.iter().find_map(|each| bad_size(each)) {
            Some(size) => size,
            None => {
                "its signature is not by the authority of that name that is believed here; give the certificate of the authority \
                 that signed it with ssl_ca_location or ssl_ca_pem"
                    .to_owned()
            }
        },
        Error::CertNotValidForName(context) => format!(
            "it does not name the host {:?}, {}; connect by a name that it has, or set \
             ssl_endpoint_identification_algorithm=\"none\" if you know why",
            server_name.to_str(),
            names(&context.presented)
        ),
        Error::RequiredEkuNotFoundContext(_) | Error::EmptyEkuExtension => {
            "it is not for servers (its extended key usage)".to_owned()
        }
        Error::CaUsedAsEndEntity => {
            "it is the certificate of an authority, which is believed as a broker's own only where it is itself given with \
             ssl_ca_location or ssl_ca_pem"
                .to_owned()
        }
        Error::EndEntityUsedAsCa => {
            "it is signed by a certificate that is no authority's (its basic constraints)".to_owned()
        }
        Error::PathLenConstraintViolated => {
            "there are more authorities above it than one of them allows (its path length)".to_owned()
        }
        Error::NameConstraintViolation => {
            "an authority that signed it may not sign for names that it has (name constraints)".to_owned()
        }
        Error::UnsupportedCertVersion => {
            "it, or one that signed it, is of X.509's first version, which names no hosts; the broker needs one of version 3 with a \
             subjectAltName"
                .to_owned()
        }
        Error::UnsupportedSignatureAlgorithmContext(_)
        | Error::UnsupportedSignatureAlgorithmForPublicKeyContext(_) => {
            "it, or one that signed it, is signed in a way that is not believed (such as with SHA-1 or an unusual curve); the broker \
             needs one that is signed with SHA-256 or better"
                .to_owned()
        }
        Error::UnsupportedCriticalExtension => {
            "it, or one that signed it, has a critical extension that is not known here".to_owned()
        }
        Error::MaximumSignatureChecksExceeded
        | Error::MaximumPathBuildCallsExceeded
        | Error::MaximumPathDepthExceeded
        | Error::MaximumNameConstraintComparisonsExceeded => {
            "the certificates that the broker sent with it are too many to look at".to_owned()
        }
        other => format!("it, or one that signed it, is malformed ({other:?})"),
    }
}

/// What is wrong with the size of a certificate's key, if anything is.
pub(super) fn bad_size(certificate: &Trusted) -> Option<String> {
    let bits = certificate.key.rsa_bits?;
    (!RSA_BITS.contains(&bits)).then(|| {
        format!(
            "the RSA key of {:?} has {bits} bits, and only keys of {} to {} are believed; the broker, or its authority, needs \
             another key",
            certificate.subject,
            RSA_BITS.start(),
            RSA_BITS.end()
        )
    })
}

fn names(presented: &[String]) -> String {
    // Mail addresses and the like are no hosts.
    let hosts = presented
        .iter()
        .filter(|name| !name.starts_with("Unsupported("));
    let hosts: Vec<&str> = hosts.map(String::as_str).collect();
    let some = hosts.iter().take(MOST_NAMES).copied();
    let some = some.collect::<Vec<_>>().join(", ");
    match hosts.len() {
        0 => "and no other: only a subjectAltName counts, not the common name".to_owned(),
        count if count > MOST_NAMES => format!("only {some} and {} more", count - MOST_NAMES),
        _ => format!("only {some}"),
    }
}
