//! SCRAM is used with two hashes.

use aws_lc_rs::{digest, hmac, pbkdf2};

/// The hash that a login is made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HashAlgorithm {
    Sha256,
    Sha512,
}

impl HashAlgorithm {
    pub(crate) const ALL: [Self; 2] = [Self::Sha256, Self::Sha512];

    /// Kafka's number for it.
    pub(crate) fn code(self) -> i8 {
        match self {
            Self::Sha256 => 1,
            Self::Sha512 => 2,
        }
    }

    pub(crate) fn pbkdf2(self) -> pbkdf2::Algorithm {
        match self {
            Self::Sha256 => pbkdf2::PBKDF2_HMAC_SHA256,
            Self::Sha512 => pbkdf2::PBKDF2_HMAC_SHA512,
        }
    }

    /// Bytes of a hash.
    pub(crate) fn length(self) -> usize {
        self.digest().output_len
    }

    pub(crate) fn digest(self) -> &'static digest::Algorithm {
        match self {
            Self::Sha256 => &digest::SHA256,
            Self::Sha512 => &digest::SHA512,
        }
    }

    pub(crate) fn sign(self, key: &[u8], data: &[u8]) -> hmac::Tag {
        let algorithm = match self {
            Self::Sha256 => hmac::HMAC_SHA256,
            Self::Sha512 => hmac::HMAC_SHA512,
        };
        hmac::sign(&hmac::Key::new(algorithm, key), data)
    }
}
