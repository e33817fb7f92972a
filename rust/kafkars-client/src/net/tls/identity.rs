//! The certificate that we show, and its key: PEM, also encrypted, or PKCS#12.

use std::sync::Arc;

use kafkars_certificates::{Identity, LoadError, Part};
use kafkars_core::config::{ClientIdentity, Pem, Secret};
use zeroize::Zeroizing;

use super::failure::TlsFailure;
use super::{read, setting};

const CERTIFICATE: &str = "ssl_certificate_location";
const KEY: &str = "ssl_key_location";
const KEY_PASSWORD: &str = "ssl_key_password";
const KEYSTORE: &str = "ssl_keystore_location";

/// Reads both from where the settings say.
pub(super) fn load(
    identity: &ClientIdentity,
    password: Option<&Secret>,
) -> Result<Identity, TlsFailure> {
    match identity {
        ClientIdentity::Pem {
            certificate, key, ..
        } => {
            let chain = content(CERTIFICATE, certificate)?;
            let chain = kafkars_certificates::chain(&chain).map_err(unreadable)?;
            let key = content(KEY, key.as_ref().unwrap_or(certificate))?;
            let key = kafkars_certificates::private_key(&key, password.map(Secret::expose));
            Ok((chain, key.map_err(unreadable)?))
        }
        ClientIdentity::Pkcs12 { location, .. } => {
            let content = Zeroizing::new(read(KEYSTORE, location)?);
            let password = password.map_or("", Secret::expose);
            kafkars_certificates::pkcs12(&content, password).map_err(unreadable)
        }
    }
}

fn content(name: &'static str, pem: &Pem) -> Result<Zeroizing<Vec<u8>>, TlsFailure> {
    Ok(Zeroizing::new(match pem {
        Pem::File(path) => read(name, path)?,
        Pem::Text(text) => text.expose().as_bytes().to_vec(),
    }))
}

/// How a certificate or a key that cannot be read is told.
fn unreadable(error: LoadError) -> TlsFailure {
    let name = match error.part {
        Part::Certificate => CERTIFICATE,
        Part::Key => KEY,
        Part::KeyPassword => KEY_PASSWORD,
        Part::Store => KEYSTORE,
    };
    setting(name, error.problem)
}

/// How rustls' complaint about a pair is told.
pub(super) fn unusable(error: &rustls::Error) -> TlsFailure {
    TlsFailure::Setting {
        setting: CERTIFICATE,
        problem: Arc::from(format!("certificate and key cannot be used: {error}")),
    }
}
