// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! ListTransactions (API key 66): versions 0 to 2, always flexible.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `ListTransactionsRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct ListTransactionsRequest {
    /// `StateFilters`.
    pub state_filters: Vec<String>,
    /// `ProducerIdFilters`.
    pub producer_id_filters: Vec<i64>,
    /// `DurationFilter`; since version 1, default -1.
    pub duration_filter: i64,
    /// `TransactionalIdPattern`; since version 2, may be null.
    pub transactional_id_pattern: Option<String>,
}

impl Default for ListTransactionsRequest {
    fn default() -> Self {
        Self {
            state_filters: Vec::new(),
            producer_id_filters: Vec::new(),
            duration_filter: -1,
            transactional_id_pattern: None,
        }
    }
}

impl Element for ListTransactionsRequest {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            state_filters: reader.array(version, flexible, "StateFilters")?,
            producer_id_filters: reader.array(version, flexible, "ProducerIdFilters")?,
            duration_filter: if version >= 1 {
                reader.i64("DurationFilter")?
            } else {
                -1
            },
            transactional_id_pattern: if version >= 2 {
                reader.nullable_string(flexible, "TransactionalIdPattern")?
            } else {
                None
            },
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.array(version, flexible, "StateFilters", &self.state_filters)?;
        writer.array(
            version,
            flexible,
            "ProducerIdFilters",
            &self.producer_id_filters,
        )?;
        if version >= 1 {
            writer.i64(self.duration_filter);
        } else if self.duration_filter != -1 {
            return Err(writer.absent(version, "DurationFilter"));
        }
        if version >= 2 {
            writer.nullable_string(
                flexible,
                "TransactionalIdPattern",
                self.transactional_id_pattern.as_deref(),
            )?;
        } else if self.transactional_id_pattern.is_some() {
            return Err(writer.absent(version, "TransactionalIdPattern"));
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(ListTransactionsRequest { "state_filters": state_filters, "producer_id_filters": producer_id_filters, "duration_filter": duration_filter, "transactional_id_pattern": transactional_id_pattern });

impl Message for ListTransactionsRequest {
    const NAME: &'static str = "ListTransactionsRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 2 };
    const FLEXIBLE_FROM: Option<i16> = Some(0);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for ListTransactionsRequest {
    const API_KEY: ApiKey = ApiKey::ListTransactions;
    type Response = ListTransactionsResponse;
}

/// Kafka's `ListTransactionsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ListTransactionsResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `UnknownStateFilters`.
    pub unknown_state_filters: Vec<String>,
    /// `TransactionStates`.
    pub transaction_states: Vec<TransactionState>,
}

impl Element for ListTransactionsResponse {
    const MINIMUM_SIZE: usize = 9;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            error_code: reader.i16("ErrorCode")?,
            unknown_state_filters: reader.array(version, flexible, "UnknownStateFilters")?,
            transaction_states: reader.array(version, flexible, "TransactionStates")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.throttle_time_ms);
        writer.i16(self.error_code);
        writer.array(
            version,
            flexible,
            "UnknownStateFilters",
            &self.unknown_state_filters,
        )?;
        writer.array(
            version,
            flexible,
            "TransactionStates",
            &self.transaction_states,
        )?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `TransactionState` of `ListTransactionsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TransactionState {
    /// `TransactionalId`.
    pub transactional_id: String,
    /// `ProducerId`.
    pub producer_id: i64,
    /// `TransactionState`.
    pub transaction_state: String,
}

impl Element for TransactionState {
    const MINIMUM_SIZE: usize = 11;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            transactional_id: reader.string(flexible, "TransactionalId")?,
            producer_id: reader.i64("ProducerId")?,
            transaction_state: reader.string(flexible, "TransactionState")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "TransactionalId", &self.transactional_id)?;
        writer.i64(self.producer_id);
        writer.string(flexible, "TransactionState", &self.transaction_state)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for ListTransactionsResponse {
    const NAME: &'static str = "ListTransactionsResponse";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 2 };
    const FLEXIBLE_FROM: Option<i16> = Some(0);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }

    fn throttle_time_ms(&self) -> i32 {
        self.throttle_time_ms
    }

    fn set_throttle_time_ms(&mut self, time: i32) {
        self.throttle_time_ms = time
    }
}
