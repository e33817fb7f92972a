//! The client's certificate and its private key: PEM, which may be encrypted, or PKCS#12.

use std::sync::Arc;

use kafkars_certificates::{CertificatePart, CertifiedIdentity, LoadError, Trusted};
use kafkars_core::config::{ClientIdentity, Pem, Secret};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use zeroize::Zeroizing;

use super::failure::TlsFailure;
use super::setting_files::{read, setting};

const CERTIFICATE: &str = "ssl_certificate_location";
const KEY: &str = "ssl_key_location";
const KEY_PASSWORD: &str = "ssl_key_password";
const KEYSTORE: &str = "ssl_keystore_location";

/// Reads both from where the settings say.
pub(super) fn load(
    identity: &ClientIdentity,
    password: Option<&Secret>,
) -> Result<CertifiedIdentity, TlsFailure> {
    match identity {
        ClientIdentity::Pem {
            certificate, key, ..
        } => {
            let chain = content(CERTIFICATE, certificate)?;
            let chain = kafkars_certificates::chain(&chain).map_err(unreadable)?;
            let name = key.as_ref().map_or(CERTIFICATE, |_| KEY);
            let key = content(KEY, key.as_ref().unwrap_or(certificate))?;
            let key = kafkars_certificates::private_key(&key, password.map(Secret::expose_bytes));
            let key = key.map_err(unreadable)?;
            check_kind(name, &key)?;
            Ok((chain, key))
        }
        ClientIdentity::Pkcs12 { location, .. } => {
            let content = Zeroizing::new(read(KEYSTORE, location)?);
            let password = password.map_or("", Secret::expose);
            let found = kafkars_certificates::pkcs12(&content, password).map_err(unreadable)?;
            check_kind(KEYSTORE, &found.1)?;
            Ok(found)
        }
    }
}

/// Refuses a key of a kind that TLS here cannot sign with.
fn check_kind(name: &'static str, key: &PrivateKeyDer<'_>) -> Result<(), TlsFailure> {
    let usable = rustls::crypto::aws_lc_rs::sign::any_supported_type(key);
    usable.map(drop).map_err(|_| {
        let problem = "the private key is of a kind that is not offered: RSA of 2048 to 8192 bits (not RSA-PSS), EC of \
                       P-256, P-384 and P-521, and Ed25519 are; have a certificate issued for such a key";
        setting(name, problem.to_owned())
    })
}

fn content(name: &'static str, pem: &Pem) -> Result<Zeroizing<Vec<u8>>, TlsFailure> {
    Ok(Zeroizing::new(match pem {
        Pem::File(path) => read(name, path)?,
        Pem::Text(text) => text.expose().as_bytes().to_vec(),
    }))
}

/// The failure for a certificate or a key that cannot be read.
fn unreadable(error: LoadError) -> TlsFailure {
    let name = match error.part {
        CertificatePart::Certificate => CERTIFICATE,
        CertificatePart::Key => KEY,
        CertificatePart::KeyPassword => KEY_PASSWORD,
        CertificatePart::Store => KEYSTORE,
    };
    setting(name, error.problem)
}

/// Pairs a certificate with its key, which have to match. All else is for the broker to judge, also an X.509 version 1
/// certificate, which rustls would not read.
pub(super) fn pair(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
    provider: &CryptoProvider,
) -> Result<CertifiedKey, TlsFailure> {
    let key = provider.key_provider.load_private_key(key);
    let pair = CertifiedKey::new(chain, key.map_err(|error| unusable(&error))?);
    let error = match pair.keys_match() {
        Ok(()) => return Ok(pair),
        Err(error) => error,
    };
    let own = pair.cert.first().and_then(|own| Trusted::read(own));
    let is_own = own.is_some_and(|own| {
        let public = pair.key.public_key();
        public.is_none_or(|public| public.ends_with(&own.key.bits))
    });
    match is_own {
        true => Ok(pair),
        false => Err(unusable(&error)),
    }
}

/// The failure for a pair that rustls refuses.
fn unusable(error: &rustls::Error) -> TlsFailure {
    TlsFailure::Setting {
        setting: CERTIFICATE,
        problem: Arc::from(format!("certificate and key cannot be used: {error}")),
    }
}
