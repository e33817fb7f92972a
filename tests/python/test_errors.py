"""The classes of `kafkars.errors`: complete, told apart, and agreeing with the native table."""

from __future__ import annotations

import pickle

import pytest
from kafkars import _kafkars, errors
from kafkars.errors import BY_CODE, BrokerError, KafkaError

CLASSES = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, KafkaError)]


def test_every_broker_code_has_a_class_and_the_facts_of_the_native_table() -> None:
    native = {code: (name, retriable) for code, name, retriable in _kafkars.error_table() if code != 0}
    assert {code: (each.name, each.retriable) for code, each in BY_CODE.items()} == native


def test_class_names_follow_kafkas() -> None:
    for code, each in BY_CODE.items():
        words = each.name.removesuffix("_EXCEPTION").removesuffix("_ERROR").lower().split("_")
        assert each.__name__ == "".join(word.capitalize() for word in words) + "Error", code
        assert getattr(errors, each.__name__) is each


def test_all_names_are_listed_and_documented() -> None:
    assert sorted(each.__name__ for each in CLASSES) == sorted(set(errors.__all__) - {"BY_CODE"})
    for each in CLASSES:
        assert each.__doc__, each


@pytest.mark.parametrize("error", CLASSES)
def test_an_error_survives_pickling(error: type[KafkaError]) -> None:
    told = {errors.BootstrapError: {"causes": (("a:1", "refused"),)}, errors.ConfigError: {"setting": "linger_ms"}}
    made = error("what happened", **told.get(error, {}))
    again = pickle.loads(pickle.dumps(made))
    assert (type(again), again.args, vars(again)) == (error, made.args, vars(made))


def test_builtin_bases_where_they_fit() -> None:
    for error, builtin in [
        (errors.ConfigError, ValueError),
        (errors.KafkaTimeoutError, TimeoutError),
        (errors.DeliveryTimeoutError, TimeoutError),
        (errors.BootstrapError, ConnectionError),
        (errors.BufferFullError, BufferError),
        (errors.RecordTooLargeError, ValueError),
        (errors.ForkedClientError, RuntimeError),
        (errors.NoOffsetError, LookupError),
    ]:
        assert issubclass(error, builtin)


def test_what_to_do_is_told() -> None:
    assert errors.NotLeaderOrFollowerError.retriable
    assert not errors.TopicAuthorizationFailedError.retriable
    assert issubclass(errors.TopicAuthorizationFailedError, errors.AuthorizationError)
    assert issubclass(errors.SaslAuthenticationFailedError, errors.AuthenticationError)
    assert errors.ProducerFencedError.fatal
    assert BrokerError.code is None
