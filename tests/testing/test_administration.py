"""Calls of administrators on the embedded broker, by clients that are not ours."""

from __future__ import annotations

from typing import Any

import kafka
import pytest
from confluent_kafka import ElectionType, KafkaException, TopicPartition
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialDeletion,
    UserScramCredentialUpsertion,
)
from kafkars.testing import EmbeddedBroker, EmbeddedCluster

SECONDS = 20.0


def test_confluent_elects_leaders() -> None:
    with EmbeddedCluster(topics={"t": 1}) as cluster:
        admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
        first = cluster.leader("t", 0)
        cluster.move_leader("t", 0, first % 3 + 1)
        partition = TopicPartition("t", 0)
        found = admin.elect_leaders(ElectionType.PREFERRED, [partition]).result(SECONDS)
        assert found[partition] is None
        assert cluster.leader("t", 0) == first


def test_confluent_alters_credentials() -> None:
    with EmbeddedBroker() as broker:
        admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
        credential = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 8192)
        wanted = UserScramCredentialUpsertion("user", credential, b"password", b"salt")
        admin.alter_user_scram_credentials([wanted])["user"].result(SECONDS)
        described: Any = admin.describe_user_scram_credentials(["user"])
        (found,) = described["user"].result(SECONDS).scram_credential_infos
        assert (found.mechanism, found.iterations) == (ScramMechanism.SCRAM_SHA_512, 8192)
        deletion = UserScramCredentialDeletion("user", ScramMechanism.SCRAM_SHA_512)
        admin.alter_user_scram_credentials([deletion])["user"].result(SECONDS)
        described = admin.describe_user_scram_credentials(["user"])
        with pytest.raises(KafkaException, match="does not exist"):
            described["user"].result(SECONDS)


def test_confluent_is_told_that_there_is_no_authorizer() -> None:
    with EmbeddedBroker() as broker:
        admin = AdminClient({"bootstrap.servers": broker.bootstrap_servers})
        rule = AclBinding(
            ResourceType.TOPIC,
            "t",
            ResourcePatternType.LITERAL,
            "User:u",
            "*",
            AclOperation.READ,
            AclPermissionType.ALLOW,
        )
        with pytest.raises(KafkaException, match="No Authorizer"):
            admin.create_acls([rule])[rule].result(SECONDS)


def test_kafka_python_sees_directories() -> None:
    with EmbeddedBroker(topics={"t": 2}) as broker:
        admin = kafka.KafkaAdminClient(bootstrap_servers=broker.bootstrap_servers)
        found = admin.describe_log_dirs()
        admin.close()
        assert "/memory" in str(found)
