//! Splitting a batch that is too large for its topic.

use std::sync::Arc;

use kafkars_records::{BatchBuilder, Header, ReadLimits, RecordsError, batches};

use crate::produce::delivery::{BatchDelivery, BatchOutcome};
use crate::produce::partition_buffer::{BatchContent, OutgoingBatch};

/// Halves a sealed batch of two or more records. The original's delivery reports follow those of the halves; the halves
/// share its memory, age, place in the order and sequence numbers.
pub fn split(
    batch: OutgoingBatch,
) -> Result<Vec<OutgoingBatch>, Box<(OutgoingBatch, RecordsError)>> {
    let builders = match halves(&batch) {
        Ok(builders) => builders,
        Err(error) => return Err(Box::new((batch, error))),
    };
    let mut parts = Vec::new();
    let mut reports = Vec::new();
    let mut start = 0;
    let mut reserved = batch.reserved;
    let last = builders.len().saturating_sub(1);
    for (index, builder) in builders.into_iter().enumerate() {
        let delivery = Arc::new(BatchDelivery::new(
            Arc::clone(batch.delivery.topic()),
            batch.delivery.partition(),
        ));
        let share = if index == last {
            reserved
        } else {
            reserved / 2
        };
        reserved -= share;
        reports.push((start, Arc::clone(&delivery)));
        let part_start = start;
        start += builder.count();
        parts.push(OutgoingBatch {
            ordinal: batch.ordinal + u64::from(part_start),
            count: builder.count(),
            uncompressed: 0,
            content: BatchContent::Open(builder),
            delivery,
            created: batch.created,
            reserved: share,
            attempts: batch.attempts,
            last_cause: batch.last_cause.clone(),
            last_code: batch.last_code,
            sequence: batch.sequence.map(|sequence| sequence.after(part_start)),
            is_filled: false,
            refused: None,
        });
    }
    batch.delivery.complete(BatchOutcome::Split(reports));
    Ok(parts)
}

fn halves(batch: &OutgoingBatch) -> Result<Vec<BatchBuilder>, RecordsError> {
    let BatchContent::Sealed(sealed) = &batch.content else {
        return Ok(Vec::new());
    };
    let half = batch.count / 2;
    let mut builders = vec![BatchBuilder::new(sealed.bytes.len() / 2)];
    let mut index = 0;
    for raw in batches(sealed.bytes.clone()) {
        let opened = raw?.open(&ReadLimits::default())?;
        for record in opened.records() {
            if index == half {
                builders.push(BatchBuilder::new(sealed.bytes.len() / 2));
            }
            index += 1;
            let names: Vec<_> = opened
                .headers(&record)
                .map(|header| (header.key_text(), header.value))
                .collect();
            let headers: Vec<Header<'_>> = names
                .iter()
                .map(|(key, value)| Header {
                    key,
                    value: value.map(|span| opened.slice(span)),
                })
                .collect();
            if let Some(builder) = builders.last_mut() {
                builder.append(
                    record.timestamp,
                    record.key.map(|span| opened.slice(span)),
                    record.value.map(|span| opened.slice(span)),
                    &headers,
                );
            }
        }
    }
    Ok(builders)
}
