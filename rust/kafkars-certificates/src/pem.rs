//! The one reader of PEM. What it says of a text holds nothing of the text, because keys stand in such files too.

use rustls_pki_types::pem::{Error, PemObject};
use rustls_pki_types::{CertificateDer, CertificateRevocationListDer};

/// Why a text cannot be read as PEM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PemError {
    /// A section has no end.
    #[error("a section has no -----END line of its own; has the text lost its line ends?")]
    NoEnd,
    /// The first line of a section is damaged.
    #[error("a -----BEGIN line holds something else too; has the text lost its line ends?")]
    BeginLine,
    /// Something else than base64 stands in a section.
    #[error("a section is not base64")]
    Base64,
    /// Anything else.
    #[error("it cannot be read as PEM")]
    Unreadable,
}

impl From<&Error> for PemError {
    fn from(error: &Error) -> Self {
        match error {
            Error::MissingSectionEnd { .. } => Self::NoEnd,
            Error::IllegalSectionStart { .. } => Self::BeginLine,
            Error::Base64Decode(_) => Self::Base64,
            _ => Self::Unreadable,
        }
    }
}

/// The certificates of a text, in their order; other sections are passed over.
///
/// # Errors
/// When one cannot be read.
pub fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, PemError> {
    sections(pem)
}

/// The certificates of a text that can be read.
pub fn readable_certificates(pem: &[u8]) -> Vec<CertificateDer<'static>> {
    CertificateDer::pem_slice_iter(pem).flatten().collect()
}

/// The lists of revoked certificates of a text.
///
/// # Errors
/// When one cannot be read.
pub fn revocation_lists(
    pem: &[u8],
) -> Result<Vec<CertificateRevocationListDer<'static>>, PemError> {
    sections(pem)
}

fn sections<T: PemObject>(pem: &[u8]) -> Result<Vec<T>, PemError> {
    let sections: Result<Vec<T>, Error> = T::pem_slice_iter(pem).collect();
    sections.map_err(|error| PemError::from(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_a_damaged_key_holds_nothing_of_it() {
        let flat = "-----BEGIN PRIVATE KEY----- MIGHAgEAMBMGByqGSM49 -----END PRIVATE KEY-----";
        let open = "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49\n";
        let foreign = "-----BEGIN CERTIFICATE-----\nMIGH*gEAM\n-----END CERTIFICATE-----\n";
        for (text, expected) in [
            (flat.to_owned(), PemError::NoEnd),
            (flat.replace("KEY----- MIGH", "KEY MIGH"), PemError::NoEnd),
            (open.to_owned(), PemError::NoEnd),
            (foreign.to_owned(), PemError::Base64),
        ] {
            let error = certificates(text.as_bytes()).expect_err("damaged");
            assert!(
                error == expected || error == PemError::BeginLine,
                "{text}: {error:?}"
            );
            for said in [error.to_string(), format!("{error:?}")] {
                assert!(
                    !said.contains("MIGH") && !said.contains("77, 73, 71"),
                    "{said}"
                );
            }
        }
    }
}
