"""What the face has not: it can be imported, and says at its use what there is instead."""

from __future__ import annotations

import importlib
import pkgutil
from unittest import mock

import pytest
from kafkars.compat import confluent_kafka
from kafkars.compat.confluent_kafka import schema_registry
from kafkars.compat.confluent_kafka.serialization import MessageField, SerializationContext

NOT_OFFERED = {
    "": ["ShareConsumer", "DeserializingShareConsumer"],
    ".schema_registry": ["SchemaRegistryClient", "AsyncSchemaRegistryClient", "prefix_schema_id_serializer"],
    ".schema_registry.avro": ["AvroSerializer", "AvroDeserializer"],
    ".schema_registry.json_schema": ["JSONSerializer", "JSONDeserializer"],
    ".schema_registry.protobuf": ["ProtobufSerializer", "ProtobufDeserializer"],
    ".schema_registry.schema_registry_client": ["SchemaRegistryClient", "AsyncSchemaRegistryClient"],
    ".avro.load": ["load", "loads"],
    ".avro.cached_schema_registry_client": ["CachedSchemaRegistryClient"],
    ".avro.serializer.message_serializer": ["MessageSerializer"],
    ".avro": ["AvroProducer", "AvroConsumer", "CachedSchemaRegistryClient", "load", "loads"],
}


@pytest.mark.parametrize(
    ("module", "name"), [(module, name) for module, names in NOT_OFFERED.items() for name in names]
)
def test_using_it_names_what_there_is_instead(module: str, name: str) -> None:
    found = getattr(importlib.import_module(confluent_kafka.__name__ + module), name)
    assert found.__name__ == name
    with pytest.raises(NotImplementedError, match=rf"{name}.* is not offered by kafkars: (serialize|share groups)"):
        found({"url": "http://127.0.0.1:1"})


def test_subjects_are_named_without_a_registry() -> None:
    context = SerializationContext("orders", MessageField.VALUE)
    assert schema_registry.topic_subject_name_strategy(context, "Order") == "orders-value"
    assert schema_registry.topic_record_subject_name_strategy(context, "Order") == "orders-Order"
    assert schema_registry.record_subject_name_strategy(context, "Order") == "Order"
    reference = schema_registry.SchemaReference("item", "item-subject", 1)
    assert schema_registry.reference_subject_name_strategy(context, reference) == "item"


def test_schemas_and_errors_hold_what_they_are_given() -> None:
    schema = schema_registry.Schema("{}", "JSON", [schema_registry.SchemaReference("a", "b", 1)])
    assert schema == schema_registry.Schema("{}", "JSON", [schema_registry.SchemaReference("a", "b", 1)])
    error = schema_registry.SchemaRegistryError(404, 40401, "no such subject")
    assert (error.http_status_code, error.error_code, error.error_message) == (404, 40401, "no such subject")
    assert "40401" in str(error)


def test_errors_of_avro_are_the_same_wherever_they_are_imported_from() -> None:
    avro = importlib.import_module(f"{confluent_kafka.__name__}.avro")
    serializer = importlib.import_module(f"{confluent_kafka.__name__}.avro.serializer")
    client = importlib.import_module(f"{confluent_kafka.__name__}.avro.error")
    assert avro.SerializerError is serializer.SerializerError
    assert issubclass(serializer.KeySerializerError, serializer.SerializerError)
    assert issubclass(serializer.ValueSerializerError, serializer.SerializerError)
    assert (str(serializer.SerializerError("why")), serializer.SerializerError("why").message) == ("why", "why")
    assert (avro.ClientError is client.ClientError, client.ClientError("why", 404).http_code) == (True, 404)


def test_names_for_annotations_are_those_of_the_library() -> None:
    original = importlib.import_module("confluent_kafka._types")
    face = importlib.import_module(f"{confluent_kafka.__name__}._types")
    aliases = [name for name in vars(original) if name.endswith(("Type", "Callback", "erializer"))]
    assert "HeadersType" in aliases
    for name in aliases:
        assert hasattr(face, name)


@pytest.mark.parametrize(
    "name",
    [
        "avro.AvroProducer.produce",
        "avro.AvroProducer.flush",
        "avro.AvroConsumer.poll",
        "avro.CachedSchemaRegistryClient.register",
        "avro.cached_schema_registry_client.CachedSchemaRegistryClient.get_by_id",
        "avro.MessageSerializer.encode_record_with_schema",
    ],
)
def test_methods_of_avro_are_there_to_be_patched(name: str) -> None:
    path = f"{confluent_kafka.__name__}.{name}"
    with mock.patch(path) as patched:
        assert pkgutil.resolve_name(path) is patched
    with pytest.raises(NotImplementedError, match=rf"{'.'.join(name.split('.')[-2:])}\(\) is not offered by kafkars"):
        pkgutil.resolve_name(path)()
    # Other names of the class say that they are not offered, too.
    with pytest.raises(AttributeError, match="not offered"):
        pkgutil.resolve_name(f"{path.rpartition('.')[0]}.nothing_of_the_kind")


def test_what_programs_import_beside_avro_is_there() -> None:
    module = importlib.import_module(f"{confluent_kafka.__name__}.avro.serializer.message_serializer")
    with module.ContextStringIO(b"value") as file:
        assert file.read() == b"value"
    assert (module.MAGIC_BYTE, module.HAS_FAST) == (0, False)
    client = importlib.import_module(f"{confluent_kafka.__name__}.avro.cached_schema_registry_client")
    assert "FULL" in client.VALID_LEVELS
    assert "GET" in client.VALID_METHODS
    assert "USER_INFO" in client.VALID_AUTH_PROVIDERS
