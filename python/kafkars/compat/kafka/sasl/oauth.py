"""What programs derive from to log in by OAUTHBEARER (`kafka.sasl.oauth`)."""

from __future__ import annotations

import abc
from typing import Any

__all__ = ["AbstractTokenProvider"]


class AbstractTokenProvider(abc.ABC):
    """Gives tokens; asked for every connection, by threads of the engine. It should keep a token for as long as it is
    fresh.
    """

    def __init__(self, **config: Any) -> None:  # noqa: B027  nothing has to be done
        """Takes anything, so that subclasses may pass on what they got."""

    @abc.abstractmethod
    def token(self) -> str:
        """A token that is valid now."""

    def extensions(self) -> dict[str, str]:
        """SASL extensions to send with the token."""
        return {}
