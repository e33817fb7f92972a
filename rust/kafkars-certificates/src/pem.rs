//! The only reader of PEM. Its errors quote nothing of the text, because such files contain keys too.

use rustls_pki_types::pem::{Error, PemObject};
use rustls_pki_types::{CertificateDer, CertificateRevocationListDer};
use zeroize::Zeroizing;

use crate::contents::found_instead;

/// Why a text cannot be read as PEM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PemError {
    /// A section has no end.
    #[error("a section has no -----END line of its own; has the text lost its line ends?")]
    NoEnd,
    /// The first line of a section is damaged.
    #[error("a -----BEGIN line holds something else too; has the text lost its line ends?")]
    BeginLine,
    /// A section contains something else than base64.
    #[error("a section is not base64")]
    Base64,
    /// The text has OpenSSL's own form of a certificate, which adds what it is trusted for.
    #[error(
        "it holds -----BEGIN TRUSTED CERTIFICATE-----, whose notes on trust are not read here; convert it with `openssl \
         x509 -in FILE -out NEW`"
    )]
    Trusted,
    /// Any other error.
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

/// Reads the certificates of a text, in their order; other sections are skipped.
///
/// # Errors
/// If one cannot be read.
pub fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, PemError> {
    let text = plain(pem);
    if text
        .split(|byte| *byte == b'\n')
        .any(|line| line == TRUSTED)
    {
        return Err(PemError::Trusted);
    }
    sections(&text)
}

/// Reads those certificates of a text that can be read.
pub fn readable_certificates(pem: &[u8]) -> Vec<CertificateDer<'static>> {
    CertificateDer::pem_slice_iter(&plain(pem))
        .flatten()
        .collect()
}

/// Reads the revocation lists of a text.
///
/// # Errors
/// If one cannot be read.
pub fn revocation_lists(
    pem: &[u8],
) -> Result<Vec<CertificateRevocationListDer<'static>>, PemError> {
    sections(&plain(pem))
}

/// Returns a clause that follows "holds no ...": what the text holds instead, and what to do. It contains nothing of a
/// key.
#[must_use]
pub fn instead(pem: &[u8]) -> String {
    found_instead(&plain(pem))
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
const TRUSTED: &[u8] = b"-----BEGIN TRUSTED CERTIFICATE-----";

/// The old first and last line of a certificate, and the current ones.
const OLD_NAMES: [(&[u8], &[u8]); 2] = [
    (
        b"-----BEGIN X509 CERTIFICATE-----",
        b"-----BEGIN CERTIFICATE-----",
    ),
    (
        b"-----END X509 CERTIFICATE-----",
        b"-----END CERTIFICATE-----",
    ),
];

/// Returns the text with its lines as OpenSSL reads them: without byte order mark, without trailing white space, and
/// with the current names of sections.
pub(crate) fn plain(pem: &[u8]) -> Zeroizing<Vec<u8>> {
    // With room for all of it: growing would leave copies of a key behind.
    let mut text = Zeroizing::new(Vec::with_capacity(pem.len() + 1));
    for line in pem.split(|byte| matches!(byte, b'\n' | b'\r')) {
        let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        let end = line.iter().rposition(|byte| *byte > b' ');
        let line = &line[..end.map_or(0, |last| last + 1)];
        let old = OLD_NAMES.iter().find(|(old, _)| *old == line);
        text.extend_from_slice(old.map_or(line, |(_, new)| new));
        text.push(b'\n');
    }
    text
}

fn sections<T: PemObject>(text: &[u8]) -> Result<Vec<T>, PemError> {
    let sections: Result<Vec<T>, Error> = T::pem_slice_iter(text).collect();
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

    #[test]
    fn lines_are_read_as_openssl_reads_them() {
        let plain_text =
            "-----BEGIN CERTIFICATE-----\nMIGH\ngEAM\n-----END CERTIFICATE-----\n".to_owned();
        let expected = certificates(plain_text.as_bytes()).expect("PEM");
        assert_eq!(expected.len(), 1);
        for text in [
            format!("\u{feff}{plain_text}"),
            format!("Subject: CN=a\n\u{feff}{plain_text}"),
            plain_text.replace('\n', "\r\n"),
            plain_text.replace('\n', " \t\n"),
            plain_text.replace("CERTIFICATE", "X509 CERTIFICATE"),
            plain_text.trim_end().to_owned(),
        ] {
            assert_eq!(
                certificates(text.as_bytes()).as_ref(),
                Ok(&expected),
                "{text}"
            );
            assert_eq!(readable_certificates(text.as_bytes()), expected, "{text}");
        }
        let trusted = plain_text.replace("CERTIFICATE", "TRUSTED CERTIFICATE");
        for text in [trusted.clone(), plain_text + &trusted] {
            assert_eq!(certificates(text.as_bytes()), Err(PemError::Trusted));
        }
        assert_eq!(&**plain(b"a\r\nb"), b"a\n\nb\n");
    }
}
