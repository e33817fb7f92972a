//! Every Python object that Rust code imports by name, and every method that it calls on subclasses of native classes.
//! `tests/python/test_imports_of_rust.py` looks each of them up, and finds names that are imported anywhere else.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyModule;

/// An attribute of a module, imported when it is first asked for.
pub(crate) struct PythonName {
    module: &'static str,
    attribute: &'static str,
    found: PyOnceLock<Py<PyAny>>,
}

impl PythonName {
    const fn new(module: &'static str, attribute: &'static str) -> Self {
        Self {
            module,
            attribute,
            found: PyOnceLock::new(),
        }
    }

    #[inline]
    pub(crate) fn get<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyAny>> {
        self.found.import(py, self.module, self.attribute)
    }
}

macro_rules! names {
    ($($module:literal: $($name:ident = $attribute:literal),+;)+) => {
        $($(pub(crate) static $name: PythonName = PythonName::new($module, $attribute);)+)+
    };
}

names! {
    "kafkars._kafkars":
        RESTORE_BATCH = "_restore_batch",
        RESTORE_METADATA = "_restore_metadata",
        RESTORE_RECORD = "_restore_record";
    "kafkars._logging": HAND_OVER_LOGS = "hand_over";
    "kafkars.assignor": GROUP_MEMBER = "GroupMember";
    "kafkars.config.call_attempt": CALL_ATTEMPT = "CallAttempt";
    "kafkars.config.checks": IS_COROUTINE_FUNCTION = "is_coroutine_function";
    "kafkars.config.names": NEAREST_NAME = "nearest";
    "kafkars.types":
        APPENDED_RECORD = "AppendedRecord",
        CONSUMER_GROUP_METADATA = "ConsumerGroupMetadata",
        CONSUMER_HEALTH = "ConsumerHealth",
        FLUSH_RESULT = "FlushResult",
        MEMORY_USAGE = "MemoryUsage",
        OFFSET_AND_METADATA = "OffsetAndMetadata",
        OFFSET_AND_TIMESTAMP = "OffsetAndTimestamp",
        PARTITION_INFO = "PartitionInfo",
        PARTITION_TROUBLE = "PartitionTrouble",
        PRODUCER_RECORD = "ProducerRecord",
        TIMESTAMP_TYPE = "TimestampType",
        TOPIC_PARTITION = "TopicPartition",
        WATERMARKS = "Watermarks";

    "kafkars.compat.aiokafka.consumer.consumer": AIOKAFKA_NEXT_BY_GETONE = "next_by_getone";
    "kafkars.compat.aiokafka.errors":
        AIOKAFKA_CONSUMER_STOPPED = "ConsumerStoppedError",
        AIOKAFKA_ERROR_OF = "of",
        AIOKAFKA_ILLEGAL_STATE = "IllegalStateError",
        AIOKAFKA_PRODUCER_CLOSED = "ProducerClosed";
    "kafkars.compat.aiokafka.producer._send":
        AIOKAFKA_SEND_BY_METHODS = "send",
        AIOKAFKA_SEND_THROUGH_SEND = "send_and_wait";
    "kafkars.compat.aiokafka.producer.producer": AIOKAFKA_HOOKS = "HOOKS";
    "kafkars.compat.aiokafka.structs": AIOKAFKA_RECORD_METADATA = "RecordMetadata";
    "kafkars.compat.confluent_kafka._translate":
        CONFLUENT_ERROR_OF_DELIVERY = "of_delivery",
        CONFLUENT_ERROR_OF_MESSAGE = "of_message",
        CONFLUENT_FATAL_ERROR = "fatal_of",
        CONFLUENT_REFUSAL = "refusal";

    "asyncio":
        BASE_EVENT_LOOP = "BaseEventLoop",
        CANCELLED_ERROR = "CancelledError",
        CURRENT_TASK = "current_task",
        ENSURE_FUTURE = "ensure_future",
        GET_RUNNING_LOOP = "get_running_loop",
        INVALID_STATE_ERROR = "InvalidStateError";
    "datetime": DATETIME = "datetime", TIMEZONE = "timezone";
    "logging": GET_LOGGER = "getLogger";
    "types": GENERIC_ALIAS = "GenericAlias", METHOD_TYPE = "MethodType";
}

names! {
    "contextvars": CONTEXT = "Context";
}

#[cfg(Py_LIMITED_API)]
names! {
    "contextvars": COPY_CONTEXT = "copy_context";
}

/// `kafkars.errors`, whose classes are named in `error/`.
pub(crate) fn errors(py: Python<'_>) -> PyResult<&Bound<'_, PyModule>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || py.import("kafkars.errors").map(Bound::unbind))?;
    Ok(module.bind(py))
}

/// Methods of the classes that derive from native ones, which these call for what is rare.
pub(crate) mod hooks {
    macro_rules! methods {
        ($($class:literal: $($name:ident => $method:literal),+;)+) => {
            $($(pub(crate) const $name: &str = $method;)+)+
        };
    }

    methods! {
        "kafkars.compat.kafka.consumer.group.KafkaConsumer":
            FAILED => "_failed",
            NEXT_IN_TIME => "_next_in_time";
        "kafkars.compat.kafka.producer.future.FutureRecordMetadata":
            GET => "_get",
            LATE => "_late";
        "kafkars.compat.kafka.producer.kafka.KafkaProducer":
            RAISE_AT_ONCE => "_raise_at_once",
            REFUSED => "_refused",
            SEND => "_send",
            SEND_SERIALIZED => "_send_serialized";
    }
}
