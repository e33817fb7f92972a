//! Opening fetched batches: checksums, decompression, and the hand-over to the application.

use kafkars_core::fetch::buffer::FetchTarget;
use kafkars_core::fetch::open::OpenJob;
use kafkars_records::ReadLimits;

use super::shared::Shared;

/// Bytes of fetched batches up to which an answer is opened before the next request leaves.
const SMALL_ANSWER: usize = 16 << 10;

/// Returns true if opening these takes less time than sending a request.
pub(super) fn is_small(jobs: &[(FetchTarget, OpenJob)]) -> bool {
    let size: usize = jobs.iter().map(|(_, job)| job.records.len()).sum();
    size <= SMALL_ANSWER
}

/// Checks and unpacks what came, and hands it to the application.
pub(super) fn open(shared: &Shared, jobs: &[(FetchTarget, OpenJob)]) {
    let limits = ReadLimits {
        max_decompressed: shared.config.max_decompressed_batch,
    };
    for (target, job) in jobs {
        let opened = job.open(&limits);
        shared.update(|buffer| buffer.queue(target, opened));
    }
}
