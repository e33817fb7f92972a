//! The certificate that we show, and its key: PEM, also encrypted, or PKCS#12.

use std::sync::Arc;

use kafkars_core::config::{ClientIdentity, Pem, Secret};
use p12_keystore::{KeyStore, Pkcs12ImportPolicy};
use pkcs8::EncryptedPrivateKeyInfoRef;
use rustls::pki_types::pem::{PemObject, SectionKind};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use zeroize::Zeroizing;

use super::failure::TlsFailure;
use super::{read, setting};

const CERTIFICATE: &str = "ssl_certificate_location";
const KEY: &str = "ssl_key_location";
const KEY_PASSWORD: &str = "ssl_key_password";
const KEYSTORE: &str = "ssl_keystore_location";

/// A chain that begins with our certificate, and its key.
pub(super) type Identity = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

/// Reads both from where the settings say.
pub(super) fn load(
    identity: &ClientIdentity,
    password: Option<&Secret>,
) -> Result<Identity, TlsFailure> {
    match identity {
        ClientIdentity::Pem {
            certificate, key, ..
        } => {
            let chain = chain(&content(CERTIFICATE, certificate)?)?;
            let key = content(KEY, key.as_ref().unwrap_or(certificate))?;
            Ok((chain, private_key(&key, password)?))
        }
        ClientIdentity::Pkcs12 { location, .. } => {
            let content = Zeroizing::new(read(KEYSTORE, location)?);
            pkcs12(&content, password)
        }
    }
}

fn content(name: &'static str, pem: &Pem) -> Result<Zeroizing<Vec<u8>>, TlsFailure> {
    Ok(Zeroizing::new(match pem {
        Pem::File(path) => read(name, path)?,
        Pem::Text(text) => text.expose().as_bytes().to_vec(),
    }))
}

fn chain(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsFailure> {
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let chain = chain.map_err(|error| setting(CERTIFICATE, format!("no PEM: {error}")))?;
    match chain.is_empty() {
        true => Err(setting(
            CERTIFICATE,
            "holds no PEM certificate (-----BEGIN CERTIFICATE-----)".to_owned(),
        )),
        false => Ok(chain),
    }
}

fn private_key(
    pem: &[u8],
    password: Option<&Secret>,
) -> Result<PrivateKeyDer<'static>, TlsFailure> {
    if let Some(encrypted) = encrypted_key(pem) {
        let Some(password) = password else {
            return Err(setting(
                KEY_PASSWORD,
                "is missing: the key is encrypted".to_owned(),
            ));
        };
        let key = EncryptedPrivateKeyInfoRef::try_from(encrypted.as_slice())
            .map_err(|error| setting(KEY, format!("the encrypted key cannot be read: {error}")))?;
        let key = key.decrypt(password.expose()).map_err(|_| {
            setting(
                KEY_PASSWORD,
                "does not open the key, or the key is encrypted in a way that is not known here (PBES2 is)"
                    .to_owned(),
            )
        })?;
        return Ok(PrivatePkcs8KeyDer::from(key.as_bytes().to_vec()).into());
    }
    if pem
        .windows(PEM_ENCRYPTION.len())
        .any(|window| window == PEM_ENCRYPTION)
    {
        return Err(setting(
            KEY,
            "the key is encrypted in OpenSSL's old format; convert it with `openssl pkcs8 -topk8 -v2 aes256`"
                .to_owned(),
        ));
    }
    PrivateKeyDer::from_pem_slice(pem).map_err(|_| {
        setting(
            KEY,
            "holds no private key as PEM (-----BEGIN PRIVATE KEY-----)".to_owned(),
        )
    })
}

/// Marks keys that are encrypted below the level of PKCS#8.
const PEM_ENCRYPTION: &[u8] = b"Proc-Type: 4,ENCRYPTED";

fn encrypted_key(pem: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    const BEGIN: &str = "-----BEGIN ENCRYPTED PRIVATE KEY-----";
    const END: &str = "-----END ENCRYPTED PRIVATE KEY-----";
    let text = std::str::from_utf8(pem).ok()?;
    let start = text.find(BEGIN)? + BEGIN.len();
    let body = &text[start..start + text[start..].find(END)?];
    // The label differs, the rest is read by the same code as any other PEM.
    let plain = Zeroizing::new(format!(
        "-----BEGIN PRIVATE KEY-----{body}-----END PRIVATE KEY-----\n"
    ));
    let mut sections = <(SectionKind, Vec<u8>)>::pem_slice_iter(plain.as_bytes());
    let (_, der) = sections.next()?.ok()?;
    Some(Zeroizing::new(der))
}

fn pkcs12(content: &[u8], password: Option<&Secret>) -> Result<Identity, TlsFailure> {
    let password = password.map_or("", Secret::expose);
    let store =
        KeyStore::from_pkcs12(content, password, Pkcs12ImportPolicy::Relaxed).map_err(|error| {
            setting(
                KEYSTORE,
                format!(
                    "cannot be opened: {error}; is it PKCS#12, and ssl_keystore_password right?"
                ),
            )
        })?;
    let Some((_, entry)) = store.private_key_chain() else {
        return Err(setting(
            KEYSTORE,
            "holds no private key with a certificate".to_owned(),
        ));
    };
    let certificates = entry.certs().iter();
    let chain = certificates.map(|certificate| CertificateDer::from(certificate.as_der().to_vec()));
    let key = PrivatePkcs8KeyDer::from(entry.key().as_der().to_vec());
    Ok((chain.collect(), key.into()))
}

/// How rustls' complaint about a pair is told.
pub(super) fn unusable(error: &rustls::Error) -> TlsFailure {
    TlsFailure::Setting {
        setting: CERTIFICATE,
        problem: Arc::from(format!("certificate and key cannot be used: {error}")),
    }
}
