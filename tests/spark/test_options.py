"""Every option is honoured or refused by name, before anything is asked of a cluster. Needs neither Spark nor a
broker."""

from __future__ import annotations

from typing import Any

import pytest
from kafkars.errors import ConfigError
from kafkars.spark import client_settings
from kafkars.spark.options import SourceOptions, sink_options, source_options
from kafkars.types import TopicPartition

ADDRESS = {"kafka.bootstrap.servers": "localhost:9"}
A0, A1 = TopicPartition("a", 0), TopicPartition("a", 1)


def source(*, streaming: bool | None = False, **options: str) -> SourceOptions:
    given = {name.replace("__", "."): value for name, value in options.items()}
    return source_options({**ADDRESS, "subscribe": "a", **given}, streaming=streaming)


def test_defaults_are_those_of_spark() -> None:
    batch, stream = source(), source(streaming=True)
    assert (batch.starting.named, batch.ending.named, stream.starting.named) == ("earliest", "latest", "latest")
    assert batch.fail_on_data_loss
    assert not batch.include_headers
    assert batch.min_partitions is None
    assert batch.max_records_per_partition is None
    assert (stream.max_offsets, stream.min_offsets, stream.max_trigger_delay) == (None, None, 900.0)
    assert (batch.poll_timeout, batch.retries, batch.retry_interval) == (120.0, 3, 0.01)
    assert batch.commit_group is None


@pytest.mark.parametrize(
    ("name", "value", "field", "expected"),
    [
        ("subscribe", "a, b,,a", "subscribe", ("a", "b")),
        ("startingOffsets", " Earliest ", "starting.named", "earliest"),
        ("startingOffsets", '{"a":{"0":23,"1":-2}}', "starting.offsets", {A0: 23, A1: -2}),
        ("endingOffsets", '{"a":{"0":23,"1":-1}}', "ending.offsets", {A0: 23, A1: -1}),
        ("startingTimestamp", "1700000000000", "starting.timestamp", 1_700_000_000_000),
        ("endingTimestamp", "5", "ending.timestamp", 5),
        ("startingOffsetsByTimestamp", '{"a":{"0":1000}}', "starting.timestamps", {A0: 1000}),
        ("endingOffsetsByTimestamp", '{"a":{"0":1000}}', "ending.timestamps", {A0: 1000}),
        ("startingOffsetsByTimestampStrategy", "Latest", "starting.else_latest", False),
        ("failOnDataLoss", "FALSE", "fail_on_data_loss", False),
        ("minPartitions", "7", "min_partitions", 7),
        ("maxRecordsPerPartition", "10", "max_records_per_partition", 10),
        ("maxOffsetsPerTrigger", "10", "max_offsets", 10),
        ("minOffsetsPerTrigger", "10", "min_offsets", 10),
        ("maxTriggerDelay", "90s", "max_trigger_delay", 90.0),
        ("maxTriggerDelay", "2h", "max_trigger_delay", 7_200.0),
        ("includeHeaders", "true", "include_headers", True),
        ("kafkaConsumer.pollTimeoutMs", "1500", "poll_timeout", 1.5),
        ("fetchOffset.numRetries", "5", "retries", 5),
        ("fetchOffset.retryIntervalMs", "20", "retry_interval", 0.02),
        ("kafkars.commit.group", "g", "commit_group", "g"),
        ("kafka.group.id", "g", "commit_group", "g"),
        ("kafkars.batch.rows", "10", "batch_rows", 10),
    ],
)
def test_an_option_is_honoured_in_any_case(name: str, value: str, field: str, expected: object) -> None:
    for spelling in (name, name.lower(), name.upper().replace("KAFKA.GROUP", "kafka.group")):
        found: Any = source(**{spelling.replace(".", "__"): value})
        if name == "subscribe":
            found = source_options({**ADDRESS, spelling: value}, streaming=False)
        for part in field.split("."):
            # The strategy is about timestamps; without any it is only checked.
            found = getattr(found, part)
        assert found == expected


def test_timestamps_come_before_offsets_as_in_spark() -> None:
    both = {"startingTimestamp": "5", "startingOffsetsByTimestamp": '{"a":{"0":6}}', "startingOffsets": "earliest"}
    assert source(**both).starting.timestamp == 5
    del both["startingTimestamp"]
    assert source(**both, startingOffsetsByTimestampStrategy="latest").starting.else_latest
    assert source(**both).starting.timestamps == {A0: 6}


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"subscribe": " , "}, "subscribe"),
        ({"subscribePattern": "a.*"}, "subscribePattern"),
        ({"assign": '{"a":[0]}'}, "assign"),
        ({"startingOffsets": "beginning"}, "startingOffsets"),
        ({"startingOffsets": "latest"}, "startingOffsets"),
        ({"startingOffsets": '{"a":{"0":-1}}'}, "startingOffsets"),
        ({"startingOffsets": '{"a":{"0":-3}}'}, "startingOffsets"),
        ({"startingOffsets": '{"a":{"x":1}}'}, "startingOffsets"),
        ({"startingOffsets": '{"a":[0]}'}, "startingOffsets"),
        ({"startingOffsets": "{"}, "startingOffsets"),
        ({"startingOffsets": '{"a":{"0":"1"}}'}, "startingOffsets"),
        ({"startingOffsets": "committed"}, "kafkars.commit.group"),
        ({"endingOffsets": "earliest"}, "endingOffsets"),
        ({"endingOffsets": '{"a":{"0":-2}}'}, "endingOffsets"),
        ({"startingOffsets": '{"a":{"0":5}}', "endingOffsets": '{"a":{"0":4}}'}, "startingOffsets, endingOffsets"),
        ({"startingOffsets": '{"a":{"0":5}}', "endingOffsets": '{"a":{"1":9}}'}, "startingOffsets, endingOffsets"),
        ({"startingTimestamp": "yesterday"}, "startingTimestamp"),
        ({"startingTimestamp": "-5"}, "startingTimestamp"),
        ({"startingTimestamp": "1_000"}, "startingTimestamp"),
        ({"maxOffsetsPerTrigger": "\u0661"}, "maxOffsetsPerTrigger"),
        (
            {"startingTimestamp": "9" * 20},
            "startingTimestamp: expected a whole number from 0 to 9223372036854775807, not 9",
        ),
        ({"startingTimestamp": "9" * 5_000}, "startingTimestamp"),
        ({"kafkars__batch__rows": "3000000000"}, "kafkars.batch.rows: expected a whole number from 1 to 2147483647"),
        ({"kafkars__commit__group": " "}, "kafkars.commit.group: is empty"),
        ({"kafka__group__id": ""}, "kafka.group.id: is empty"),
        ({"kafka__group__id": "a", "kafkars__commit__group": "b"}, "kafkars.commit.group, kafka.group.id"),
        ({"endingOffsets": "committed", "kafkars__commit__group": "g"}, 'endingOffsets: expected "latest" or JSON'),
        ({"startingOffsetsByTimestamp": '{"a":{"0":-5}}'}, "startingOffsetsByTimestamp"),
        ({"startingOffsetsByTimestampStrategy": "earliest"}, "startingOffsetsByTimestampStrategy"),
        ({"failOnDataLoss": "maybe"}, "failOnDataLoss"),
        ({"includeHeaders": "1"}, "includeHeaders"),
        ({"minPartitions": "0"}, "minPartitions"),
        ({"minPartitions": "many"}, "minPartitions"),
        ({"maxRecordsPerPartition": "-1"}, "maxRecordsPerPartition"),
        ({"maxOffsetsPerTrigger": "0"}, "maxOffsetsPerTrigger"),
        ({"minOffsetsPerTrigger": "9", "maxOffsetsPerTrigger": "8"}, "minOffsetsPerTrigger"),
        ({"maxTriggerDelay": "soon"}, "maxTriggerDelay"),
        ({"kafkaConsumer__pollTimeoutMs": "x"}, "kafkaConsumer.pollTimeoutMs"),
        ({"subscibe": "a"}, "did you mean subscribe"),
        ({"topic": "a"}, "topic"),
        ({"kafka__bootstrap__servers": " "}, "kafka.bootstrap.servers"),
        ({"kafka__auto__offset__reset": "earliest"}, "kafka.auto.offset.reset"),
        ({"kafka__enable__auto__commit": "true"}, "kafka.enable.auto.commit"),
        ({"kafka__key__deserializer": "x"}, "kafka.key.deserializer"),
        ({"kafka__value__deserializer": "x"}, "kafka.value.deserializer"),
        ({"kafka__interceptor__classes": "x"}, "kafka.interceptor.classes"),
        ({"kafka__fetch__min__byte": "1"}, "did you mean kafka.fetch.min.bytes"),
        ({"kafka__fetch__min__bytes": "few"}, "kafka.fetch.min.bytes"),
        ({"kafka__fetch__min__bytes": "-1"}, "kafka.fetch.min.bytes"),
        ({"kafka__fetch__max__bytes": "0"}, "kafka.fetch.max.bytes"),
        ({"kafka__isolation__level": "serializable"}, "kafka.isolation.level"),
        ({"kafka__security__protocol": "ssh"}, "kafka.security.protocol"),
        ({"kafka__partitioner__class": "com.example.Mine"}, "kafka.partitioner.class"),
        ({"kafka__ssl__truststore__location": "/trust.jks"}, "keytool"),
        ({"kafka__ssl__keystore__location": "/keys.jks"}, "keytool"),
        ({"kafka__sasl__jaas__config": "nonsense"}, "kafka.sasl.jaas.config"),
        ({"kafka__sasl__jaas__config": "com.example.OwnLoginModule required a=b;"}, "kafka.sasl.jaas.config"),
        (
            {"kafka__sasl__client__callback__handler__class": "com.example.Own"},
            "kafka.sasl.client.callback.handler.class",
        ),
        ({"kafka__sasl__mechanism": "DIGEST-MD5"}, "kafka.sasl.mechanism"),
        ({"kafka__transactional__id": "x"}, "kafkars.delivery"),
    ],
)
def test_a_wrong_option_is_refused_by_name(options: dict[str, str], name: str) -> None:
    with pytest.raises(ConfigError, match=name.replace(".", r"\.")):
        source(**options)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"startingOffsets": "{"}, "startingOffsets.*: no valid JSON from character 2 on$"),
        ({"startingOffsets": '{"a":{"0":1},"a":}'}, "no valid JSON from character 18 on$"),
        ({"startingOffsets": '{"a":[0]}'}, "topic number 1 has no object of partitions, but a list$"),
        ({"startingOffsets": '{"b":{"0":1},"a":7}'}, "topic number 2 has no object of partitions, but 7$"),
        ({"startingOffsets": '{"a":{"x":1}}'}, "a partition is no whole number from 0 to 2147483647, but a text$"),
        ({"startingOffsets": '{"a":{"2147483648":1}}'}, "a partition is no .* but 2147483648$"),
        (
            {"startingOffsets": '{"a":{"0":"1"}}'},
            "the offset of a partition is no whole number of 64 bits, but a text$",
        ),
        ({"startingOffsets": '{"a":{"0":1.0}}'}, "the offset .*, but 1.0$"),
        ({"startingOffsets": '{"a":{"0":null}}'}, "the offset .*, but null$"),
        ({"startingOffsets": '{"a":{"0":9223372036854775808}}'}, "the offset .*, but 9223372036854775808$"),
        ({"startingOffsetsByTimestamp": '{"a":{"0":true}}'}, "the timestamp of a partition is no .* but true$"),
        ({"assign": "[0]"}, "assign.*: it is no object of topics, but a list$"),
        ({"assign": '{"a":{"0":1}}'}, "topic number 1 has no list of partitions, but an object$"),
        ({"assign": '{"a":[1.5]}'}, "a partition is no whole number .*, but 1.5$"),
        ({"assign": '{"a":[-1]}'}, "a partition is no .*, but -1$"),
    ],
)
def test_what_is_wrong_in_json_is_said(options: dict[str, str], reason: str) -> None:
    way = {} if "assign" in options else {"subscribe": "a"}
    with pytest.raises(ConfigError, match=reason):
        source_options({**ADDRESS, **way, **options}, streaming=False)


@pytest.mark.parametrize(
    "text", ['{"sesame":', '{"a":{"sesame":1}}', '{"a":{"0":"sesame"}}', '{"a":"sesame"}', '"sesame"', "[" * 100_000]
)
def test_text_of_json_that_is_wrong_is_not_shown(text: str) -> None:
    with pytest.raises(ConfigError, match="startingOffsets") as raised:
        source(startingOffsets="{" + text[1:] if text[0] == "{" else '{"a":' + text + "}")
    assert "sesame" not in f"{raised.value!r}{raised.value.__context__!r}"


@pytest.mark.parametrize("name", ["endingOffsets", "endingOffsetsByTimestamp", "endingTimestamp"])
def test_a_stream_has_no_end(name: str) -> None:
    with pytest.raises(ConfigError, match=name):
        source(streaming=True, **{name: '{"a":{"0":5}}' if "Offsets" in name else "5"})


@pytest.mark.parametrize("unlike", [r"\p{Lu}x", "a++", "[a&&b]", "(?<name>a)", r"\Qa\E", "["])
def test_a_pattern_that_java_reads_otherwise_is_refused(unlike: str) -> None:
    with pytest.raises(ConfigError, match="subscribePattern"):
        source_options({**ADDRESS, "subscribePattern": unlike}, streaming=False)


def test_a_password_is_in_no_message_and_no_repr() -> None:
    login = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="hush-hush";'
    given = {
        "kafka__security__protocol": "SASL_PLAINTEXT",
        "kafka__sasl__mechanism": "PLAIN",
        "kafka__sasl__jaas__config": f"kafkashaded.{login}",
    }
    found = source(**given)
    assert found.settings["sasl_username"] == "u"
    assert found.settings["sasl_password"] == "hush-hush"
    assert "hush-hush" not in repr(found)
    for broken in (login.replace(";", ""), login.replace('username="u"', ""), login.replace("Plain", "Plane")):
        with pytest.raises(ConfigError) as raised:
            source(**{**given, "kafka__sasl__jaas__config": broken})
        assert "hush-hush" not in str(raised.value)


@pytest.mark.parametrize(
    ("mechanism", "login", "settings"),
    [
        (
            "OAUTHBEARER",
            "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required clientId='id' clientSecret='s' scope=all;",
            {
                "sasl_oauthbearer_client_id": "id",
                "sasl_oauthbearer_client_secret": "s",
                "sasl_oauthbearer_scope": "all",
            },
        ),
        (
            "OAUTHBEARER",
            "com.example.OAuthBearerLoginModule required clientId=id clientSecret=s extension_cluster='lkc-1' extension_b='c d';",
            {
                "sasl_oauthbearer_client_id": "id",
                "sasl_oauthbearer_client_secret": "s",
                "sasl_oauthbearer_extensions": "cluster=lkc-1,b=c d",
            },
        ),
        (
            "GSSAPI",
            'com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true keyTab="/k.tab" principal="me@REALM";',
            {"sasl_kerberos_keytab": "/k.tab", "sasl_kerberos_principal": "me@REALM"},
        ),
        (
            "AWS_MSK_IAM",
            "software.amazon.msk.auth.iam.IAMLoginModule required awsProfileName='work';",
            {"sasl_aws_msk_iam_profile": "work"},
        ),
        (
            "SCRAM-SHA-512",
            'shadedkafka.org.apache.kafka.common.security.scram.ScramLoginModule required username="u" password="a\\"b;";',
            {"sasl_username": "u", "sasl_password": 'a"b;'},
        ),
    ],
)
def test_a_login_of_java_is_understood(mechanism: str, login: str, settings: dict[str, str]) -> None:
    found = client_settings.translate({"sasl.mechanism": mechanism, "sasl.jaas.config": login})
    assert found == {"sasl_mechanism": mechanism, **settings}


SCRAM = 'org.apache.kafka.common.security.scram.ScramLoginModule required username="id" password="hmac"'


@pytest.mark.parametrize(
    ("login", "named"),
    [
        (f'{SCRAM} tokenauth="true";', "tokenauth"),
        ("software.amazon.msk.auth.iam.IAMLoginModule required awsRoleArn='arn:aws:iam::1:role/r';", "awsRoleArn"),
        (f"{SCRAM} passwort=hush-hush;", "not known here"),
        (f"{SCRAM} extension_a=b;", "not known here"),
        ("com.example.OAuthBearerLoginModule required extension_a='b,c=d';", "comma"),
    ],
)
def test_an_option_of_a_login_that_cannot_be_honoured_is_refused(login: str, named: str) -> None:
    with pytest.raises(ConfigError, match=r"kafka\.sasl\.jaas\.config") as raised:
        client_settings.translate({"sasl.jaas.config": login})
    assert named in str(raised.value)
    assert "hush" not in str(raised.value)


def test_an_option_of_a_login_that_asks_for_nothing_else_is_taken() -> None:
    found = client_settings.translate({"sasl.jaas.config": f"{SCRAM} tokenauth=false;"})
    assert found == {"sasl_username": "id", "sasl_password": "hmac"}


@pytest.mark.parametrize(
    ("options", "setting", "value"),
    [
        ({"kafka.ssl.endpoint.identification.algorithm": ""}, "ssl_endpoint_identification_algorithm", "none"),
        (
            {"kafka.ssl.truststore.type": "PEM", "kafka.ssl.truststore.location": "/ca.pem"},
            "ssl_ca_location",
            "/ca.pem",
        ),
        (
            {
                "kafka.ssl.keystore.type": "PKCS12",
                "kafka.ssl.keystore.location": "/k.p12",
                "kafka.ssl.keystore.password": "p",
            },
            "ssl_keystore_location",
            "/k.p12",
        ),
        (
            {"kafka.partitioner.class": "org.apache.kafka.clients.producer.RoundRobinPartitioner"},
            "partitioner",
            "round_robin",
        ),
        ({"kafka.compression.type": "zstd", "kafka.compression.zstd.level": "7"}, "compression_level", "7"),
        ({"kafka.fetch.max.wait.ms": "100"}, "fetch_max_wait_ms", "100"),
        ({"kafka.linger.ms": "7"}, "linger_ms", "7"),
    ],
)
def test_names_of_java_become_settings(options: dict[str, str], setting: str, value: str) -> None:
    assert source_options({**ADDRESS, "subscribe": "a", **options}, streaming=True).settings[setting] == value


@pytest.mark.parametrize(
    ("options", "streaming", "name"),
    [
        ({"kafkars.delivery": "exactly-once"}, False, "kafkars.delivery"),
        ({"kafkars.delivery": "at-most-once"}, True, "kafkars.delivery"),
        ({"topic": " "}, True, "topic: is empty"),
        ({"topic": "a b"}, True, "topic: no topic can be called"),
        ({"topic": " a"}, True, "topic: no topic can be called"),
        ({"topic": ".."}, True, "topic: no topic can be called"),
        ({"kafkars.marks.topic": "a"}, True, "kafkars.marks.topic: of no use"),
        ({"kafkars.transactional.id.prefix": "a"}, True, "kafkars.transactional.id.prefix: of no use"),
        ({"kafkars.transactional.id.prefix": "", "kafkars.delivery": "exactly-once"}, True, "prefix: is empty"),
        ({"startingOffsets": "earliest"}, True, "not an option of the sink"),
        ({"kafka.value.serializer": "x"}, True, "kafka.value.serializer"),
        ({"kafka.acks": "some"}, True, "kafka.acks"),
        ({"kafka.acks": "1", "kafkars.delivery": "exactly-once"}, True, "kafka.acks"),
        ({"kafka.enable.idempotence": "false", "kafkars.delivery": "exactly-once"}, True, "kafka.enable.idempotence"),
        ({"kafka.delivery.timeout.ms": "1000"}, True, "kafka.delivery.timeout.ms"),
        ({"kafka.buffer.memory": "10"}, True, "kafka.buffer.memory"),
        ({"kafka.compression.type": "zstd", "kafka.compression.zstd.level": "99"}, True, "kafka.compression"),
        ({"topik": "x"}, True, "did you mean topic"),
    ],
)
def test_the_sink_refuses_by_name(options: dict[str, str], streaming: bool, name: str) -> None:
    with pytest.raises(ConfigError, match=name.replace(".", r"\.")):
        sink_options({**ADDRESS, **options}, streaming=streaming)
