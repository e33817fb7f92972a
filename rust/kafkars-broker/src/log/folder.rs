//! The folder with the records of all partitions: `<topic id>/0.log`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use kafkars_protocol::Uuid;

use super::file::PartitionFile;
use crate::private_files;

/// Where the records of partitions are kept across restarts.
#[derive(Debug, Clone)]
pub(crate) struct LogFolder(PathBuf);

impl LogFolder {
    /// Makes the folder, unless it is there.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        private_files::create_folder(path)?;
        Ok(Self(path.to_owned()))
    }

    /// Gives the partitions of a topic their files, those that have none yet.
    pub(crate) fn attach<'a>(
        &self,
        topic: Uuid,
        files: impl Iterator<Item = &'a mut Option<PartitionFile>>,
    ) -> io::Result<()> {
        private_files::create_folder(&self.of(topic))?;
        for (index, file) in files.enumerate() {
            file.get_or_insert_with(|| PartitionFile::new(self.path(topic, index)));
        }
        Ok(())
    }

    /// A topic is gone, and its records with it.
    pub(crate) fn remove(&self, topic: Uuid) {
        let folder = self.of(topic);
        if let Err(error) = fs::remove_dir_all(&folder) {
            tracing::warn!(folder = %folder.display(), %error, "the records of a deleted topic are left behind");
        }
    }

    /// The file of a partition.
    pub(crate) fn path(&self, topic: Uuid, partition: usize) -> PathBuf {
        self.of(topic).join(format!("{partition}.log"))
    }

    fn of(&self, topic: Uuid) -> PathBuf {
        self.0.join(topic.to_string())
    }
}
