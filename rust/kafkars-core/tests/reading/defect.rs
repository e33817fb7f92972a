//! Planted defects: what the fetch path could do wrong, done wrong on purpose between broker and buffer, so that the
//! suite shows that it would notice. Production code knows nothing of them.

use kafkars_core::fetch::buffer::{FetchBuffer, FetchTarget};
use kafkars_core::fetch::open::OpenJob;
use kafkars_core::fetch::position::FetchPosition;
use kafkars_core::fetch::response_memory::ResponseMemory;
use kafkars_records::batches;

use crate::log::Log;

/// What is done wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Defect {
    /// A fetch that begins at an abort marker does not see that its transaction began before: it hides the next one.
    MarkersEndNothing,
    /// The lists of aborted transactions are ignored.
    AbortedAreShown,
    /// All records of a batch are handed out, also those before the position.
    PositionIsTakenFromBatches,
    /// A batch that cannot be read is skipped without an error.
    MalformedIsSkipped,
    /// Data of paused partitions counts as any other.
    PausedUsesUpTheCredit,
    /// What was dropped of a paused partition is forgotten.
    DroppedIsNotFetchedAgain,
    /// A position that moves over markers keeps the leader epoch of the last record.
    EpochStaysBehind,
    /// A refusal of an old position moves the position.
    StaleRefusalCounts,
    /// An error is raised before the records that were fetched before it.
    ErrorsOvertake,
    /// A truncation makes the batch that the application handles count as finished.
    TruncationFinishes,
    /// A seek, or an assignment with an offset, makes the batch that the application handles count as finished.
    SeekFinishes,
    /// Unfinished records of partitions that are given up are forgotten.
    LeftIsForgotten,
    /// Automatic commits overwrite the application's own commits, even if it has not read on.
    PositionsBeatCommits,
    /// Positions of a topic are kept when it is deleted and created again.
    TopicsAreKnownByName,
}

/// Gives the buffer something else than the response, if the defect says so.
pub(crate) fn spoil(
    defect: Option<Defect>,
    buffer: &mut FetchBuffer,
    log: &Log,
    target: FetchTarget,
    mut job: OpenJob,
) -> Vec<(FetchTarget, OpenJob)> {
    match defect {
        Some(Defect::MarkersEndNothing) => {
            let first = log
                .entries
                .iter()
                .find(|entry| entry.last >= job.from.offset);
            if let Some(marker) = first
                && let Some(producer) = marker.marker_of
            {
                let begun = job
                    .aborted
                    .iter_mut()
                    .filter(|one| one.producer_id == producer && one.first_offset < marker.base);
                begun.for_each(|one| one.first_offset = marker.last + 1);
            }
        }
        Some(Defect::AbortedAreShown) => job.aborted.clear(),
        Some(Defect::PositionIsTakenFromBatches) => {
            let mut jobs = Vec::new();
            for raw in batches(job.records.clone()).map_while(Result::ok) {
                let from = FetchPosition {
                    offset: raw.header.base_offset.min(job.from.offset),
                    leader_epoch: job.from.leader_epoch,
                };
                let sought = buffer.seek(&job.partition, from);
                let again = buffer.take_targets(std::time::Instant::now(), |_| true);
                if let (Ok(()), Some(target)) = (sought, again.into_iter().next()) {
                    buffer.landed(std::slice::from_ref(&target));
                    let job = OpenJob {
                        partition: job.partition.clone(),
                        from,
                        response: ResponseMemory::new(raw.bytes().len()),
                        records: raw.bytes().clone(),
                        aborted: job.aborted.clone(),
                        isolation: job.isolation,
                    };
                    jobs.push((target, job));
                    break;
                }
            }
            return jobs;
        }
        _ => {}
    }
    vec![(target, job)]
}
