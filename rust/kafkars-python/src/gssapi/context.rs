//! The security context of one exchange with one service.

use std::ptr;
use std::sync::Arc;

use kafkars_client::config::{ContextStep, SecurityContext};

use super::credentials::Credentials;
use super::library::Library;
use super::types::{
    Buffer, CONTINUE_NEEDED, FLAGS, HOSTBASED_SERVICE, Handle, INDEFINITE, KERBEROS, wants_ticket,
};

/// A context of the library, with its name and credentials.
pub(super) struct Context {
    library: Arc<Library>,
    credentials: Credentials,
    service: Handle,
    handle: Handle,
}

// SAFETY: a context has no thread of its own, and `&mut` sees to it that one thread uses it at a time.
unsafe impl Send for Context {}

impl Context {
    /// Creates a context that has not begun yet.
    pub(super) fn new(
        library: &Arc<Library>,
        service: &str,
        credentials: Credentials,
    ) -> Result<Self, Arc<str>> {
        let name = library.name(service, &HOSTBASED_SERVICE);
        Ok(Self {
            library: Arc::clone(library),
            credentials,
            service: name.map_err(|problem| Arc::from(format!("{service}: {problem}")))?,
            handle: ptr::null_mut(),
        })
    }
}

impl SecurityContext for Context {
    fn step(&mut self, token: Option<&[u8]>) -> Result<ContextStep, Arc<str>> {
        let input = token.map_or(Buffer::EMPTY, Buffer::of);
        let (mut minor, mut output) = (0, Buffer::EMPTY);
        // SAFETY: handles are the library's or null, `input` points to bytes that outlive the call, and all other
        // pointers are to local variables and constants; null results are not wanted.
        let major = unsafe {
            (self.library.initiate_context)(
                &raw mut minor,
                self.credentials.handle,
                &raw mut self.handle,
                self.service,
                &KERBEROS,
                FLAGS,
                INDEFINITE,
                ptr::null_mut(),
                &raw const input,
                ptr::null_mut(),
                &raw mut output,
                ptr::null_mut(),
                ptr::null_mut(),
            )
        };
        let token = self.library.take(output);
        self.library
            .check(major, minor)
            .map_err(|problem| match wants_ticket(major, minor) {
                true => format!("{problem}; {}", self.credentials.advice),
                false => problem,
            })?;
        Ok(ContextStep {
            token,
            is_established: major & CONTINUE_NEEDED == 0,
        })
    }

    fn wrap(&mut self, message: &[u8]) -> Result<Vec<u8>, Arc<str>> {
        let input = Buffer::of(message);
        let (mut minor, mut output) = (0, Buffer::EMPTY);
        // SAFETY: the context is the library's, `input` points to bytes that outlive the call. Zeros ask for no
        // encryption and for the usual protection.
        let major = unsafe {
            (self.library.wrap)(
                &raw mut minor,
                self.handle,
                0,
                0,
                &raw const input,
                ptr::null_mut(),
                &raw mut output,
            )
        };
        let wrapped = self.library.take(output);
        self.library.check(major, minor)?;
        Ok(wrapped)
    }

    fn unwrap(&mut self, message: &[u8]) -> Result<Vec<u8>, Arc<str>> {
        let input = Buffer::of(message);
        let (mut minor, mut output) = (0, Buffer::EMPTY);
        // SAFETY: as for `wrap`.
        let major = unsafe {
            (self.library.unwrap)(
                &raw mut minor,
                self.handle,
                &raw const input,
                &raw mut output,
                ptr::null_mut(),
                ptr::null_mut(),
            )
        };
        let opened = self.library.take(output);
        self.library.check(major, minor)?;
        Ok(opened)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            let mut minor = 0;
            // SAFETY: the context came from the library and is not used again; no token is wanted.
            unsafe {
                (self.library.delete_context)(
                    &raw mut minor,
                    &raw mut self.handle,
                    ptr::null_mut(),
                );
            }
        }
        self.library.release(self.service);
    }
}
