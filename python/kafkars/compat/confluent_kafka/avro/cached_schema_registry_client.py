"""`confluent_kafka.avro.cached_schema_registry_client`: not offered; what programs name can be imported."""

from __future__ import annotations

import logging

from kafkars.compat.confluent_kafka._not_offered import SERIALIZE, classes, others
from kafkars.compat.confluent_kafka.avro.error import ClientError

__all__ = ["VALID_AUTH_PROVIDERS", "VALID_LEVELS", "VALID_METHODS", "CachedSchemaRegistryClient", "ClientError"]

VALID_LEVELS = ["NONE", "FULL", "FORWARD", "BACKWARD"]
VALID_METHODS = ["GET", "POST", "PUT", "DELETE"]
VALID_AUTH_PROVIDERS = ["URL", "USER_INFO", "SASL_INHERIT"]

log = logging.getLogger(__name__)

[CachedSchemaRegistryClient] = classes(
    __name__,
    SERIALIZE,
    "CachedSchemaRegistryClient",
    methods=(
        "check_registration",
        "close",
        "delete_subject",
        "get_by_id",
        "get_by_version",
        "get_compatibility",
        "get_latest_schema",
        "get_version",
        "register",
        "test_compatibility",
        "update_compatibility",
    ),
)
__getattr__ = others(__name__, SERIALIZE)
