//! The credentials that a context authenticates with.

use std::ffi::CString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ptr;
use std::sync::Arc;

use kafkars_client::config::KerberosCredentials;

use super::library::Library;
use super::types::{
    Handle, INDEFINITE, INITIATE, KERBEROS, KeyValue, KeyValueSet, OidSet, PRINCIPAL,
};

/// A credential of the library. Null stands for the system's default, which the library finds by itself.
pub(super) struct Credentials {
    library: Arc<Library>,
    pub(super) handle: Handle,
    /// What to tell the user when there is no ticket.
    pub(super) advice: String,
}

// SAFETY: a credential has no thread of its own, and `&mut` sees to it that one thread uses it at a time.
unsafe impl Send for Credentials {}

impl Credentials {
    /// Finds the credential that the settings mean.
    pub(super) fn acquire(
        library: &Arc<Library>,
        settings: &KerberosCredentials,
    ) -> Result<Self, Arc<str>> {
        let mut credentials = Self {
            library: Arc::clone(library),
            handle: ptr::null_mut(),
            advice: advice(settings),
        };
        let store = store(settings)?;
        if store.is_empty() && settings.principal.is_none() {
            return Ok(credentials);
        }
        let name = match &settings.principal {
            None => ptr::null_mut(),
            Some(principal) => library.name(principal, &PRINCIPAL).map_err(|problem| {
                Arc::from(format!("sasl_kerberos_principal {principal:?}: {problem}"))
            })?,
        };
        let acquired = credentials.fill(name, &store);
        library.release(name);
        acquired.map_err(|problem| Arc::from(format!("{problem}; {}", credentials.advice)))?;
        Ok(credentials)
    }

    fn fill(&mut self, name: Handle, store: &[(CString, CString)]) -> Result<(), String> {
        let library = &self.library;
        let mut mechanism = KERBEROS;
        let mechanisms = OidSet {
            count: 1,
            elements: &raw mut mechanism,
        };
        let mut elements: Vec<KeyValue> = store
            .iter()
            .map(|(key, value)| KeyValue {
                key: key.as_ptr(),
                value: value.as_ptr(),
            })
            .collect();
        let places = KeyValueSet {
            count: elements.len() as u32,
            elements: elements.as_mut_ptr(),
        };
        let mut minor = 0;
        let major = if elements.is_empty() {
            // SAFETY: the name is the library's or null, all other pointers are to local variables; null results are
            // not wanted.
            unsafe {
                (library.acquire_credential)(
                    &raw mut minor,
                    name,
                    INDEFINITE,
                    &raw const mechanisms,
                    INITIATE,
                    &raw mut self.handle,
                    ptr::null_mut(),
                    ptr::null_mut(),
                )
            }
        } else {
            let Some(acquire) = library.acquire_credential_from else {
                return Err(
                    "this Kerberos library takes no sasl_kerberos_keytab or sasl_kerberos_ccache; set KRB5_CLIENT_KTNAME or KRB5CCNAME instead"
                        .to_owned(),
                );
            };
            // SAFETY: as above; the texts of the store outlive the call.
            unsafe {
                acquire(
                    &raw mut minor,
                    name,
                    INDEFINITE,
                    &raw const mechanisms,
                    INITIATE,
                    &raw const places,
                    &raw mut self.handle,
                    ptr::null_mut(),
                    ptr::null_mut(),
                )
            }
        };
        library.check(major, minor)
    }
}

impl Drop for Credentials {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            let mut minor = 0;
            // SAFETY: the credential came from the library and is not used again.
            unsafe { (self.library.release_credential)(&raw mut minor, &raw mut self.handle) };
        }
    }
}

/// Tells the library, in its own terms, where to look for credentials.
fn store(settings: &KerberosCredentials) -> Result<Vec<(CString, CString)>, Arc<str>> {
    let text = |value: &str| {
        CString::new(value).map_err(|_| Arc::from("a setting of Kerberos has a NUL character"))
    };
    let mut store = Vec::new();
    if let Some(path) = &settings.keytab {
        let path = path.display().to_string();
        store.push((text("client_keytab")?, text(&path)?));
        // Tickets are cached in memory by keytab and principal, so that connections and clients of one identity share
        // them.
        let mut hasher = DefaultHasher::new();
        (&path, &settings.principal).hash(&mut hasher);
        let cache = format!("MEMORY:kafkars-{:016x}", hasher.finish());
        store.push((text("ccache")?, text(&cache)?));
    }
    if let Some(cache) = &settings.ccache {
        store.push((text("ccache")?, text(cache)?));
    }
    Ok(store)
}

/// What to do when there is no ticket.
fn advice(settings: &KerberosCredentials) -> String {
    match (&settings.keytab, &settings.ccache) {
        (Some(path), _) => format!("see sasl_kerberos_keytab {}", path.display()),
        (None, Some(cache)) => format!(
            "see sasl_kerberos_ccache {cache}: `kinit -c {cache}` puts a ticket there, or set sasl_kerberos_keytab"
        ),
        (None, None) => {
            "run kinit for a ticket, or set sasl_kerberos_keytab or sasl_kerberos_ccache".to_owned()
        }
    }
}
