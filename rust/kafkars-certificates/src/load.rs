//! Reads certificate chains and private keys from PEM (the key may be encrypted) or PKCS#12.

use p12_keystore::{KeyStore, Pkcs12ImportPolicy};
use pkcs8::EncryptedPrivateKeyInfoRef;
use rustls_pki_types::pem::{Error, PemObject, SectionKind};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use zeroize::Zeroizing;

use crate::pem::{PemError, certificates, instead, plain};

/// A chain that begins with the owner's certificate, and the owner's private key.
pub type CertifiedIdentity = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

/// The part of the input that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CertificatePart {
    /// The certificate or its chain.
    Certificate,
    /// The private key.
    Key,
    /// The password of the private key.
    KeyPassword,
    /// The PKCS#12 store.
    Store,
}

/// Why a certificate or a key cannot be read. The text contains nothing of the key or the password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct LoadError {
    /// The part that cannot be used.
    pub part: CertificatePart,
    /// What is wrong with it, and what to do.
    pub problem: String,
}

/// Reads the certificates of a PEM text.
///
/// # Errors
/// If there is none, or one is damaged.
pub fn chain(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, LoadError> {
    let chain = certificates(pem);
    let chain =
        chain.map_err(|error| wrong(CertificatePart::Certificate, format!("no PEM: {error}")))?;
    if chain.is_empty() {
        let instead = instead(pem);
        let problem = format!("holds no PEM certificate (-----BEGIN CERTIFICATE-----){instead}");
        return Err(wrong(CertificatePart::Certificate, problem));
    }
    Ok(chain)
}

/// Reads the private key of a PEM text, and decrypts it with the password if it is encrypted.
///
/// # Errors
/// If there is none, or the password does not decrypt it.
pub fn private_key(
    pem: &[u8],
    password: Option<&[u8]>,
) -> Result<PrivateKeyDer<'static>, LoadError> {
    let text = plain(pem);
    if let Some(encrypted) = encrypted_key(&text) {
        let missing = || {
            wrong(
                CertificatePart::KeyPassword,
                "is missing: the key is encrypted",
            )
        };
        let password = password.ok_or_else(missing)?;
        let key = EncryptedPrivateKeyInfoRef::try_from(encrypted.as_slice()).map_err(|error| {
            // Damage cannot be told from an encryption other than PBES2.
            let problem = format!(
                "the encrypted key cannot be read ({error}): it is damaged, or {UNKNOWN_SCHEME}"
            );
            wrong(CertificatePart::Key, problem)
        })?;
        let key = key.decrypt(password).map_err(refusal)?;
        return Ok(PrivatePkcs8KeyDer::from(key.as_bytes().to_vec()).into());
    }
    let mut windows = text.windows(PEM_ENCRYPTION.len());
    if windows.any(|window| window == PEM_ENCRYPTION) {
        let problem = "the key is encrypted in OpenSSL's old format; convert it with `openssl pkcs8 -topk8 -v2 aes256 -in OLD -out NEW`";
        return Err(wrong(CertificatePart::Key, problem));
    }
    PrivateKeyDer::from_pem_slice(&text).map_err(|error| {
        let problem = match error {
            Error::NoItemsFound => format!(
                "holds no private key as PEM (-----BEGIN PRIVATE KEY-----){}",
                instead(pem)
            ),
            damaged => format!("no PEM: {}", PemError::from(&damaged)),
        };
        wrong(CertificatePart::Key, problem)
    })
}

const UNKNOWN_SCHEME: &str = "encrypted in a way that is not known here (PBES2 with AES or 3DES is); convert it with \
     `openssl pkcs8 -topk8 -v2 aes256 -in OLD -out NEW`";

/// Why a key cannot be decrypted: the password is wrong, unless the encryption is unsupported.
fn refusal(error: pkcs8::Error) -> LoadError {
    use pkcs8::pkcs5::Error::{
        AlgorithmParametersInvalid, NoPbes1CryptSupport, UnsupportedAlgorithm,
    };
    match error {
        pkcs8::Error::EncryptedPrivateKey(
            AlgorithmParametersInvalid { .. } | NoPbes1CryptSupport | UnsupportedAlgorithm { .. },
        ) => wrong(CertificatePart::Key, format!("the key is {UNKNOWN_SCHEME}")),
        _ => wrong(CertificatePart::KeyPassword, "does not open the key"),
    }
}

/// Marks keys with OpenSSL's traditional encryption, which is that of PEM and not of PKCS#8.
const PEM_ENCRYPTION: &[u8] = b"Proc-Type: 4,ENCRYPTED";

fn encrypted_key(pem: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    const BEGIN: &str = "-----BEGIN ENCRYPTED PRIVATE KEY-----";
    const END: &str = "-----END ENCRYPTED PRIVATE KEY-----";
    // The text before and after it need not be UTF-8.
    let text = Zeroizing::new(String::from_utf8_lossy(pem).into_owned());
    let start = text.find(BEGIN)? + BEGIN.len();
    let body = &text[start..start + text[start..].find(END)?];
    // Only the label differs; the rest is read by the same code as any other PEM.
    let plain = Zeroizing::new(format!(
        "-----BEGIN PRIVATE KEY-----{body}-----END PRIVATE KEY-----\n"
    ));
    let mut sections = <(SectionKind, Vec<u8>)>::pem_slice_iter(plain.as_bytes());
    let (_, der) = sections.next()?.ok()?;
    Some(Zeroizing::new(der))
}

/// Reads the chain and the key of a PKCS#12 store.
///
/// # Errors
/// If the password does not open it, or it holds no key.
pub fn pkcs12(content: &[u8], password: &str) -> Result<CertifiedIdentity, LoadError> {
    let store = KeyStore::from_pkcs12(content, password, Pkcs12ImportPolicy::Relaxed);
    let store = store.map_err(|error| {
        let problem =
            format!("cannot be opened: {error}; is it PKCS#12, and ssl_keystore_password right?");
        wrong(CertificatePart::Store, problem)
    })?;
    let Some((_, entry)) = store.private_key_chain() else {
        let problem = "holds no private key with a certificate";
        return Err(wrong(CertificatePart::Store, problem));
    };
    let certificates = entry.certs().iter();
    let chain = certificates.map(|certificate| CertificateDer::from(certificate.as_der().to_vec()));
    let key = PrivatePkcs8KeyDer::from(entry.key().as_der().to_vec());
    Ok((chain.collect(), key.into()))
}

fn wrong(part: CertificatePart, problem: impl Into<String>) -> LoadError {
    LoadError {
        part,
        problem: problem.into(),
    }
}
