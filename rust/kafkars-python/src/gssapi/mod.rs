//! GSSAPI by the system's Kerberos library, which is loaded when the first client needs it.
//!
//! Nothing is linked, so that everything else runs on a machine without Kerberos. Calling a C library takes `unsafe`
//! code, which only this crate may have; the engine sees a trait (`KerberosLibrary`).

mod context;
mod credentials;
mod library;
mod types;

use std::sync::{Arc, OnceLock};

use kafkars_client::config::{Kerberos, KerberosCredentials, KerberosLibrary, SecurityContext};

use self::context::Context;
use self::credentials::Credentials;
use self::library::Library;

/// The library. It is loaded once; if it could not be loaded the next call tries again, because it may have been
/// installed meanwhile.
pub(crate) fn library() -> Result<Kerberos, String> {
    static LOADED: OnceLock<Kerberos> = OnceLock::new();
    if let Some(loaded) = LOADED.get() {
        return Ok(loaded.clone());
    }
    let library = Library::load()?;
    Ok(LOADED
        .get_or_init(|| Kerberos(Arc::new(System(Arc::new(library)))))
        .clone())
}

struct System(Arc<Library>);

impl KerberosLibrary for System {
    fn initiate(
        &self,
        service: &str,
        credentials: &KerberosCredentials,
    ) -> Result<Box<dyn SecurityContext>, Arc<str>> {
        let credentials = Credentials::acquire(&self.0, credentials)?;
        Ok(Box::new(Context::new(&self.0, service, credentials)?))
    }
}
