"""`confluent_kafka.schema_registry.json_schema`: not offered; the classes can be imported and say what there is
instead.
"""

from __future__ import annotations

from kafkars.compat.confluent_kafka._not_offered import SERIALIZE, classes, others

__all__ = ["AsyncJSONDeserializer", "AsyncJSONSerializer", "JSONDeserializer", "JSONSerializer"]

JSONSerializer, JSONDeserializer, AsyncJSONSerializer, AsyncJSONDeserializer = classes(
    __name__, SERIALIZE, "JSONSerializer", "JSONDeserializer", "AsyncJSONSerializer", "AsyncJSONDeserializer"
)
__getattr__ = others(__name__, SERIALIZE)
