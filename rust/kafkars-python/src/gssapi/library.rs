//! The functions of the system's Kerberos library, found at run time.

use std::ffi::{OsString, c_int};
use std::ptr;

use super::types::{
    Buffer, ERROR_BITS, GssStatus, Handle, KERBEROS, KeyValueSet, OF_GSSAPI, OF_MECHANISM, Oid,
    OidSet,
};

/// The environment variable that names another library than the usual one.
const VARIABLE: &str = "KAFKARS_GSSAPI_LIBRARY";

#[cfg(windows)]
const NAMES: &[&str] = &["gssapi64.dll"];
#[cfg(target_os = "macos")]
const NAMES: &[&str] = &[
    "libgssapi_krb5.2.2.dylib",
    "/opt/homebrew/opt/krb5/lib/libgssapi_krb5.2.2.dylib",
    "/usr/local/opt/krb5/lib/libgssapi_krb5.2.2.dylib",
    "/System/Library/Frameworks/GSS.framework/GSS",
];
#[cfg(not(any(windows, target_os = "macos")))]
const NAMES: &[&str] = &["libgssapi_krb5.so.2"];

#[cfg(windows)]
const ADVICE: &str = "install MIT Kerberos for Windows";
#[cfg(target_os = "macos")]
const ADVICE: &str = "install it with `brew install krb5`";
#[cfg(not(any(windows, target_os = "macos")))]
const ADVICE: &str = "install the package libgssapi-krb5-2 (Debian, Ubuntu), krb5-libs (Fedora, RHEL, Alpine) or krb5 (Arch)";

type ReleaseName = unsafe extern "C" fn(*mut GssStatus, *mut Handle) -> GssStatus;
type ReleaseBuffer = unsafe extern "C" fn(*mut GssStatus, *mut Buffer) -> GssStatus;
type ReleaseCredential = unsafe extern "C" fn(*mut GssStatus, *mut Handle) -> GssStatus;
type DeleteContext = unsafe extern "C" fn(*mut GssStatus, *mut Handle, *mut Buffer) -> GssStatus;
type ImportName =
    unsafe extern "C" fn(*mut GssStatus, *const Buffer, *const Oid, *mut Handle) -> GssStatus;
type AcquireCredential = unsafe extern "C" fn(
    *mut GssStatus,
    Handle,
    u32,
    *const OidSet,
    c_int,
    *mut Handle,
    *mut *mut OidSet,
    *mut u32,
) -> GssStatus;
type AcquireCredentialFrom = unsafe extern "C" fn(
    *mut GssStatus,
    Handle,
    u32,
    *const OidSet,
    c_int,
    *const KeyValueSet,
    *mut Handle,
    *mut *mut OidSet,
    *mut u32,
) -> GssStatus;
type InitiateContext = unsafe extern "C" fn(
    *mut GssStatus,
    Handle,
    *mut Handle,
    Handle,
    *const Oid,
    u32,
    u32,
    Handle,
    *const Buffer,
    *mut *mut Oid,
    *mut Buffer,
    *mut u32,
    *mut u32,
) -> GssStatus;
type Wrap = unsafe extern "C" fn(
    *mut GssStatus,
    Handle,
    c_int,
    u32,
    *const Buffer,
    *mut c_int,
    *mut Buffer,
) -> GssStatus;
type Unwrap = unsafe extern "C" fn(
    *mut GssStatus,
    Handle,
    *const Buffer,
    *mut Buffer,
    *mut c_int,
    *mut u32,
) -> GssStatus;
type DisplayStatus = unsafe extern "C" fn(
    *mut GssStatus,
    GssStatus,
    c_int,
    *const Oid,
    *mut u32,
    *mut Buffer,
) -> GssStatus;

/// The functions that are used. They may be called as long as this value lives, which keeps the library loaded.
pub(super) struct Library {
    pub(super) import_name: ImportName,
    pub(super) release_name: ReleaseName,
    pub(super) acquire_credential: AcquireCredential,
    /// `None` in releases of Heimdal that do not have it.
    pub(super) acquire_credential_from: Option<AcquireCredentialFrom>,
    pub(super) release_credential: ReleaseCredential,
    pub(super) initiate_context: InitiateContext,
    pub(super) delete_context: DeleteContext,
    pub(super) wrap: Wrap,
    pub(super) unwrap: Unwrap,
    release_buffer: ReleaseBuffer,
    display_status: DisplayStatus,
    _loaded: libloading::Library,
}

impl Library {
    /// Loads the system's library. The error says what to install.
    pub(super) fn load() -> Result<Self, String> {
        let given = std::env::var_os(VARIABLE).filter(|name| !name.is_empty());
        let names: Vec<OsString> = match given {
            Some(name) => vec![name],
            None => NAMES.iter().map(OsString::from).collect(),
        };
        let mut problems = Vec::new();
        for name in &names {
            // SAFETY: initialisers of the system's Kerberos library have no conditions; a library that the user names
            // is the user's word.
            match unsafe { libloading::Library::new(name) } {
                Ok(loaded) => return Self::of(loaded),
                Err(problem) => {
                    let cause = std::error::Error::source(&problem).map(ToString::to_string);
                    problems.push(cause.unwrap_or_else(|| problem.to_string()));
                }
            }
        }
        Err(format!(
            "the system's Kerberos library cannot be loaded ({}); {ADVICE}",
            problems.join("; ")
        ))
    }

    fn of(loaded: libloading::Library) -> Result<Self, String> {
        macro_rules! function {
            ($name:literal) => {
                // SAFETY: the types are those of RFC 2744 and of MIT's extensions, which the libraries implement.
                *unsafe { loaded.get(concat!($name, "\0").as_bytes()) }.map_err(|problem| {
                    format!("the Kerberos library lacks {}: {problem}", $name)
                })?
            };
        }
        Ok(Self {
            import_name: function!("gss_import_name"),
            release_name: function!("gss_release_name"),
            acquire_credential: function!("gss_acquire_cred"),
            // SAFETY: as above.
            acquire_credential_from: unsafe { loaded.get(b"gss_acquire_cred_from\0") }
                .ok()
                .map(|found| *found),
            release_credential: function!("gss_release_cred"),
            initiate_context: function!("gss_init_sec_context"),
            delete_context: function!("gss_delete_sec_context"),
            wrap: function!("gss_wrap"),
            unwrap: function!("gss_unwrap"),
            release_buffer: function!("gss_release_buffer"),
            display_status: function!("gss_display_status"),
            _loaded: loaded,
        })
    }

    /// Fails with the library's error message: that of Kerberos if there is one, otherwise that of GSSAPI.
    pub(super) fn check(&self, major: GssStatus, minor: GssStatus) -> Result<(), String> {
        if major & ERROR_BITS == 0 {
            return Ok(());
        }
        let own = self.words(minor, OF_MECHANISM).filter(|_| minor != 0);
        let words = own.or_else(|| self.words(major & ERROR_BITS, OF_GSSAPI));
        Err(words.unwrap_or_else(|| format!("GSSAPI status {major:#x}, {minor}")))
    }

    fn words(&self, status: GssStatus, kind: c_int) -> Option<String> {
        let (mut minor, mut more, mut text) = (0, 0, Buffer::EMPTY);
        // SAFETY: every pointer is to a local variable or a constant of the right type.
        let major = unsafe {
            (self.display_status)(
                &raw mut minor,
                status,
                kind,
                &KERBEROS,
                &raw mut more,
                &raw mut text,
            )
        };
        let words = self.take(text);
        let words = String::from_utf8_lossy(&words).into_owned();
        (major & ERROR_BITS == 0 && !words.is_empty()).then_some(words)
    }

    /// The content of a buffer that the library has filled; the buffer is released.
    pub(super) fn take(&self, mut buffer: Buffer) -> Vec<u8> {
        let content = match buffer.value.is_null() || buffer.length == 0 {
            true => Vec::new(),
            // SAFETY: the library has said that so many bytes are there, and they are its until they are released
            // below.
            false => unsafe {
                std::slice::from_raw_parts(buffer.value.cast::<u8>(), buffer.length).to_vec()
            },
        };
        let mut minor = 0;
        // SAFETY: the buffer came from the library and is not used again.
        unsafe { (self.release_buffer)(&raw mut minor, &raw mut buffer) };
        content
    }

    /// Imports a name into the library; `kind` is its form.
    pub(super) fn name(&self, text: &str, kind: &Oid) -> Result<Handle, String> {
        let buffer = Buffer::of(text.as_bytes());
        let (mut minor, mut name) = (0, ptr::null_mut());
        // SAFETY: the buffer points to `text`, which outlives the call; the library copies it.
        let major =
            unsafe { (self.import_name)(&raw mut minor, &raw const buffer, kind, &raw mut name) };
        self.check(major, minor)?;
        Ok(name)
    }

    /// Releases a name.
    pub(super) fn release(&self, mut name: Handle) {
        if !name.is_null() {
            let mut minor = 0;
            // SAFETY: the name came from `Library::name` and is not used again.
            unsafe { (self.release_name)(&raw mut minor, &raw mut name) };
        }
    }
}
