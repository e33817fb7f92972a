"""The base of the administration clients of kafka-python 2 and 3: settings, connecting, closing."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import kafkars
from kafkars._discreet import discreet
from kafkars.compat._quiet import quiet
from kafkars.compat.kafka._versions import NEWEST_OF_2, release_of
from kafkars.compat.kafka.admin import _settings
from kafkars.compat.kafka.errors import NodeNotReadyError, of_first_contact, translated
from kafkars.errors import AuthenticationError, CredentialsError
from kafkars.errors import KafkaError as EngineError

if TYPE_CHECKING:
    from typing_extensions import Self


class Connection:
    """The base: holds the engine's `Admin`."""

    DEFAULT_CONFIG: ClassVar[dict[str, Any]] = _settings.DEFAULTS
    TELLS_RELEASE: ClassVar[bool] = True
    """True if `config["api_version"]` becomes the release that was found."""

    @discreet
    def __init__(self, **configs: Any) -> None:
        self._closed = True
        self.config = self._checked(configs)
        with translated():
            self._admin = quiet(kafkars.Admin(_settings.of_engine(self.config)))
        try:
            self._admin.describe_cluster(timeout=self._first_contact_seconds())
        except (AuthenticationError, CredentialsError):
            self._admin.close()
            with translated():
                raise
        except EngineError as error:
            self._admin.close()
            raise self._no_contact(error) from error
        if self.TELLS_RELEASE and self.config["api_version"] is None:
            self.config["api_version"] = release_of(self._admin._native._api_versions(), NEWEST_OF_2)
        self._closed = False

    def _checked(self, configs: Mapping[str, Any]) -> dict[str, Any]:
        return _settings.checked(configs, self.DEFAULT_CONFIG)

    def _first_contact_seconds(self) -> float:
        name = "request_timeout_ms" if self.config["api_version"] is not None else "api_version_auto_timeout_ms"
        return float(self.config[name]) / 1000

    def _no_contact(self, error: EngineError) -> BaseException:
        return of_first_contact(error)

    def close(self) -> None:
        """Closes all connections. Idempotent."""
        self._closed = True
        self._admin.close()

    def _seconds(self, timeout_ms: float | None = None) -> float:
        """Returns the time limit of a call in seconds."""
        return float(timeout_ms or self.config["request_timeout_ms"]) / 1000

    @contextlib.contextmanager
    def _asking(self) -> Iterator[kafkars.Admin]:
        """Yields the engine's `Admin`; its errors leave the block as those of kafka-python.

        Raises:
            NodeNotReadyError: The client is closed.
        """
        if self._closed:
            raise NodeNotReadyError("the administrator is closed")
        with translated():
            yield self._admin

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()
