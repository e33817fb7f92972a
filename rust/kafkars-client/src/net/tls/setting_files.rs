//! The files that TLS settings name: their content, and whether they have changed.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::failure::TlsFailure;
use crate::net::secrets;

/// A file, and its state if it exists.
pub(super) type FileState = (PathBuf, Option<FileStamp>);

/// Tells a file from one that replaced it, also if time and length are the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FileStamp {
    modified: SystemTime,
    length: u64,
    identity: (u64, u64, i64, i64),
}

/// The state of a file, or of a directory and everything in it.
pub(super) fn states(path: &PathBuf) -> Vec<FileState> {
    let mut states = vec![(path.clone(), state(path))];
    if let Ok(entries) = std::fs::read_dir(path) {
        let entries = entries.flatten().map(|entry| entry.path());
        states.extend(entries.map(|path| (path.clone(), state(&path))));
        states.sort();
    }
    states
}

fn state(path: &Path) -> Option<FileStamp> {
    let metadata = std::fs::metadata(path).ok()?;
    Some(FileStamp {
        modified: metadata.modified().ok()?,
        length: metadata.len(),
        identity: identity_of(&metadata),
    })
}

/// The device, the inode, and the time of the last change of the inode, which nobody can set.
#[cfg(unix)]
fn identity_of(metadata: &Metadata) -> (u64, u64, i64, i64) {
    use std::os::unix::fs::MetadataExt;
    let when = (metadata.ctime(), metadata.ctime_nsec());
    (metadata.dev(), metadata.ino(), when.0, when.1)
}

#[cfg(not(unix))]
fn identity_of(_metadata: &Metadata) -> (u64, u64, i64, i64) {
    (0, 0, 0, 0)
}

/// Reads a file that a setting names.
pub(super) fn read(name: &'static str, path: &Path) -> Result<Vec<u8>, TlsFailure> {
    secrets::check_regular(path).map_err(|problem| setting(name, problem))?;
    std::fs::read(path).map_err(|error| setting(name, format!("{}: {error}", path.display())))
}

/// The failure for a setting that cannot be used.
pub(super) fn setting(setting: &'static str, problem: String) -> TlsFailure {
    TlsFailure::Setting {
        setting,
        problem: problem.into(),
    }
}
