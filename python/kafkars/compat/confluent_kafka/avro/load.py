"""`confluent_kafka.avro.load`: not offered; its functions can be imported and say what there is instead."""

from __future__ import annotations

from kafkars.compat.confluent_kafka._not_offered import SERIALIZE, functions, others
from kafkars.compat.confluent_kafka.avro.error import ClientError

__all__ = ["ClientError", "load", "loads"]

load, loads = functions(__name__, SERIALIZE, "load", "loads")
__getattr__ = others(__name__, SERIALIZE)
