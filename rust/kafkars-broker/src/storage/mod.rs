//! A directory that keeps what the cluster has across restarts, where one is asked for.
//!
//! ```text
//! lock                     held while a broker uses the directory
//! state.json               topics, settings, committed offsets, transactions, quotas, credentials: written whole when they change
//! logs/<topic id>/0.log    the batches of a partition, as in the log: appended to before a producer gets its answer
//! ```
//!
//! All records are in memory too; the files are read at the start only. What was answered survives the end of the process
//! however it ends, but like in Kafka nothing forces the system to put it on the disk at once.

mod partition_file;
mod restore;
mod snapshot;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use kafkars_protocol::{ApiKey, Uuid};

use crate::cluster::State;
use crate::error::BrokerError;
use crate::topic::Topic;

pub(crate) use partition_file::PartitionFile;
pub(crate) use restore::restore;
pub(crate) use snapshot::Snapshot;

const STATE: &str = "state.json";

/// The directory, while it is in use.
#[derive(Debug)]
pub(crate) struct Storage {
    folder: PathBuf,
    cluster_id: String,
    /// What was written last, to leave out writing it again.
    saved: Vec<u8>,
    /// Unlocked when it is dropped.
    _lock: File,
}

impl Storage {
    /// Takes a directory, and what an earlier broker has left in it.
    pub(crate) fn open(
        folder: &Path,
        new_id: String,
    ) -> Result<(Self, Option<Snapshot>), BrokerError> {
        let failed = |path: &Path, error: io::Error| failure(path, error.to_string());
        fs::create_dir_all(folder.join("logs")).map_err(|error| failed(folder, error))?;
        let path = folder.join("lock");
        let lock = File::create(&path).map_err(|error| failed(&path, error))?;
        if lock.try_lock().is_err() {
            let reason = "another broker is using it; stop that one or name another directory";
            return Err(failure(folder, reason.to_owned()));
        }
        let snapshot = read(&folder.join(STATE))?;
        let cluster_id = snapshot
            .as_ref()
            .map_or(new_id, |snapshot| snapshot.cluster_id.clone());
        let storage = Self {
            folder: folder.to_owned(),
            cluster_id,
            saved: Vec::new(),
            _lock: lock,
        };
        Ok((storage, snapshot))
    }

    pub(crate) fn cluster_id(&self) -> &str {
        &self.cluster_id
    }

    /// Gives the partitions of a topic their files, those that have none yet.
    pub(crate) fn attach(&self, topic: &mut Topic) -> io::Result<()> {
        let folder = self.folder_of(topic.id);
        fs::create_dir_all(&folder)?;
        for (index, partition) in topic.partitions.iter_mut().enumerate() {
            if partition.file.is_none() {
                partition.file = Some(PartitionFile::new(folder.join(file_name(index))));
            }
        }
        Ok(())
    }

    /// A topic is gone, and its records with it.
    pub(crate) fn remove(&self, topic: Uuid) {
        let folder = self.folder_of(topic);
        if let Err(error) = fs::remove_dir_all(&folder) {
            tracing::warn!(folder = %folder.display(), %error, "the records of a deleted topic are left behind");
        }
    }

    /// Writes everything but records, if it has changed.
    fn save(&mut self, state: &Snapshot) -> io::Result<()> {
        let content = serde_json::to_vec_pretty(state)?;
        if content != self.saved {
            partition_file::write_whole(&self.folder.join(STATE), &content)?;
            self.saved = content;
        }
        Ok(())
    }

    fn folder_of(&self, topic: Uuid) -> PathBuf {
        self.folder.join("logs").join(topic.to_string())
    }
}

impl State {
    /// Keeps what has changed, where there is a directory. Called before an answer says that it has.
    pub(crate) fn save(&mut self) -> io::Result<()> {
        let Some(mut storage) = self.storage.take() else {
            return Ok(());
        };
        let saved = storage.save(&Snapshot::of(&storage.cluster_id, self));
        self.storage = Some(storage);
        self.unsaved = saved.is_err();
        saved
    }
}

/// Whether a request of this kind changes what is kept besides records.
pub(crate) fn is_change(api: ApiKey) -> bool {
    matches!(
        api,
        ApiKey::OffsetCommit
            | ApiKey::CreateTopics
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
            | ApiKey::ShareFetch
            | ApiKey::ShareAcknowledge
            | ApiKey::AlterShareGroupOffsets
            | ApiKey::DeleteShareGroupOffsets
            | ApiKey::AlterClientQuotas
            | ApiKey::AlterUserScramCredentials
            | ApiKey::AlterPartitionReassignments
            | ApiKey::UpdateFeatures
    )
}

fn file_name(partition: usize) -> String {
    format!("{partition}.log")
}

fn read(path: &Path) -> Result<Option<Snapshot>, BrokerError> {
    let content = match fs::read(path) {
        Ok(content) => content,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failure(path, error.to_string())),
    };
    let snapshot: Snapshot = serde_json::from_slice(&content).map_err(|error| {
        failure(
            path,
            format!("it is damaged: {error}; restore it, or start with an empty directory"),
        )
    })?;
    if snapshot.format == snapshot::FORMAT {
        Ok(Some(snapshot))
    } else {
        let reason = format!(
            "its format is {}, this broker reads {}",
            snapshot.format,
            snapshot::FORMAT
        );
        Err(failure(path, reason))
    }
}

fn failure(path: &Path, reason: String) -> BrokerError {
    BrokerError::Storage {
        path: path.to_owned(),
        reason,
    }
}
