//! A directory that keeps what the cluster has across restarts, where one is asked for.
//!
//! ```text
//! lock                     held while a broker uses the directory
//! state.json               topics, settings, committed offsets, transactions, quotas, credentials: written whole
//! commits.jsonl            offsets committed since then, and where share groups are: appended to, until it is as long
//! logs/<topic id>/0.log    the batches of a partition, as in the log: appended to before a producer gets its answer
//! ```
//!
//! All records are in memory too; the files are read at the start only. What was answered survives the end of the
//! process however it ends, but like in Kafka nothing forces the system to put it on the disk at once.

mod journal;
pub(crate) mod restore;
mod snapshot;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use kafkars_protocol::{ApiKey, Uuid};

use crate::error::EmbeddedBrokerError;
use crate::log::folder::LogFolder;
use crate::private_files;
use crate::state::ClusterState;

use journal::{Journal, JournalEntry};
use snapshot::OffsetSnapshot;
pub(crate) use snapshot::Snapshot;

const STATE: &str = "state.json";
const JOURNAL: &str = "commits.jsonl";

/// The directory, while it is in use.
#[derive(Debug)]
pub(crate) struct Storage {
    folder: PathBuf,
    logs: LogFolder,
    cluster_id: String,
    /// The content that was written last, to leave out writing it again.
    saved: Vec<u8>,
    journal: Journal,
    /// The offsets of share groups when they were kept last.
    shares: BTreeMap<(String, Uuid, i32), i64>,
    /// The lock of the directory, which is unlocked when it is dropped.
    _lock: File,
}

impl Storage {
    /// Takes a directory into use, and reads what an earlier broker has left in it.
    pub(crate) fn open(
        folder: &Path,
        new_id: String,
    ) -> Result<(Self, Option<Snapshot>), EmbeddedBrokerError> {
        let failed = |path: &Path, error: io::Error| failure(path, error.to_string());
        let logs = LogFolder::open(&folder.join("logs"));
        let logs = logs.map_err(|error| failed(folder, error))?;
        let path = folder.join("lock");
        let lock = private_files::create_file(&path).map_err(|error| failed(&path, error))?;
        if lock.try_lock().is_err() {
            let reason = "another broker is using it; stop that one or name another directory";
            return Err(failure(folder, reason.to_owned()));
        }
        let snapshot = read(folder)?;
        let cluster_id = snapshot
            .as_ref()
            .map_or(new_id, |snapshot| snapshot.cluster_id.clone());
        let storage = Self {
            folder: folder.to_owned(),
            logs,
            cluster_id,
            saved: Vec::new(),
            journal: Journal::new(folder.join(JOURNAL)),
            shares: BTreeMap::new(),
            _lock: lock,
        };
        Ok((storage, snapshot))
    }

    pub(crate) fn cluster_id(&self) -> &str {
        &self.cluster_id
    }

    /// Writes what has changed, but for records. Called before an answer says that it has.
    pub(crate) fn save(&mut self, state: &mut ClusterState) -> io::Result<()> {
        let saved = self.write(&Snapshot::of(&self.cluster_id, state));
        if saved.is_ok() {
            drop(state.groups.offsets.take_changed());
            let shares = state.shares.snapshot();
            let shares = shares.map(|(group, topic, partition, start_offset)| {
                ((group.to_owned(), topic, partition), start_offset)
            });
            self.shares = shares.collect();
        }
        state.unsaved = saved.is_err();
        saved
    }

    /// Writes what has changed, where nothing but commits and the progress of share groups has.
    pub(crate) fn save_commits(&mut self, state: &mut ClusterState) -> io::Result<()> {
        if state.unsaved || self.journal.is_long() {
            return self.save(state);
        }
        let saved = self.append_commits(state);
        state.unsaved = saved.is_err();
        saved
    }

    /// Writes everything but records, if it has changed.
    fn write(&mut self, state: &Snapshot) -> io::Result<()> {
        let content = serde_json::to_vec(state)?;
        if content != self.saved || !self.journal.is_empty() {
            private_files::write_whole(&self.folder.join(STATE), &content)?;
            self.journal.begin(&content);
            self.saved = content;
        }
        Ok(())
    }

    /// Writes down what has been committed since the last time.
    fn append_commits(&mut self, state: &mut ClusterState) -> io::Result<()> {
        let offsets = &mut state.groups.offsets;
        let changed = offsets.take_changed();
        let commits = changed.into_iter().filter_map(|(group, topic, partition)| {
            let committed = offsets.committed(&group, &topic, partition)?.clone();
            Some(JournalEntry::Commit(OffsetSnapshot {
                group,
                topic,
                partition,
                producer_id: None,
                committed,
            }))
        });
        let mut entries: Vec<JournalEntry> = commits.collect();
        for (group, topic, partition, start_offset) in state.shares.snapshot() {
            let key = (group.to_owned(), topic, partition);
            if self.shares.insert(key, start_offset) != Some(start_offset) {
                let share = snapshot::share((group, topic, partition, start_offset));
                entries.push(JournalEntry::Share(share));
            }
        }
        if entries.is_empty() {
            return Ok(());
        }
        self.journal.append(&entries)
    }
}

/// True if a request of this kind commits where a group is, and changes nothing else that is kept.
pub(crate) fn is_commit(api: ApiKey) -> bool {
    matches!(
        api,
        ApiKey::OffsetCommit | ApiKey::ShareFetch | ApiKey::ShareAcknowledge
    )
}

/// True if a request of this kind changes what is kept besides records.
pub(crate) fn is_change(api: ApiKey) -> bool {
    matches!(
        api,
        ApiKey::CreateTopics
            | ApiKey::DeleteTopics
            | ApiKey::DeleteRecords
            | ApiKey::InitProducerId
            | ApiKey::AddPartitionsToTxn
            | ApiKey::AddOffsetsToTxn
            | ApiKey::EndTxn
            | ApiKey::TxnOffsetCommit
            | ApiKey::AlterConfigs
            | ApiKey::IncrementalAlterConfigs
            | ApiKey::CreatePartitions
            | ApiKey::DeleteGroups
            | ApiKey::OffsetDelete
            | ApiKey::AlterShareGroupOffsets
            | ApiKey::DeleteShareGroupOffsets
            | ApiKey::AlterClientQuotas
            | ApiKey::AlterUserScramCredentials
            | ApiKey::CreateAcls
            | ApiKey::DeleteAcls
            | ApiKey::AlterPartitionReassignments
            | ApiKey::UpdateFeatures
    )
}

fn read(folder: &Path) -> Result<Option<Snapshot>, EmbeddedBrokerError> {
    let path = folder.join(STATE);
    let content = match fs::read(&path) {
        Ok(content) => content,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failure(&path, error.to_string())),
    };
    let damaged = |error: &dyn Display| {
        format!("it is damaged: {error}; restore it, or start with an empty directory")
    };
    let snapshot = serde_json::from_slice(&content);
    let mut snapshot: Snapshot = snapshot.map_err(|error| failure(&path, damaged(&error)))?;
    if snapshot.format != snapshot::FORMAT {
        let reason = format!(
            "its format is {}, this broker reads {}",
            snapshot.format,
            snapshot::FORMAT
        );
        return Err(failure(&path, reason));
    }
    let path = folder.join(JOURNAL);
    let entries = Journal::read(&path, &content);
    for entry in entries.map_err(|error| failure(&path, damaged(&error)))? {
        // In order, so that the last word holds.
        match entry {
            JournalEntry::Commit(commit) => snapshot.offsets.push(commit),
            JournalEntry::Share(share) => snapshot.shares.push(share),
            JournalEntry::After { .. } => {}
        }
    }
    Ok(Some(snapshot))
}

fn failure(path: &Path, reason: String) -> EmbeddedBrokerError {
    EmbeddedBrokerError::Storage {
        path: path.to_owned(),
        reason,
    }
}
