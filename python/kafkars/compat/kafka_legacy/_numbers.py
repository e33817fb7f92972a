"""Error codes in responses of 0.9 for errors of kafkars."""

from __future__ import annotations

from kafkars import errors


def number_of(error: errors.KafkaError) -> int | None:
    """Returns Kafka's error code of an error of kafkars; None if the cluster did not answer."""
    if isinstance(error, errors.BrokerError):
        return error.code
    if isinstance(error, errors.InvalidPartitionError):
        return errors.UnknownTopicOrPartitionError.code
    if isinstance(error, errors.RecordTooLargeError):
        return errors.MessageTooLargeError.code
    # What says nothing of its kind is a cluster that could not be asked; nor could it where another thread has closed
    # the client.
    unanswered = error.retriable or type(error) is errors.KafkaError or isinstance(error, errors.ClosedError)
    return None if unanswered else errors.UnknownServerError.code
