//! The generated messages behind one signature, for tests that go over all of them.

use std::sync::LazyLock;

use bytes::Bytes;
use kafkars_protocol::{
    DecodeError, EncodeError, Message, Reader, VersionRange, Writer, for_each_message,
};

/// How one message is read and written.
#[derive(Clone, Copy, Debug)]
pub struct MessageCodec {
    /// Kafka's name.
    pub name: &'static str,
    /// The versions it has.
    pub versions: VersionRange,
    /// Reads the message and drops it; answers how many bytes it took.
    pub decode: fn(Bytes, i16) -> Result<usize, DecodeError>,
    /// Reads the message and writes it again.
    pub recode: fn(Bytes, i16) -> Result<Recoded, DecodeError>,
    /// Writes the message as it is when nothing is set.
    pub encode_default: fn(i16) -> Result<Bytes, EncodeError>,
}

/// A message read and written again.
#[derive(Debug)]
pub struct Recoded {
    /// Bytes that the message took.
    pub used: usize,
    /// What it became when written.
    pub bytes: Result<Bytes, EncodeError>,
    /// Whether reading that gives the same message.
    pub stable: bool,
}

impl MessageCodec {
    /// Every message, requests before responses, by API key.
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

    /// The message of this name.
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
