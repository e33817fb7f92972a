//! All generated messages behind one type, for tests that go over them.

use std::sync::LazyLock;

use bytes::Bytes;
use kafkars_protocol::{
    DecodeError, EncodeError, Message, Reader, VersionRange, Writer, for_each_message,
};

/// Reads and writes one message.
#[derive(Clone, Copy, Debug)]
pub struct MessageCodec {
    /// The name of the message in Kafka's schemas.
    pub name: &'static str,
    /// The supported versions.
    pub versions: VersionRange,
    /// Reads the message and drops it. Returns how many bytes it took.
    pub decode: fn(Bytes, i16) -> Result<usize, DecodeError>,
    /// Reads the message and writes it again.
    pub recode: fn(Bytes, i16) -> Result<Recoded, DecodeError>,
    /// Writes the message with default values.
    pub encode_default: fn(i16) -> Result<Bytes, EncodeError>,
}

/// The result of reading a message and writing it again.
#[derive(Debug)]
pub struct Recoded {
    /// Bytes that the message took.
    pub used: usize,
    /// The bytes that were written.
    pub bytes: Result<Bytes, EncodeError>,
    /// True if reading these gives the same message.
    pub stable: bool,
}

impl MessageCodec {
    /// Every message, by API key, requests before responses.
    #[must_use]
    pub fn all() -> &'static [Self] {
        static ALL: LazyLock<Vec<MessageCodec>> = LazyLock::new(|| {
            let mut codecs = Vec::new();
            macro_rules! push {
                ($module:ident, $message:ident) => {
                    codecs.push(MessageCodec::of::<
                        kafkars_protocol::messages::$module::$message,
                    >());
                };
            }
            for_each_message!(push);
            codecs
        });
        &ALL
    }

    /// The message with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::all().iter().find(|codec| codec.name == name)
    }

    fn of<M: Message>() -> Self {
        Self {
            name: M::NAME,
            versions: M::VERSIONS,
            decode: |bytes, version| read::<M>(bytes, version).map(|(_, used)| used),
            recode: recode::<M>,
            encode_default: |version| write(&M::default(), version),
        }
    }
}

fn recode<M: Message>(bytes: Bytes, version: i16) -> Result<Recoded, DecodeError> {
    let (message, used) = read::<M>(bytes, version)?;
    let bytes = write(&message, version);
    let again = bytes
        .as_ref()
        .ok()
        .and_then(|bytes| read::<M>(bytes.clone(), version).ok());
    let stable = again.is_some_and(|(again, _)| again == message);
    Ok(Recoded {
        used,
        bytes,
        stable,
    })
}

fn read<M: Message>(bytes: Bytes, version: i16) -> Result<(M, usize), DecodeError> {
    let mut reader = Reader::new(bytes);
    let message = M::decode(&mut reader, version)?;
    Ok((message, reader.position()))
}

fn write<M: Message>(message: &M, version: i16) -> Result<Bytes, EncodeError> {
    let mut writer = Writer::new();
    message.encode(&mut writer, version)?;
    Ok(writer.finish().to_bytes())
}
