//! The C types of GSSAPI (RFC 2744), as MIT Kerberos and Heimdal lay them out.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;

/// An opaque handle of the library.
pub(super) type Handle = *mut c_void;

/// `OM_uint32`.
pub(super) type GssStatus = u32;

/// `gss_buffer_desc`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Buffer {
    pub(super) length: usize,
    pub(super) value: *mut c_void,
}

impl Buffer {
    pub(super) const EMPTY: Self = Self {
        length: 0,
        value: ptr::null_mut(),
    };

    /// A buffer of bytes that the library reads. They must outlive the call.
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self {
            length: bytes.len(),
            value: bytes.as_ptr().cast_mut().cast(),
        }
    }
}

/// `gss_OID_desc`. Apple's headers pack it on Intel.
#[cfg_attr(all(target_os = "macos", target_arch = "x86_64"), repr(C, packed(2)))]
#[cfg_attr(not(all(target_os = "macos", target_arch = "x86_64")), repr(C))]
#[derive(Clone, Copy)]
pub(super) struct Oid {
    length: u32,
    elements: *mut c_void,
}

impl Oid {
    const fn of(bytes: &'static [u8]) -> Self {
        Self {
            length: bytes.len() as u32,
            elements: bytes.as_ptr().cast_mut().cast(),
        }
    }
}

/// The mechanism Kerberos 5: 1.2.840.113554.1.2.2.
pub(super) const KERBEROS: Oid = Oid::of(b"\x2a\x86\x48\x86\xf7\x12\x01\x02\x02");
/// A name of the form service@host: 1.2.840.113554.1.2.1.4.
pub(super) const HOSTBASED_SERVICE: Oid = Oid::of(b"\x2a\x86\x48\x86\xf7\x12\x01\x02\x01\x04");
/// A name of the form name@REALM: 1.2.840.113554.1.2.2.1.
pub(super) const PRINCIPAL: Oid = Oid::of(b"\x2a\x86\x48\x86\xf7\x12\x01\x02\x02\x01");

/// `gss_OID_set_desc`.
#[cfg_attr(all(target_os = "macos", target_arch = "x86_64"), repr(C, packed(2)))]
#[cfg_attr(not(all(target_os = "macos", target_arch = "x86_64")), repr(C))]
pub(super) struct OidSet {
    pub(super) count: usize,
    pub(super) elements: *mut Oid,
}

/// `gss_key_value_element_desc`.
#[repr(C)]
pub(super) struct KeyValue {
    pub(super) key: *const c_char,
    pub(super) value: *const c_char,
}

/// `gss_key_value_set_desc`.
#[repr(C)]
pub(super) struct KeyValueSet {
    pub(super) count: u32,
    pub(super) elements: *mut KeyValue,
}

/// `GSS_C_INITIATE`.
pub(super) const INITIATE: c_int = 1;
/// `GSS_C_INDEFINITE`.
pub(super) const INDEFINITE: u32 = u32::MAX;
/// `GSS_C_GSS_CODE`: a status of GSSAPI itself.
pub(super) const OF_GSSAPI: c_int = 1;
/// `GSS_C_MECH_CODE`: a status of the mechanism.
pub(super) const OF_MECHANISM: c_int = 2;
/// `GSS_S_CONTINUE_NEEDED`.
pub(super) const CONTINUE_NEEDED: GssStatus = 1;

/// The bits of a status that stand for an error.
pub(super) const ERROR_BITS: GssStatus = 0xffff_0000;

/// The error bits of routine errors, which are not faults of the call itself.
const ROUTINE_BITS: GssStatus = 0x00ff_0000;

/// Routine errors that a new ticket mends: there is no credential, it cannot be used, it has expired.
const WITHOUT_TICKET: [GssStatus; 3] = [7 << 16, 10 << 16, 11 << 16];

/// MIT Kerberos's own codes for a missing ticket: it has expired, it is not in the cache, there is no cache.
const WITHOUT_TICKET_OF_KERBEROS: [i32; 3] = [-1_765_328_352, -1_765_328_243, -1_765_328_189];

/// True if an error means that there is no valid ticket, rather than an unknown service or a failing key distribution
/// centre.
pub(super) fn wants_ticket(major: GssStatus, minor: GssStatus) -> bool {
    WITHOUT_TICKET.contains(&(major & ROUTINE_BITS))
        || WITHOUT_TICKET_OF_KERBEROS.contains(&minor.cast_signed())
}

/// Mutual authentication, and detection of repeated, reordered and changed messages.
pub(super) const FLAGS: u32 = 2 | 4 | 8 | 32;
