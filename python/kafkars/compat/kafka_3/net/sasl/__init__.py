"""Names that programs import from `kafka.net.sasl`; logins are the engine's."""

from __future__ import annotations


def __getattr__(name: str) -> object:
    raise AttributeError(
        f"kafka.net.sasl.{name} is not offered by kafkars: mechanisms are the engine's; sasl_mechanism names one of them"
    )
