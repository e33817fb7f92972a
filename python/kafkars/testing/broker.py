"""In-memory Kafka clusters that any client can reach over TCP."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from kafkars import _kafkars
from kafkars._discreet import discreet
from kafkars.errors import BrokerError, ClientStateError, ConfigError, InvalidArgumentError, KafkaTimeoutError
from kafkars.testing.clock import Clock
from kafkars.testing.faults import Action, Fault
from kafkars.testing.protection import Protection, acls_to_native, check_user
from kafkars.testing.security import Acl
from kafkars.testing.stored import READER, StoredRecord, stored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import TracebackType

    from typing_extensions import Self

    from kafkars.testing.certificates import Certificate, Certificates
    from kafkars.testing.security import Listener, Mechanism, Protocol

ANYTHING = 0x7FFF_FFFF
"""A length prefix that is larger than that of any frame."""

FIRST_BYTE_OF_AN_ANSWER = 4
"""The position after the correlation id."""


def _topics(given: Mapping[str, int] | Iterable[str] | None, partitions: int) -> list[tuple[str, int]]:
    """Returns the topics of the argument `topics` with their numbers of partitions."""
    if given is None:
        return []
    if isinstance(given, str):
        return [(given, partitions)]
    pairs: list[tuple[Any, int]]
    try:
        pairs = list(given.items()) if isinstance(given, Mapping) else [(name, partitions) for name in given]
    except TypeError:
        pairs = [(given, partitions)]
    wrong = next((name for name, _ in pairs if not isinstance(name, str)), None)
    if wrong is not None:
        message = f'expected names, or names with numbers of partitions, as {{"orders": 3}}, not {wrong!r}'
        raise ConfigError.of("topics", message)
    return pairs


class EmbeddedBroker(_kafkars.EmbeddedBroker):
    """A Kafka cluster in this process, by default of one node.

    ```python
    with EmbeddedBroker(topics={"orders": 3}) as broker:
        producer = Producer(bootstrap_servers=broker.bootstrap_servers)
    ```

    It runs from the moment it is made until `stop()`, or the end of a `with` or an `async with` block.

    Args:
        nodes: The number of brokers.
        version: The release of Kafka to behave as, from "0.11" on: it offers the requests and versions of them that
            brokers of that release offer. None is the newest.
        data_dir: A directory that keeps topics, records, settings, committed offsets and transactions across restarts;
            it is made if it is not there. None keeps nothing.
        port: Port of the first; the next ones follow. 0 takes free ports.
        topics: Topics that are created at the start: a mapping of names to numbers of partitions, or one name or
            several, which have `default_partitions`.
        auto_create_topics: Whether a client that asks for an unknown topic creates it.
        default_partitions: Partitions of topics that are created without saying how many.
        default_replication_factor: Replicas of topics that are created without saying how many, at most one on each
            node. For `EmbeddedCluster` None stands for 3, or as many as there are nodes.
        topic_defaults: Settings of all topics, by Kafka's names (`"max.message.bytes": "1000"`).
        advertised_host: Host that is told to clients instead of the real one (`advertised.listeners`), right or wrong.
        advertised_port: Port that is told to clients instead of the real one, right or wrong.
        clock: "wall" runs with the machine's clock; "manual" stands still until `broker.clock.advance()`.
        requests_recorded: The number of latest requests that `requests()` can return.
        connections_max_idle: Seconds after which an idle connection is closed (`connections.max.idle.ms`).
        cleanup_interval: Seconds of the broker's clock between two runs of `run_retention()` and `compact()`; None runs
            them only when they are called.
        group_migration_policy: Which groups may change between the classic and the consumer protocol while they have
            members (`group.consumer.migration.policy`): "bidirectional", "upgrade", "downgrade" or "disabled".
        security: The security protocol of its one listener. With TLS its certificate is one of `certificates`.
        listeners: Several listeners by name instead; the first is that of `bootstrap_servers`.
        users: Users and their passwords, for PLAIN and both kinds of SCRAM. OAUTHBEARER needs none.
        certificates: The authority that signs the brokers' certificates, and those of clients that are trusted; None
            makes one if it is needed.
        acls: Access control rules; an empty list lets nobody but `super_users` do anything. None: there is no
            authorizer, and everybody may do everything.
        super_users: Principals that may do everything, such as `User:admin` (`super.users`).
        allow_everyone_if_no_acl_found: Whether everybody may use resources without a rule
            (`allow.everyone.if.no.acl.found`).
        login_timeout: Seconds that a client may take for the TLS handshake, and then to log in, before it is
            disconnected.

    Raises:
        ConfigError: A setting is not valid.
        OSError: A port is taken, or `data_dir` cannot be used: the message says why.
    """

    @discreet
    def __new__(
        cls,
        *,
        nodes: int = 1,
        version: str | None = None,
        data_dir: str | os.PathLike[str] | None = None,
        port: int = 0,
        topics: Mapping[str, int] | Iterable[str] | None = None,
        auto_create_topics: bool = True,
        default_partitions: int = 1,
        default_replication_factor: int = 1,
        topic_defaults: Mapping[str, str] | None = None,
        advertised_host: str | None = None,
        advertised_port: int | None = None,
        clock: Literal["wall", "manual"] = "wall",
        requests_recorded: int = 10_000,
        connections_max_idle: float = 600.0,
        cleanup_interval: float | None = None,
        group_migration_policy: Literal["bidirectional", "upgrade", "downgrade", "disabled"] = "bidirectional",
        security: Protocol = "PLAINTEXT",
        listeners: Mapping[str, Listener] | None = None,
        users: Mapping[str, str] | None = None,
        certificates: Certificates | None = None,
        acls: Sequence[Acl] | None = None,
        super_users: Sequence[str] = (),
        allow_everyone_if_no_acl_found: bool = False,
        login_timeout: float = 10.0,
    ) -> Self:
        """See the class."""
        protection = Protection(security, listeners, users, certificates)
        rules = acls_to_native(acls, super_users, open_to_everyone=allow_everyone_if_no_acl_found)
        broker = super().__new__(
            cls,
            {
                "nodes": nodes,
                "version": version,
                "data_dir": None if data_dir is None else os.fspath(data_dir),
                "port": port,
                "topics": [(name, count, None, []) for name, count in _topics(topics, default_partitions)],
                "auto_create_topics": auto_create_topics,
                "default_partitions": default_partitions,
                "default_replication_factor": default_replication_factor,
                "topic_defaults": list((topic_defaults or {}).items()),
                "advertised_host": advertised_host,
                "advertised_port": advertised_port,
                "clock": clock,
                "requests_recorded": requests_recorded,
                "connections_max_idle": connections_max_idle,
                "cleanup_interval": cleanup_interval,
                "group_migration_policy": group_migration_policy,
                "listeners": protection.listeners_to_native(),
                "users": list(protection.users.items()),
                "acls": rules,
                "login_timeout": login_timeout,
            },
        )
        broker._protection = protection
        return broker

    _protection: Protection

    def close(self) -> None:
        """Stops the broker: another name of `stop()`, as clients have it."""
        self.stop()

    def __del__(self) -> None:
        """Warns if it was not stopped: it ends now, and clients with its address lose it."""
        if not self._is_stopped:
            servers = self.bootstrap_servers
            message = f"an embedded broker was not stopped before its last reference went: {servers} answers no more"
            warnings.warn(message, ResourceWarning, source=self, stacklevel=2)

    # --- security ---------------------------------------------------------------------------------------------

    @property
    def certificates(self) -> Certificates:
        """The authority that has signed the broker's certificates.

        Raises:
            ClientStateError: No listener has TLS.
        """
        certificates = self._protection.certificates
        if certificates is None:
            message = "the broker has no listener with TLS, so it has no certificates"
            raise ClientStateError(message)
        return certificates

    def bootstrap_servers_of(self, listener: str) -> str:
        """Returns the addresses of its nodes at one of several listeners.

        Args:
            listener: Its name, as `listeners` has it.

        Raises:
            InvalidArgumentError: There is no such listener.
        """
        return self._bootstrap_servers_of(listener)

    def client_settings(
        self,
        listener: str | None = None,
        *,
        user: str | None = None,
        mechanism: Mechanism | None = None,
        certificate: Certificate | None = None,
    ) -> dict[str, Any]:
        """Returns the settings with which a client can connect and log in: `Producer(**broker.client_settings())`.

        Args:
            listener: The listener's name; None for the first.
            user: The user to log in, if the listener asks for one; None for the first of `users`.
            mechanism: The SASL mechanism; None for the first that the listener offers of SCRAM-SHA-512, SCRAM-SHA-256,
                PLAIN and OAUTHBEARER.
            certificate: The client's certificate, if the listener asks for one; None for a new one of `CN=client` if
                one is required.

        Raises:
            InvalidArgumentError: There is no such listener, user or mechanism.
        """
        name, found = self._protection.listener(listener)
        servers = self.bootstrap_servers if name is None else self.bootstrap_servers_of(name)
        settings: dict[str, Any] = {"bootstrap_servers": servers, "security_protocol": found.security.lower()}
        if found.has_tls:
            settings |= self._protection.tls_settings(found, certificate)
        if found.has_sasl:
            settings |= self._protection.sasl_settings(found, user, mechanism, self.clock)
        return settings

    @discreet
    def add_user(self, name: str, password: str) -> None:
        """Adds a user who can log in by PLAIN and SCRAM, or changes the password of one.

        Args:
            name: What the user logs in as.
            password: What the user logs in with.

        Raises:
            InvalidArgumentError: The name is empty.
            ConfigError: The name or the password is no text, or not UTF-8.
        """
        check_user(name, password)
        self._add_user(name, password)
        self._protection.users[name] = password

    def remove_user(self, name: str) -> bool:
        """Removes a user from all mechanisms. Connections that are logged in stay open.

        Args:
            name: What the user logs in as.

        Returns:
            False where there was none.
        """
        self._protection.users.pop(name, None)
        return self._remove_user(name)

    def add_acl(self, rule: Acl) -> None:
        """Adds an access control rule, as an administrator would.

        Args:
            rule: The rule; one that exists already stays.

        Raises:
            ClientStateError: The broker was started without `acls`.
            ConfigError: A name of Kafka's is wrong.
            InvalidArgumentError: The rule makes no sense.
        """
        self._add_acl(rule._to_native())

    def remove_acl(self, rule: Acl) -> bool:
        """Removes an access control rule.

        Args:
            rule: The rule as it was added.

        Returns:
            False where it was not there.

        Raises:
            ClientStateError: The broker was started without `acls`.
            ConfigError: A name of Kafka's is wrong.
        """
        return self._remove_acl(rule._to_native())

    def acls(self) -> list[Acl]:
        """Returns all access control rules, in order."""
        return [Acl(*rule) for rule in self._acls()]

    @property
    def clock(self) -> Clock:
        """The clock of its time-outs, which a test may move."""
        return Clock(self)

    def create_topic(
        self,
        name: str,
        partitions: int | None = None,
        *,
        replication_factor: int | None = None,
        configs: Mapping[str, str] | None = None,
    ) -> None:
        """Creates a topic, as an administrator would.

        Args:
            name: The topic's name.
            partitions: The number of partitions; None for the broker's `default_partitions`.
            replication_factor: The number of replicas of each partition; None for the broker's
                `default_replication_factor`.
            configs: Settings of the topic by their names in Kafka, such as `{"retention.ms": "1000"}`.

        Raises:
            BrokerError: The topic cannot be created; the class is that of the error code that a client would get.
        """
        self._create_topic(name, partitions, replication_factor, list((configs or {}).items()))

    def records(self, topic: str, partition: int | None = None, *, timeout: float = 10.0) -> list[StoredRecord]:
        """Returns the records of a topic by partition and offset, those of open and aborted transactions included.

        They are read as by any client with `client_settings()`: faults and `acls` apply, and a partition without a
        leader cannot be read. Records that were deleted or compacted away are not there.

        ```python
        assert [record.value for record in broker.records("orders")] == [b"a kettle"]
        ```

        Args:
            topic: The topic's name.
            partition: Only this one; None for all.
            timeout: Longest time in seconds without a record.

        Raises:
            UnknownTopicOrPartitionError: There is no such topic.
            InvalidPartitionError: The topic has no such partition.
            KafkaTimeoutError: A partition could not be read in time.
            ClosedError: The broker was stopped.
        """
        return stored(self, topic, partition, timeout)

    # --- retention and compaction -----------------------------------------------------------------------------

    def run_retention(self, topic: str | None = None) -> int:
        """Deletes the records that `retention.ms` and `retention.bytes` no longer keep, if `cleanup.policy` has
        `delete`.

        It goes by the broker's clock and the timestamps of records, batch by batch, where Kafka deletes whole segments.

        Args:
            topic: Only this one; None for all.

        Returns:
            The number of offsets by which the beginnings of partitions have moved.

        Raises:
            UnknownTopicOrPartitionError: There is no such topic.
        """
        return super().run_retention(topic)

    def compact(self, topic: str | None = None) -> int:
        """Keeps only the latest record of each key, if `cleanup.policy` has `compact`, which leaves gaps in the
        offsets.

        Tombstones are removed by the first compaction that is `delete.retention.ms` later than the one that met them
        first. Open transactions, and records younger than `min.compaction.lag.ms`, are left alone.

        Args:
            topic: Only this one; None for all.

        Returns:
            The number of records that were removed.

        Raises:
            UnknownTopicOrPartitionError: There is no such topic.
        """
        return super().compact(topic)

    # --- quotas -----------------------------------------------------------------------------------------------

    def set_quota(
        self,
        name: Literal["producer_byte_rate", "consumer_byte_rate", "request_percentage", "controller_mutation_rate"],
        value: float | None,
        *,
        client_id: str | None = None,
    ) -> None:
        """Sets a quota of clients; one that exceeds it is told to pause, and its connection not read meanwhile
        (KIP-219).

        Args:
            name: The quota: bytes a second, percent of one thread's time, or partitions created and deleted a second.
            value: The limit; None for none.
            client_id: The client; None for each client without a quota of its own.

        Raises:
            ConfigError: There is no such quota, or the value is not valid.
        """
        self._set_quota(name, value, client_id)

    def set_connection_rate(self, value: float | None, *, address: str | None = None) -> None:
        """Sets how many connections a second an address may open; one too many is held for up to a second and closed
        (KIP-612).

        The rate is measured over ten seconds of the broker's clock, so that ten times as many may come at once.

        Args:
            value: Connections a second, a whole number; None for no limit.
            address: The IP address (`"127.0.0.1"`); None for each address without a rate of its own.

        Raises:
            ConfigError: The value or the address is not valid.
        """
        try:
            import ipaddress  # noqa: PLC0415  only this needs it, and `import kafkars.testing` is to be quick

            parsed = None if address is None else str(ipaddress.ip_address(address))
        except ValueError as error:
            raise ConfigError.of("address", str(error)) from error
        self._set_connection_rate(value, parsed)

    # --- nodes ------------------------------------------------------------------------------------------------

    def stop_node(self, node: int) -> None:
        """Stops a node as a controlled shutdown does.

        What it leads and coordinates moves to other nodes; then its port, which stays reserved, and its connections are
        closed. A partition without another replica in sync has no leader until the node is back.

        Args:
            node: Its id: 1 for the first.

        Raises:
            InvalidArgumentError: There is no such node.
        """
        self._steer_node("stop", node)

    def kill_node(self, node: int) -> None:
        """Stops a node without the controller noticing: it stays the leader of its partitions until `fence_node()`.

        Args:
            node: Its id: 1 for the first.

        Raises:
            InvalidArgumentError: There is no such node.
        """
        self._steer_node("kill", node)

    def start_node(self, node: int) -> None:
        """Starts a stopped node on the port it had. It is in sync at once; leaders do not move back by themselves.

        Args:
            node: Its id: 1 for the first.

        Raises:
            InvalidArgumentError: There is no such node.
        """
        self._steer_node("start", node)

    def restart_node(self, node: int) -> None:
        """Stops a node and starts it again.

        Args:
            node: Its id: 1 for the first.

        Raises:
            InvalidArgumentError: There is no such node.
        """
        self._steer_node("restart", node)

    def pause_node(self, node: int) -> None:
        """Pauses a node: it answers nothing, its connections stay, and it stays the leader until `fence_node()`.

        Args:
            node: Its id: 1 for the first.

        Raises:
            InvalidArgumentError: There is no such node.
        """
        self._steer_node("pause", node)

    def resume_node(self, node: int) -> None:
        """Lets a paused node go on: it handles the requests that were sent to it meanwhile.

        Args:
            node: Its id: 1 for the first.

        Raises:
            InvalidArgumentError: There is no such node.
        """
        self._steer_node("start", node)

    def fence_node(self, node: int) -> None:
        """Lets the controller fence a node, as when its session times out; `start_node()` undoes it.

        Args:
            node: Its id: 1 for the first.

        Raises:
            InvalidArgumentError: There is no such node.
        """
        self._steer_node("fence", node)

    def add_node(self) -> int:
        """Adds a node and returns its id. It leads nothing until topics are created, leaders are moved, or nodes
        stop.
        """
        return self._add_node()

    def coordinator(self, key: str, *, kind: Literal["group", "transaction", "share"] = "group") -> int | None:
        """Returns the node that coordinates a group (or a transactional id, or a share group).

        Args:
            key: Its name.
            kind: What it is the name of.

        Returns:
            The node's id; None while no node can.
        """
        return self._coordinator(kind, key)

    def move_coordinator(
        self, key: str, node: int, *, kind: Literal["group", "transaction", "share"] = "group"
    ) -> None:
        """Moves the coordinator of a group (or a transactional id, or a share group) to another node while that is up.

        Args:
            key: Its name.
            node: Id of the node that is to coordinate it.
            kind: What it is the name of.

        Raises:
            InvalidArgumentError: There is no such node.
        """
        self._move_coordinator(kind, key, node)

    def slow_down(self, node: int | None = None, *, latency: float = 0.0, bytes_per_second: int | None = None) -> None:
        """Slows down the traffic of one node or of all; without further arguments it is fast again.

        Args:
            node: The node's id; None for all nodes.
            latency: Delay of each response in seconds. Responses do not wait for each other.
            bytes_per_second: Bytes a second in each direction, for all connections of the node together; None for no
                limit.
        """
        if bytes_per_second is not None and bytes_per_second < 1:
            raise InvalidArgumentError(
                f"bytes_per_second: must be at least 1, or None for no limit; not {bytes_per_second}"
            )
        self._slow_down(node, latency, bytes_per_second)

    # --- faults and requests ----------------------------------------------------------------------------------

    def intercept(
        self,
        api: str | None,
        action: Action | str | int | type[BrokerError],
        *,
        seconds: float = 0.0,
        position: int = FIRST_BYTE_OF_AN_ANSWER,
        length: int = ANYTHING,
        times: int | None = None,
        node: int | None = None,
        when: Callable[[_kafkars.SeenRequest], object] | None = None,
    ) -> Fault:
        """Sets a fault for future requests. If several apply to a request, the one that was set first wins.

        Args:
            api: Kafka's name of the request: "Produce", "Fetch", "Metadata". None for all.
            action: What happens to the request:

                - "delay": it is handled `seconds` later, and so is what follows on its connection;
                - "drop": no effect, no response;
                - "disconnect": no effect, the connection is closed;
                - "disconnect_after": it has its effect, but the connection is closed instead of a response;
                - the name of an error code, its class, or its number, which may be one that Kafka does not
                  have yet: no effect, the error in every error field of the response;
                - "flip_byte": the byte at `position` of the response is inverted;
                - "wrong_length": the length prefix of the response is `length`;
                - "truncate": `position` bytes of the response are sent, then the connection is closed;
                - "wrong_correlation_id": the correlation id of the response is that of no request.
            seconds: Length of a delay in seconds.
            position: For "flip_byte" counted from the end of the length prefix, so that 0 to 3 are the correlation id.
            length: For "wrong_length"; the default is more than any client accepts.
            times: The number of requests to apply it to; None for all.
            node: Only requests to this broker.
            when: Only requests for which this returns something true. It runs on the broker's thread: it must be quick,
                and must not stop the broker or a node. What it raises is reported to `sys.unraisablehook`.

        Returns:
            A handle that counts the requests and can end the fault, also as a context manager.

        Raises:
            InvalidArgumentError: There is no such API, action or error code, which the message lists with the nearest
                one; there is no such node; `times` is below 1, or `seconds` negative, or none of a delay.
        """
        if times is not None and times < 1:
            raise InvalidArgumentError(f"times: must be at least 1, or None for all; not {times}")
        if node is not None and node not in self.nodes:
            raise InvalidArgumentError(f"node: there is no node {node}; there are {', '.join(map(str, self.nodes))}")
        name = action.name if isinstance(action, type) else str(action)
        if name == "delay" and not seconds:
            raise InvalidArgumentError("seconds: a delay needs a duration, as seconds=0.5")
        fault = {
            "api": api,
            "action": name,
            "seconds": seconds,
            "position": position,
            "length": length,
            "times": times,
            "node": node,
            "when": when,
        }
        return Fault(self, self._intercept(fault))

    def requests(
        self,
        api: str | None = None,
        *,
        node: int | None = None,
        client_id: str | None = None,
    ) -> list[_kafkars.SeenRequest]:
        """Returns the latest requests, oldest first, without those of `records()`.

        Args:
            api: Only those of this name.
            node: Only those to this broker.
            client_id: Only those of clients of this name.

        Raises:
            InvalidArgumentError: There is no such API.
        """
        if api is not None:
            api = self._api_name(api)
        return [
            request
            for request in self._requests()
            if (api is None or request.api == api)
            and (node is None or request.node == node)
            and (request.client_id != READER if client_id is None else request.client_id == client_id)
        ]

    def wait_for_request(
        self,
        api: str | None = None,
        *,
        count: int = 1,
        node: int | None = None,
        client_id: str | None = None,
        when: Callable[[_kafkars.SeenRequest], object] | None = None,
        timeout: float = 10.0,
    ) -> _kafkars.SeenRequest:
        """Waits until there have been `count` such requests since the start or `forget_requests()`, and returns the
        last of them.

        Args:
            api: Only those of this name.
            count: The number of requests to wait for: 1 or more.
            node: Only those to this broker.
            client_id: Only those of clients of this name.
            when: Only those for which this is true.
            timeout: Seconds to wait.

        Raises:
            InvalidArgumentError: There is no such API, `count` is below 1, or `timeout` negative.
            KafkaTimeoutError: There were fewer within `timeout` seconds.
        """
        _kafkars.check_limits(timeout)
        if count < 1:
            raise InvalidArgumentError(f"count: must be at least 1, not {count}")
        deadline = time.monotonic() + timeout
        known = 0
        while True:
            found = [
                request
                for request in self.requests(api, node=node, client_id=client_id)
                if when is None or when(request)
            ]
            if len(found) >= count:
                return found[count - 1]
            if time.monotonic() >= deadline:
                wanted = api or "any"
                message = f"{len(found)} of {count} requests ({wanted}) were seen within {timeout} s"
                raise KafkaTimeoutError(message)
            known = self._wait_for_requests(known)

    async def __aenter__(self) -> Self:
        """Returns the broker, which runs already."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Stops the broker without blocking the event loop."""
        # Imported here: programs that use asyncio have it already, and others need not pay for it.
        import asyncio  # noqa: PLC0415

        await asyncio.get_running_loop().run_in_executor(None, self.stop)


class EmbeddedCluster(EmbeddedBroker):
    """A Kafka cluster in this process, by default of three nodes with replicas of topics on all of them.

    ```python
    with EmbeddedCluster(topics={"orders": 6}) as cluster:
        cluster.stop_node(cluster.leader("orders", 0))
    ```

    It takes the arguments of `EmbeddedBroker`; only the defaults differ.
    """

    @discreet
    def __new__(
        cls,
        *,
        nodes: int = 3,
        version: str | None = None,
        data_dir: str | os.PathLike[str] | None = None,
        port: int = 0,
        topics: Mapping[str, int] | Iterable[str] | None = None,
        auto_create_topics: bool = True,
        default_partitions: int = 3,
        default_replication_factor: int | None = None,
        topic_defaults: Mapping[str, str] | None = None,
        advertised_host: str | None = None,
        advertised_port: int | None = None,
        clock: Literal["wall", "manual"] = "wall",
        requests_recorded: int = 10_000,
        connections_max_idle: float = 600.0,
        cleanup_interval: float | None = None,
        group_migration_policy: Literal["bidirectional", "upgrade", "downgrade", "disabled"] = "bidirectional",
        security: Protocol = "PLAINTEXT",
        listeners: Mapping[str, Listener] | None = None,
        users: Mapping[str, str] | None = None,
        certificates: Certificates | None = None,
        acls: Sequence[Acl] | None = None,
        super_users: Sequence[str] = (),
        allow_everyone_if_no_acl_found: bool = False,
        login_timeout: float = 10.0,
    ) -> Self:
        """See the class."""
        return super().__new__(
            cls,
            nodes=nodes,
            version=version,
            data_dir=data_dir,
            port=port,
            topics=topics,
            auto_create_topics=auto_create_topics,
            default_partitions=default_partitions,
            default_replication_factor=(
                max(1, min(3, nodes)) if default_replication_factor is None else default_replication_factor
            ),
            topic_defaults=topic_defaults,
            advertised_host=advertised_host,
            advertised_port=advertised_port,
            clock=clock,
            requests_recorded=requests_recorded,
            connections_max_idle=connections_max_idle,
            cleanup_interval=cleanup_interval,
            group_migration_policy=group_migration_policy,
            security=security,
            listeners=listeners,
            users=users,
            certificates=certificates,
            acls=acls,
            super_users=super_users,
            allow_everyone_if_no_acl_found=allow_everyone_if_no_acl_found,
            login_timeout=login_timeout,
        )
