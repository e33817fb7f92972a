//! Payloads that are one Avro record each, without a container file.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BinaryArray, StructArray};
use arrow_avro::reader::{Decoder, DecoderMode, ReaderBuilder};
use arrow_avro::schema::{AvroSchema, Fingerprint, FingerprintAlgorithm, SchemaStore};
use arrow_schema::{ArrowError, DataType};

use super::avro_check::AvroShape;
use super::avro_schema::with_plain_text;
use super::decoder::{DecodedPayloads, PayloadDecoder};
use super::framing::{FRAME, schema_id};
use super::rows::{Decoding, RefusedPayloads};
use super::types::{plain, retyped};

/// Stands for the id of the writer's schema if payloads have no framing.
const BARE: u32 = 0;

/// Decodes Avro into a struct of the reader's schema, from any compatible writer's schema.
#[derive(Debug)]
pub struct AvroPayloads {
    reader: String,
    framed: bool,
    data_type: DataType,
    // Writers' schemas by id; an error says why one cannot be used.
    writers: BTreeMap<u32, Result<WriterSchema, String>>,
}

/// The schema that payloads were written with.
#[derive(Debug)]
struct WriterSchema {
    schema: String,
    shape: Option<AvroShape>,
}

impl WriterSchema {
    fn new(schema: String) -> Self {
        Self {
            shape: AvroShape::new(&schema),
            schema,
        }
    }
}

impl AvroPayloads {
    /// Makes a decoder for payloads that were written with this very schema, without framing.
    ///
    /// # Errors
    /// Fails if the schema is not valid, or has no columns.
    pub fn bare(schema: &str) -> Result<Self, ArrowError> {
        let mut made = Self::framed(schema)?;
        made.framed = false;
        let writer = WriterSchema::new(made.reader.clone());
        made.writers.insert(BARE, Ok(writer));
        Ok(made)
    }

    /// Makes a decoder for payloads in the schema registry's framing, into the columns of the schema `reader`.
    ///
    /// # Errors
    /// Fails if the schema is not valid, or has no columns.
    pub fn framed(reader: &str) -> Result<Self, ArrowError> {
        let reader = with_plain_text(reader);
        let decoder = decoder(&reader, &reader, 1)?;
        Ok(Self {
            reader,
            framed: true,
            data_type: plain(&DataType::Struct(decoder.schema().fields().clone())),
            writers: BTreeMap::new(),
        })
    }

    /// The schema ids of these payloads that were not added yet.
    pub fn unknown_ids(&self, payloads: &BinaryArray) -> BTreeSet<u32> {
        let mut unknown = BTreeSet::new();
        let mut last = None;
        if self.framed {
            for payload in payloads.iter().flatten() {
                if let Ok(id) = schema_id(payload)
                    && last.replace(id) != Some(id)
                    && !self.writers.contains_key(&id)
                {
                    unknown.insert(id);
                }
            }
        }
        unknown
    }

    /// Adds the schema of an id, or the reason why there is none: payloads with that id are refused with this reason.
    pub fn add_schema(&mut self, id: u32, schema: Result<String, String>) {
        let plain = schema.map(|writer| with_plain_text(&writer));
        let usable = plain.and_then(|writer| match decoder(&writer, &self.reader, 1) {
            Ok(_) => Ok(WriterSchema::new(writer)),
            Err(problem) => Err(format!(
                "the schema asked for cannot be read from it: {problem}"
            )),
        });
        self.writers.insert(id, usable);
    }

    fn decode_all(&self, writer: &str, payloads: &[&[u8]]) -> Result<ArrayRef, RefusedPayloads> {
        let somewhere = |problem: ArrowError| RefusedPayloads {
            payload: None,
            reason: problem.to_string(),
        };
        let mut decoder = decoder(writer, &self.reader, payloads.len()).map_err(somewhere)?;
        for (index, payload) in payloads.iter().enumerate() {
            let refused = |reason: String| RefusedPayloads {
                payload: Some(index),
                reason,
            };
            let read = decoder
                .decode(payload)
                .map_err(|problem| refused(problem.to_string()))?;
            if read < payload.len() {
                let left = payload.len() - read;
                return Err(refused(format!(
                    "{left} bytes are left behind the Avro record"
                )));
            }
        }
        let decoded = decoder
            .flush()
            .map_err(|problem| somewhere(problem.into()))?;
        Ok(match decoded {
            Some(batch) => {
                let made: ArrayRef = Arc::new(StructArray::from(batch));
                retyped(&made, &self.data_type).map_err(somewhere)?
            }
            None => arrow_array::new_empty_array(&self.data_type),
        })
    }
}

impl PayloadDecoder for AvroPayloads {
    fn data_type(&self) -> &DataType {
        &self.data_type
    }

    fn decode(&self, payloads: &BinaryArray) -> Result<DecodedPayloads, ArrowError> {
        let mut decoding = Decoding::new(payloads, &self.data_type);
        let mut by_schema: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for row in (0..payloads.len()).filter(|&row| payloads.is_valid(row)) {
            let id = if self.framed {
                schema_id(payloads.value(row))
            } else {
                Ok(BARE)
            };
            match id {
                Ok(id) => by_schema.entry(id).or_default().push(row),
                Err(reason) => decoding.refuse(row, reason),
            }
        }
        let skipped = if self.framed { FRAME } else { 0 };
        for (id, mut rows) in by_schema {
            match self.writers.get(&id) {
                Some(Ok(WriterSchema { schema, shape })) => {
                    if let Some(shape) = shape {
                        rows.retain(|&row| {
                            let payload = payloads.value(row).get(skipped..);
                            let checked = shape.check(payload.unwrap_or_default());
                            checked
                                .map_err(|reason| decoding.refuse(row, reason))
                                .is_ok()
                        });
                    }
                    decoding.decode(&rows, skipped, &|payloads| {
                        self.decode_all(schema, payloads)
                    });
                }
                other => {
                    let reason = match other {
                        Some(Err(reason)) => format!("schema {id}: {reason}"),
                        _ => format!("schema {id} is not known"),
                    };
                    for row in rows {
                        decoding.refuse(row, reason.clone());
                    }
                }
            }
        }
        decoding.finish()
    }
}

fn decoder(writer: &str, reader: &str, payloads: usize) -> Result<Decoder, ArrowError> {
    let mut store = SchemaStore::new_with_type(FingerprintAlgorithm::Id);
    let id = Fingerprint::Id(0);
    store.set(id, AvroSchema::new(writer.to_owned()))?;
    ReaderBuilder::new()
        .with_batch_size(payloads.max(1))
        .with_decoder_mode(DecoderMode::UnframedDatum)
        .with_writer_schema_store(store)
        .with_active_fingerprint(id)
        .with_reader_schema(AvroSchema::new(reader.to_owned()))
        .build_decoder()
}
