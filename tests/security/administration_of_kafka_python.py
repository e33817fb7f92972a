"""A program of `KafkaAdminClient` about access, credentials, leaders and transactions: what each step tells, as JSON.

    python -m tests.security.administration_of_kafka_python LIBRARY SERVERS TOPIC PRINCIPAL

LIBRARY is the module, with the folder that it is in where it is not installed: `FOLDER:kafka`. Kafka-python 2 and
3 name some calls differently; each is asked for those that it has.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Callable
from typing import Any

WAIT = 20.0


def library(given: str) -> Any:
    folder, _, name = given.rpartition(":")
    if folder:
        sys.path.insert(0, folder)
    return importlib.import_module(f"{name}.admin"), importlib.import_module(name)


class Program:
    """The steps, and what they told."""

    def __init__(self, given: str, servers: str, topic: str, principal: str) -> None:
        self.names, self.kafka = library(given)
        self.admin = self.kafka.KafkaAdminClient(bootstrap_servers=servers)
        self.servers, self.topic, self.principal = servers, topic, principal

    def run(self) -> None:
        for step in [self.rules, self.leaders, *([self.users, self.moves, self.transactions] if self.is_3 else [])]:
            step()
        self.step("operations of the cluster", lambda: self.operations(self.admin.describe_cluster()))
        self.step("operations of a topic", lambda: self.operations(self.admin.describe_topics([self.topic])[0]))

    @property
    def is_3(self) -> bool:
        return hasattr(self.names, "ScramMechanism")

    def step(self, name: str, call: Callable[[], Any]) -> None:
        try:
            told = self.plain(call())
        except Exception as error:  # noqa: BLE001  told
            told = ["raises", type(error).__name__]
        sys.stdout.write(json.dumps([name, told]) + "\n")

    def settled(self, ask: Callable[[], Any], wanted: Callable[[Any], bool]) -> Any:
        end = time.monotonic() + WAIT
        while not wanted(found := ask()) and time.monotonic() < end:
            time.sleep(0.05)
        return found

    def operations(self, row: Any) -> Any:
        return sorted(row["authorized_operations"])

    def plain(self, value: Any) -> Any:
        """A value without the classes of one library and the names of one run."""
        if isinstance(value, type):
            return value.__name__
        if isinstance(value, dict):
            hidden = ("error_message", "throttle_time_ms")
            rows = [[self.plain(key), self.plain(each)] for key, each in value.items() if key not in hidden]
            return sorted(rows, key=str)
        if isinstance(value, (list, tuple)):
            return [self.plain(each) for each in value]
        if isinstance(value, int | None):
            return value
        return str(value).replace(self.topic, "TOPIC").replace(self.principal.removeprefix("User:"), "USER")

    # --- access

    def rule(self, kind: str = "ACL", **parts: Any) -> Any:
        names = self.names
        given = {
            "principal": self.principal,
            "host": "*",
            "operation": names.ACLOperation.READ,
            "permission_type": names.ACLPermissionType.ALLOW,
        }
        pattern = parts.pop("pattern", None) or names.ResourcePattern(names.ResourceType.TOPIC, self.topic)
        return getattr(names, kind)(**{**given, **parts}, resource_pattern=pattern)

    def everything(self, **parts: Any) -> Any:
        names = self.names
        anything = names.ResourcePatternFilter(names.ResourceType.ANY, None, names.ACLResourcePatternType.ANY)
        given = {"host": None, "operation": names.ACLOperation.ANY, "permission_type": names.ACLPermissionType.ANY}
        return self.rule("ACLFilter", **{**given, "pattern": anything, **parts})

    def rules(self) -> None:
        names, admin = self.names, self.admin
        prefix = names.ResourcePattern(names.ResourceType.GROUP, "g", names.ACLResourcePatternType.PREFIXED)
        denied = {"operation": names.ACLOperation.ALL, "permission_type": names.ACLPermissionType.DENY}
        added = [self.rule(), self.rule(pattern=prefix, **denied), self.rule(operation=names.ACLOperation.WRITE)]
        self.step("rules are added", lambda: admin.create_acls(added))
        self.step("a rule without a principal", lambda: admin.create_acls([self.rule(principal="nobody"), added[0]]))

        def found() -> Any:
            rules, error = admin.describe_acls(self.everything())
            return [sorted(map(str, rules)), error]

        self.step("rules are found", lambda: self.settled(found, lambda told: len(told[0]) == len(added)))
        self.step("nobody's", lambda: admin.describe_acls(self.everything(principal="User:nobody at all")))
        self.step("filters are no rules", lambda: admin.create_acls([self.everything()]))
        self.step("text is no filter", lambda: admin.delete_acls(["text"]))
        deny = self.everything(permission_type=names.ACLPermissionType.DENY)
        self.step("one goes", lambda: admin.delete_acls([deny]))
        gone = [(asked, len(rules), error) for asked, rules, error in admin.delete_acls([self.everything()])]
        self.step("the others go", lambda: gone)

    # --- leaders

    def leaders(self) -> None:
        def told(answer: Any) -> Any:
            if hasattr(answer, "to_object"):
                return answer.to_object()["replication_election_results"]
            return answer.to_dict()["replica_election_results"]

        elect = self.admin.elect_leaders if self.is_3 else self.admin.perform_leader_election
        for kind in (0, 1):
            self.step(f"election {kind}", lambda kind=kind: told(elect(kind, {self.topic: [0]})))
        self.step("an election that there is not", lambda: told(elect(7, {self.topic: [0]})))
        self.step("of a partition that is not there", lambda: told(elect(0, {self.topic: [99]})))
        self.step("of all", lambda: all(row["topic"] for row in told(elect(0))))

    # --- kafka-python 3

    def users(self) -> None:
        names, admin = self.names, self.admin
        user = self.principal.removeprefix("User:")

        def made(name: str, iterations: int | None = None, **more: Any) -> Any:
            return names.UserScramCredentialUpsertion(name, "SCRAM-SHA-256", "secret", iterations, **more)

        def described() -> Any:
            return admin.describe_user_scram_credentials([user])

        def altered(changes: list[Any]) -> Any:
            return {name: text and "refused" for name, text in admin.alter_user_scram_credentials(changes).items()}

        self.step("a user is made", lambda: altered([made(user, 5000, salt=b"salt"), made(f"{user}-few", 100)]))
        self.step("and described", lambda: self.settled(described, lambda told: not told[user]["error"]))
        self.step("among everybody", lambda: admin.describe_user_scram_credentials()[user])
        self.step("and shown", lambda: repr(made(user)))
        self.step("named twice", lambda: altered([made(user), made(user)]))
        self.step("text is no change", lambda: admin.alter_user_scram_credentials(["secret"]))
        self.step("a user goes", lambda: altered([names.UserScramCredentialDeletion(user, 1)]))
        self.step("and again", lambda: altered([names.UserScramCredentialDeletion(user, 1)]))
        gone = self.settled(described, lambda told: bool(told[user]["error"]))[user]
        self.step("and is not described", lambda: [bool(gone["error"]), gone["credential_infos"]])

    def moves(self) -> None:
        admin = self.admin
        (broker,) = [each["broker_id"] for each in admin.describe_cluster()["brokers"]]
        place = self.kafka.TopicPartition(self.topic, 0)
        self.step("stays", lambda: admin.alter_partition_reassignments({place: [broker]}))
        self.step("moves to nobody", lambda: admin.alter_partition_reassignments({place: [777]}))
        self.step("moves nowhere", lambda: admin.alter_partition_reassignments({place: []}))
        self.step("gives up", lambda: admin.alter_partition_reassignments({place: None}))
        self.step("moves", admin.list_partition_reassignments)
        self.step("moves of one", lambda: admin.list_partition_reassignments([place]))

        def folders() -> Any:
            (row,) = admin.describe_log_dirs({self.topic: [0]})
            return [[sorted(each), each["topics"], each["error_code"]] for each in row["log_dirs"]]

        self.step("folders", folders)

    def transactions(self) -> None:
        admin, place = self.admin, self.kafka.TopicPartition(self.topic, 0)
        name = f"transactions of {self.topic}"
        producer = self.kafka.KafkaProducer(bootstrap_servers=self.servers, transactional_id=name)
        producer.init_transactions()
        producer.begin_transaction()
        producer.send(self.topic, b"one", partition=0).get(WAIT)

        def listed(**filters: Any) -> Any:
            found = [each for several in admin.list_transactions(**filters).values() for each in several]
            return [each.state.name for each in found if each.transactional_id == name]

        self.step("listed", listed)
        self.step("in a state", lambda: listed(state_filters=["Empty"]))
        described = admin.describe_transactions([name])[name]
        self.step("described", lambda: [described.state.name, list(map(tuple, described.topic_partitions))])
        state = admin.describe_producers([place])[place].active_producers[0]
        self.step("producers", lambda: [state.last_sequence, state.current_transaction_start_offset])
        self.step("nobody", lambda: admin.describe_transactions([f"nobody of {self.topic}"]))
        self.step("hanging", lambda: [e for e in admin.find_hanging_transactions() if e["transactional_id"] == name])
        spec = self.names.AbortTransactionSpec(place, state.producer_id, state.producer_epoch)
        self.step("aborted", lambda: admin.abort_transaction(spec))
        after = admin.describe_producers([place])[place].active_producers[0]
        self.step("and after", lambda: after.current_transaction_start_offset)


if __name__ == "__main__":
    Program(*sys.argv[1:]).run()
