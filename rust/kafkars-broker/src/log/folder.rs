//! The folder with the records of all partitions: `<topic id>/0.log`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use kafkars_protocol::Uuid;

use super::file::PartitionFile;
use crate::private_files;

/// The folder that keeps the records of partitions across restarts.
#[derive(Debug, Clone)]
pub(crate) struct LogFolder(PathBuf);

impl LogFolder {
    /// Makes the folder, unless it is there.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        private_files::create_folder(path)?;
        Ok(Self(path.to_owned()))
    }

    /// Gives the partitions of a topic their files, those that have none yet.
    ///
    /// On failure they have them too, and refuse every batch: in memory alone it would be lost at the next start.
    pub(crate) fn attach<'a>(
        &self,
        topic: Uuid,
        files: impl Iterator<Item = &'a mut Option<PartitionFile>>,
    ) -> io::Result<()> {
        for (index, file) in files.enumerate() {
            file.get_or_insert_with(|| PartitionFile::new(self.path(topic, index)));
        }
        private_files::create_folder(&self.of(topic))
    }

    /// Deletes the records of a topic that is gone.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::random_uuid;

    #[test]
    fn a_partition_whose_file_cannot_be_made_takes_no_records() {
        let root = std::env::temp_dir().join(format!("kafkars-log-folder-{}", random_uuid()));
        let folder = LogFolder::open(&root).unwrap();
        let topic = random_uuid();
        // A file stands where the folder of the topic has to be.
        fs::write(root.join(topic.to_string()), b"").unwrap();
        let mut files = [None];
        folder.attach(topic, files.iter_mut()).unwrap_err();
        let file = files[0].as_mut().expect("a file that refuses records");
        file.append(&[0; 61], 0, 0).unwrap_err();
        fs::remove_dir_all(&root).unwrap();
    }
}
