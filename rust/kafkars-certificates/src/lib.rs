//! Certificates and their keys: reading them from PEM and PKCS#12, formatting their subjects, making them for tests.
//!
//! The client and the embedded broker both read certificates here. Nothing here opens a file or a socket.
#![forbid(unsafe_code)]

mod authority;
mod contents;
mod der;
mod load;
mod make;
mod pem;
mod revocation;
mod subject;

pub use authority::{CertifiedKey, Trusted};
pub use load::{CertificatePart, CertifiedIdentity, LoadError, chain, pkcs12, private_key};
pub use make::{Authority, KeyKind, MadeCertificate, MakeError, NewCertificate};
pub use pem::{PemError, certificates, instead, readable_certificates, revocation_lists};
pub use revocation::RevocationList;
pub use subject::distinguished_name;
