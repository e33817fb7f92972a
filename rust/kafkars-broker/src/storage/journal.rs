//! Commits since `state.json` was written, a line each: a commit costs as much with a thousand topics as with one.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::snapshot::{OffsetSnapshot, ShareSnapshot};
use crate::private_files;

/// The length up to which the journal always grows; beyond, it is put into `state.json` when it is as long as that
/// file.
const SHORTEST: u64 = 64 << 10;

/// A line of the journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum JournalEntry {
    /// The first line: which `state.json` the others come after. Beside any other one they are out of date.
    After {
        length: u64,
        checksum: u32,
    },
    Commit(OffsetSnapshot),
    Share(ShareSnapshot),
}

/// The journal.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    /// The journal's length in bytes; 0 if there are no lines that count.
    length: u64,
    state_length: u64,
    state_checksum: u32,
}

impl Journal {
    pub(super) fn new(path: PathBuf) -> Self {
        Self {
            path,
            length: 0,
            state_length: 0,
            state_checksum: 0,
        }
    }

    /// Reads the lines that come after this `state.json`. A last line that was not written whole was never answered
    /// for.
    pub(super) fn read(path: &Path, state: &[u8]) -> io::Result<Vec<JournalEntry>> {
        let content = match fs::read(path) {
            Ok(content) => content,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let whole = content.iter().rposition(|byte| *byte == b'\n');
        let lines = content.get(..whole.unwrap_or(0)).unwrap_or_default();
        let mut entries = Vec::new();
        for line in lines
            .split(|byte| *byte == b'\n')
            .filter(|it| !it.is_empty())
        {
            entries.push(serde_json::from_slice(line)?);
        }
        match entries.first() {
            Some(JournalEntry::After { length, checksum })
                if *length == state.len() as u64 && *checksum == crc32c::crc32c(state) =>
            {
                entries.remove(0);
                Ok(entries)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Begins anew after a `state.json` that has just been written, with everything in it.
    pub(super) fn begin(&mut self, state: &[u8]) {
        if let Err(error) = fs::remove_file(&self.path)
            && error.kind() != io::ErrorKind::NotFound
        {
            tracing::debug!(%error, "an old journal stays, which is out of date");
        }
        self.length = 0;
        self.state_length = state.len() as u64;
        self.state_checksum = crc32c::crc32c(state);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.length == 0
    }

    pub(super) fn is_long(&self) -> bool {
        self.length > self.state_length.max(SHORTEST)
    }

    /// Adds lines. On failure the file is as it was.
    pub(super) fn append(&mut self, entries: &[JournalEntry]) -> io::Result<()> {
        let mut lines = Vec::new();
        let is_new = self.length == 0;
        let first = JournalEntry::After {
            length: self.state_length,
            checksum: self.state_checksum,
        };
        for entry in is_new.then_some(&first).into_iter().chain(entries) {
            serde_json::to_writer(&mut lines, entry)?;
            lines.push(b'\n');
        }
        let mut file = if is_new {
            private_files::create_file(&self.path)?
        } else {
            OpenOptions::new().append(true).open(&self.path)?
        };
        if let Err(error) = file.write_all(&lines) {
            // A part of a line in the middle would damage what comes behind.
            let _ = file.set_len(self.length);
            return Err(error);
        }
        self.length += lines.len() as u64;
        Ok(())
    }
}
