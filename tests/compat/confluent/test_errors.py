"""KafkaError and KafkaException."""

from __future__ import annotations

import pickle
from types import ModuleType

import confluent_kafka
import pytest
from kafkars import errors
from kafkars.compat import confluent_kafka as face

THEIRS = {
    name: value
    for name in dir(confluent_kafka.KafkaError)
    if isinstance(value := getattr(confluent_kafka.KafkaError, name), int)
}


def test_every_constant_of_the_library_is_there() -> None:
    ours = {name: getattr(face.KafkaError, name, None) for name in THEIRS}
    assert ours == THEIRS
    assert len(ours) > 170


@pytest.mark.parametrize("code", sorted({*THEIRS.values(), *errors.BY_CODE}))
def test_every_code_has_the_librarys_name(code: int) -> None:
    assert face.KafkaError(code).name() == confluent_kafka.KafkaError(code).name()
    assert face.KafkaError(code).str()


def test_an_error_is_its_code(ck: ModuleType) -> None:
    error = ck.KafkaError(3)
    assert error == 3 == error.code()
    assert error == ck.KafkaError(3, "other words")
    assert error == ck.KafkaError.UNKNOWN_TOPIC_OR_PART
    assert error != ck.KafkaError._TRANSPORT
    assert error != ck.KafkaError(4)
    assert error < 4
    assert error <= ck.KafkaError(3)
    assert error > ck.KafkaError(-195)
    assert error >= 3
    assert hash(error) == 3
    assert {error: "found"}[3] == "found"
    assert error.name() == "UNKNOWN_TOPIC_OR_PART"


def test_an_error_says_what_can_be_done(ck: ModuleType) -> None:
    plain = ck.KafkaError(7, "why")
    assert (plain.fatal(), plain.retriable(), plain.txn_requires_abort()) == (False, False, False)
    full = ck.KafkaError(47, reason="why", fatal=True, retriable=True, txn_requires_abort=True)
    assert (full.fatal(), full.retriable(), full.txn_requires_abort()) == (True, True, True)
    assert full.str() == "why"


def test_errors_are_shown_alike(ck: ModuleType) -> None:
    error = ck.KafkaError(ck.KafkaError._TRANSPORT, "why")
    assert repr(error) == str(error) == 'KafkaError{code=_TRANSPORT,val=-195,str="why"}'
    assert str(ck.KafkaError(47, "why", fatal=True)) == 'KafkaError{FATAL,code=INVALID_PRODUCER_EPOCH,val=47,str="why"}'
    assert str(ck.KafkaException(error)) == str(error)
    assert "ERR_99999?" in repr(ck.KafkaError(99999))


def test_an_exception_carries_its_error(ck: ModuleType) -> None:
    error = ck.KafkaError(7, "why", retriable=True)
    with pytest.raises(ck.KafkaException) as caught:
        raise ck.KafkaException(error)
    assert caught.value.args[0] is error
    assert caught.value.args == (error,)


def test_an_error_is_copied_by_pickle(ck: ModuleType) -> None:
    # The library's own class cannot be handed to pytest's comparison of exceptions: only what it says is compared.
    copy = pickle.loads(pickle.dumps(ck.KafkaError(47, "why", fatal=True)))
    assert (copy.code(), copy.str(), copy.fatal(), copy.retriable()) == (47, "why", True, False)


@pytest.mark.parametrize("arguments", [(), ("text",), (None,)])
def test_an_error_needs_a_code(arguments: tuple[object, ...]) -> None:
    # Upstream sets an exception and returns an object as well, which the interpreter answers with SystemError.
    with pytest.raises(TypeError):
        face.KafkaError(*arguments)


def test_an_error_can_be_raised_by_itself() -> None:
    with pytest.raises(face.KafkaException) as caught:
        raise face.KafkaError(face.KafkaError._STATE, "why")
    assert caught.value.args[0] is caught.value


@pytest.mark.parametrize(
    ("name", "bases"),
    [
        ("ConsumeError", ["KafkaException"]),
        ("KeyDeserializationError", ["ConsumeError", "SerializationError"]),
        ("ValueDeserializationError", ["ConsumeError", "SerializationError"]),
        ("ProduceError", ["KafkaException"]),
        ("KeySerializationError", ["ProduceError", "SerializationError"]),
        ("ValueSerializationError", ["ProduceError", "SerializationError"]),
    ],
)
def test_errors_of_serializing_clients_have_the_librarys_bases(name: str, bases: list[str]) -> None:
    import confluent_kafka.error as original
    import kafkars.compat.confluent_kafka.error as own

    for module in (original, own):
        of_module = {cls.__name__ for cls in getattr(module, name).__mro__}
        assert of_module.issuperset(bases), (module, of_module)
