"""What only a Spark job can meet."""

from __future__ import annotations

from kafkars.errors import KafkaError


class DataLossError(KafkaError):
    """Records that the query was to read are gone, and `failOnDataLoss` is true."""

    name = "DATA_LOSS"


class ReplayDiffersError(KafkaError):
    """A micro-batch that was written once came again with other rows, so it can be neither skipped nor written."""

    name = "REPLAY_DIFFERS"
