//! The batches of one partition in a file: as they stand in the log, one behind the other, and nothing else.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;

use bytes::Bytes;
use kafkars_records::{RawBatch, batches};

use crate::private_files;

/// Positions of these fields in a batch.
const LENGTH_AT: usize = 8;
const LEADER_EPOCH_AT: usize = 12;
const MAGIC_AT: usize = 16;

/// The file of one partition. It is opened for each batch, so that any number of partitions needs no file descriptors.
#[derive(Debug)]
pub(crate) struct PartitionFile {
    path: PathBuf,
    length: u64,
}

/// The content of a file.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) file: PartitionFile,
    pub(crate) batches: Vec<RawBatch>,
    /// Bytes of a batch at the end that was not written whole.
    pub(crate) cut: usize,
}

impl PartitionFile {
    /// Names a file that is made with the first batch.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, length: 0 }
    }

    /// Reads a file, and cuts off a last batch that is not whole: its producer has got no answer.
    ///
    /// # Errors
    /// When the file cannot be read, or is damaged elsewhere than at its end.
    pub(crate) fn load(path: PathBuf) -> io::Result<Loaded> {
        let bytes = match fs::read(&path) {
            Ok(bytes) => Bytes::from(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Bytes::new(),
            Err(error) => return Err(error),
        };
        let total = bytes.len();
        let mut walk = batches(bytes);
        let mut found = Vec::new();
        for batch in walk.by_ref() {
            let batch = batch.and_then(|batch| batch.verify_crc().map(|()| batch));
            found.push(
                batch.map_err(|error| {
                    io::Error::new(io::ErrorKind::InvalidData, error.to_string())
                })?,
            );
        }
        let cut = walk.rest().len();
        let length = (total - cut) as u64;
        if cut > 0 {
            OpenOptions::new()
                .write(true)
                .open(&path)?
                .set_len(length)?;
        }
        Ok(Loaded {
            file: Self { path, length },
            batches: found,
            cut,
        })
    }

    /// Writes a batch under the offset and the epoch that the log will give it. On failure the file is as it was.
    pub(crate) fn append(
        &mut self,
        batch: &[u8],
        base_offset: i64,
        leader_epoch: i32,
    ) -> io::Result<()> {
        let mut stamped = Vec::with_capacity(batch.len());
        stamped.extend_from_slice(&base_offset.to_be_bytes());
        stamped.extend_from_slice(batch.get(LENGTH_AT..LEADER_EPOCH_AT).unwrap_or_default());
        stamped.extend_from_slice(&leader_epoch.to_be_bytes());
        stamped.extend_from_slice(batch.get(MAGIC_AT..).unwrap_or_default());
        let mut file = private_files::options()
            .append(true)
            .create(true)
            .open(&self.path)?;
        if let Err(error) = file.write_all(&stamped) {
            // A part of a batch in the middle would damage what comes behind.
            let _ = file.set_len(self.length);
            return Err(error);
        }
        self.length += stamped.len() as u64;
        Ok(())
    }

    /// Holds these batches instead of what it held, all or nothing.
    pub(crate) fn replace<'a>(
        &mut self,
        batches: impl Iterator<Item = &'a Bytes>,
    ) -> io::Result<()> {
        let content: Vec<u8> = batches.flat_map(|batch| batch.iter().copied()).collect();
        private_files::write_whole(&self.path, &content)?;
        self.length = content.len() as u64;
        Ok(())
    }
}
