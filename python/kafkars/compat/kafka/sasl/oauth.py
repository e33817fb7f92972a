"""The base class of token providers for OAUTHBEARER (`kafka.sasl.oauth`)."""

from __future__ import annotations

import abc
from typing import Any

__all__ = ["AbstractTokenProvider"]


class AbstractTokenProvider(abc.ABC):
    """Returns tokens; threads of the engine ask it for every connection. It should cache a token for as long as it is
    fresh.
    """

    def __init__(self, **config: Any) -> None:  # noqa: B027  nothing has to be done
        """Accepts any settings, so that subclasses may pass on theirs."""

    @abc.abstractmethod
    def token(self) -> str:
        """Returns a valid token."""

    def extensions(self) -> dict[str, str]:
        """Returns the SASL extensions to send with the token."""
        return {}
