//! A leader checks a batch before it appends it, with the error codes Kafka uses for each fault.

use bytes::Bytes;
use kafkars_protocol::ErrorCode;
use kafkars_records::{Batch, BatchHeader, Codec, RawBatch, ReadLimits, RecordsError, batches};

use crate::refusal::{RefusedRequest, refuse_with};
use crate::settings::topic::TopicConfig;

/// Bytes one batch may decompress to: a bomb must not take the process down.
const LIMITS: ReadLimits = ReadLimits {
    max_decompressed: 256 << 20,
};

/// First version of Produce in which zstd is allowed (KIP-110).
const ZSTD_SINCE: i16 = 7;

/// A batch that may be appended as it is.
#[derive(Debug)]
pub(crate) struct IncomingBatch {
    pub(crate) raw: RawBatch,
    /// The largest timestamp of its records, whatever the header states.
    pub(crate) max_timestamp: i64,
}

/// Checks the `records` field of one partition of a produce request.
pub(crate) fn check(
    records: Option<Bytes>,
    version: i16,
    config: &TopicConfig,
    now: i64,
) -> Result<IncomingBatch, RefusedRequest> {
    let raw = single_batch(records, version)?;
    let header = raw.header;
    check_size(&raw, config)?;
    let batch = raw.open(&LIMITS).map_err(refusal_of)?;
    check_header(&header, version)?;
    let max_timestamp = check_records(&batch, config, now)?;
    let wanted = config
        .compression
        .filter(|wanted| header.attributes.compression() != Some(wanted.codec()));
    let raw = match wanted {
        Some(wanted) => raw.with_compression(&batch, wanted).map_err(refusal_of)?,
        None => raw,
    };
    check_size(&raw, config)?;
    Ok(IncomingBatch { raw, max_timestamp })
}

fn check_size(raw: &RawBatch, config: &TopicConfig) -> Result<(), RefusedRequest> {
    let (size, most) = (raw.bytes().len(), config.max_message_bytes);
    if size <= most {
        return Ok(());
    }
    let reason =
        format!("The record batch size is {size} bytes, the topic's max.message.bytes is {most}.");
    refuse_with(ErrorCode::MessageTooLarge, reason)
}

impl IncomingBatch {
    /// The batch of a topic with log-append time: all its records get the time of the broker.
    pub(crate) fn at(&self, now: i64) -> Result<Self, RefusedRequest> {
        let raw = self
            .raw
            .clone()
            .with_log_append_time(now)
            .map_err(refusal_of)?;
        Ok(Self {
            raw,
            max_timestamp: now,
        })
    }
}

/// Gives the one batch of the field: since version 3 it holds exactly one batch of format 2.
fn single_batch(records: Option<Bytes>, version: i16) -> Result<RawBatch, RefusedRequest> {
    let invalid = |what: &str| {
        RefusedRequest::new(
            ErrorCode::InvalidRecord,
            format!("Produce requests with version {version} must have {what}."),
        )
    };
    let mut walk = batches(records.unwrap_or_default());
    let first = match walk.next() {
        Some(Ok(batch)) => batch,
        Some(Err(error)) => return Err(refusal_of(error)),
        None if walk.rest().is_empty() => return Err(invalid("one record batch per partition")),
        None => {
            return refuse_with(ErrorCode::CorruptMessage, "The record batch is cut short.");
        }
    };
    if first.header.magic != 2 {
        return Err(invalid("record batches of magic 2"));
    }
    if walk.next().is_some() || !walk.rest().is_empty() {
        return Err(invalid("exactly one record batch per partition"));
    }
    Ok(first)
}

fn check_header(header: &BatchHeader, version: i16) -> Result<(), RefusedRequest> {
    let invalid = |what: String| refuse_with(ErrorCode::InvalidRecord, what);
    if header.attributes.is_control() {
        return invalid("Clients are not allowed to write control records.".to_owned());
    }
    if header.record_count < 1 {
        return invalid("A record batch must have at least one record.".to_owned());
    }
    if i64::from(header.last_offset_delta) != i64::from(header.record_count) - 1 {
        let (delta, count) = (header.last_offset_delta, header.record_count);
        return invalid(format!(
            "The last offset delta is {delta} in a batch of {count} records."
        ));
    }
    if header.producer_id >= 0 && (header.producer_epoch < 0 || header.base_sequence < 0) {
        return invalid("An idempotent batch must state its epoch and its sequence.".to_owned());
    }
    if header.attributes.is_transactional() && header.producer_id < 0 {
        return invalid("A transactional batch must state its producer id.".to_owned());
    }
    if header.attributes.compression() == Some(Codec::Zstd) && version < ZSTD_SINCE {
        return Err(ErrorCode::UnsupportedCompressionType.into());
    }
    Ok(())
}

/// Checks that offsets count up by one, that timestamps are near the clock, and that records of a compacted topic have
/// keys. Returns the largest timestamp.
fn check_records(batch: &Batch, config: &TopicConfig, now: i64) -> Result<i64, RefusedRequest> {
    let earliest = now.saturating_sub(config.timestamp_before_max_ms);
    let latest = now.saturating_add(config.timestamp_after_max_ms);
    let mut max_timestamp = -1;
    let mut faults: Vec<(i32, String)> = Vec::new();
    let mut code = ErrorCode::InvalidRecord;
    for (index, record) in batch.records().enumerate() {
        if record.offset != batch.header.base_offset.wrapping_add(index as i64) {
            return refuse_with(
                ErrorCode::InvalidRecord,
                "The offsets of the records are not consecutive.",
            );
        }
        max_timestamp = max_timestamp.max(record.timestamp);
        if !config.log_append_time
            && record.timestamp != -1
            && !(earliest..=latest).contains(&record.timestamp)
        {
            code = ErrorCode::InvalidTimestamp;
            faults.push((
                index as i32,
                format!(
                    "Timestamp {} is out of range [{earliest}, {latest}].",
                    record.timestamp
                ),
            ));
        }
        if config.compacted && record.key.is_none() {
            faults.push((
                index as i32,
                "Compacted topic cannot accept message without key.".to_owned(),
            ));
        }
    }
    if faults.is_empty() {
        return Ok(max_timestamp);
    }
    let message = "One or more records have been rejected.".to_owned();
    Err(RefusedRequest {
        code,
        message: Some(message),
        records: faults,
    })
}

fn refusal_of(error: RecordsError) -> RefusedRequest {
    let code = match error {
        RecordsError::BadRecord { .. } | RecordsError::BadCount { .. } => ErrorCode::InvalidRecord,
        RecordsError::UnknownCodec { .. } => ErrorCode::UnsupportedCompressionType,
        RecordsError::DecompressedTooLarge { .. } => ErrorCode::MessageTooLarge,
        _ => ErrorCode::CorruptMessage,
    };
    RefusedRequest::new(code, error.to_string())
}
