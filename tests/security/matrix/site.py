"""What a broker of the matrix is: real Kafka of some release, or the embedded one, with the same listeners and
rules."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from kafkars.testing import Acl, EmbeddedBroker, Listener
from kafkars.testing import Certificate as Shown

from tests.kafka import TEST_JVM, KafkaCluster, KafkaOptions
from tests.security.conftest import AUDIENCE, ISSUER, TokenServer, make_scram_users
from tests.security.conftest import PASSWORDS as USERS
from tests.security.embedded import UnsecuredTokens
from tests.security.matrix import ways
from tests.security.matrix.ways import Way
from tests.support.certificates import Authority, Certificate
from tests.support.kerberos import REALM, Kdc, KdcUnavailableError

ALICE, BOB = "alice", "bob"
GUARDED, OPEN = "guarded", "open"
"""Beginnings of names: what alice alone may use, and what everybody may."""
CLIENTS: dict[str, dict[str, Any]] = {ALICE: {}, BOB: {"subject": BOB}, "late": {"lives": -300}}
"""Programs that the token endpoint knows by the secret `Xq7-NAME`, and what their tokens are like."""
SIGNED_TOKENS_SINCE = (3, 1)
NEW_HANDLER_SINCE = (3, 4)
KRAFT_SINCE = (3, 3)
STORE_PASSWORD = "Xq7-store"
SECURITY = "org.apache.kafka.common.security"
BROKER, STRANGER = "kafka/127.0.0.1", "stranger/127.0.0.1"
FAULTY = ("EXPIRED", "ELSEWHERE", "STRANGER", "REVOKED", "CHAIN")
"""Listeners whose certificates are not to be believed; each is there with SASL too."""
MECHANISMS = (*ways.PASSWORDS, ways.TOKEN, ways.KERBEROS)
LISTENERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "TLS": ("SSL", ()),
    "MUTUAL": ("SSL", ()),
    "SASL": ("SASL_PLAINTEXT", MECHANISMS),
    "SASLTLS": ("SASL_SSL", MECHANISMS),
    **{
        f"{only}{tls}": (f"SASL_{'SSL' if tls else 'PLAINTEXT'}", (mechanism,))
        for only, mechanism in (("ONLYPLAIN", "PLAIN"), ("ONLYSCRAM", "SCRAM-SHA-256"))
        for tls in ("", "TLS")
    },
    **dict.fromkeys(FAULTY, ("SSL", ())),
    **{f"{name}SASL": ("SASL_SSL", MECHANISMS) for name in FAULTY},
}
"""Protocol and mechanisms of each."""


class Site:
    """A broker that runs, and what clients need to be believed."""

    def __init__(self, name: str, folder: Path, authority: Authority, tokens: TokenServer, kdc: Kdc | None) -> None:
        self.name = name
        self.folder = folder
        self.authority = authority
        self.tokens = tokens
        self.tokens.clients = {(who, f"Xq7-{who}"): kind for who, kind in CLIENTS.items()}
        self.kdc = kdc
        self.ports: dict[str, str] = {}
        self.keytabs: dict[str, Path] = {}
        self.plain = ""
        self.identities: dict[str, Path] = {}
        for who in (ALICE, BOB):
            self.identities[who] = authority.issue(who).write(folder, who)
        self.identities["stranger"] = Authority("a stranger").issue(ALICE).write(folder, "stranger")
        self.identities["late"] = authority.issue(ALICE, expired=True).write(folder, "late")
        # Of peers between clients and the broker: what is wrong with them is something else.
        self.between = authority.issue("peer in between").write(folder, "between")
        (folder / "ca.pem").write_text(authority.own.pem)

    def offers(self, way: Way) -> bool:
        return way.login != ways.KERBEROS or self.kdc is not None

    def settings(self, way: Way, who: str = ALICE, listener: str | None = None, **changes: Any) -> dict[str, Any]:
        """How `who` is let in."""
        settings: dict[str, Any] = {
            "bootstrap_servers": self.ports[listener or way.listener],
            "security_protocol": way.protocol,
        }
        if way.has_tls:
            settings["ssl_ca_location"] = str(self.folder / "ca.pem")
        if way.login == ways.CERTIFICATE:
            settings["ssl_certificate_location"] = self.identities[who]
        if way.has_sasl:
            settings["sasl_mechanism"] = way.mechanism
        if way.login in ways.PASSWORDS:
            settings |= {"sasl_username": who, "sasl_password": USERS[who]}
        elif way.login == ways.TOKEN:
            token = self.tokens.token(**CLIENTS[who])
            settings["sasl_oauthbearer_token_provider"] = lambda: token
        elif way.login == ways.OIDC:
            settings |= {
                "sasl_oauthbearer_token_endpoint_url": self.tokens.endpoint,
                "sasl_oauthbearer_client_id": who,
                "sasl_oauthbearer_client_secret": f"Xq7-{who}",
            }
        elif way.login == ways.KERBEROS:
            settings |= {
                "sasl_kerberos_keytab": self.keytabs[who],
                "sasl_kerberos_principal": f"{who}@{REALM}",
            }
        return {name: value for name, value in (settings | changes).items() if value is not None}

    def certificates(self) -> dict[str, Certificate]:
        """What each listener with TLS shows; the list of those that were revoked is written."""
        between = Authority("an authority between", above=self.authority)
        revoked = self.authority.issue("revoked broker")
        (self.folder / "crl.pem").write_text(self.authority.revoke(revoked, between.own))
        faulty = {
            "EXPIRED": self.authority.issue("expired broker", expired=True),
            "ELSEWHERE": self.authority.issue("elsewhere broker", hosts=("kafka.elsewhere.test",)),
            "STRANGER": Authority("an unknown authority").issue("stranger broker"),
            "REVOKED": revoked,
            "CHAIN": between.issue("broker of a revoked authority"),
        }
        good = self.authority.issue("broker")
        with_tls = [name for name, (protocol, _) in LISTENERS.items() if protocol.endswith("SSL")]
        return {name: faulty.get(name.removesuffix("SASL"), good) for name in with_tls}


@contextlib.contextmanager
def embedded(folder: Path) -> Iterator[Site]:
    """The embedded broker."""
    tokens = UnsecuredTokens()
    site = Site("embedded", folder, Authority("kafkars test authority"), tokens, None)
    certificates = site.certificates()

    def listener(name: str) -> Listener:
        protocol, mechanisms = LISTENERS[name]
        certificate = certificates.get(name)
        return Listener(
            protocol,  # type: ignore[arg-type]
            certificate=None if certificate is None else Shown(certificate.pem, certificate.key_pem()),
            client_auth=client_auth(name, protocol),
            client_ca_pem=site.authority.own.pem,
            mechanisms=[each for each in mechanisms if each != ways.KERBEROS],  # type: ignore[misc]
        )

    # Two, because one has no room for so many listeners; nobody comes further than the handshake with the second.
    faulty = {name: listener(name) for name in LISTENERS if name.removesuffix("SASL") in FAULTY}
    listeners = {"PLAINTEXT": Listener()} | {name: listener(name) for name in LISTENERS if name not in faulty}
    rules = [
        Acl(f"User:{prefix}{ALICE}", "ALL", kind, GUARDED, pattern="PREFIXED")  # type: ignore[arg-type]
        for prefix in ("", "CN=")
        for kind in ("TOPIC", "GROUP", "TRANSACTIONAL_ID")
    ]
    topics = {GUARDED: 1, OPEN: 1}
    try:
        with (
            EmbeddedBroker(
                listeners=listeners, users=USERS, acls=rules, allow_everyone_if_no_acl_found=True, topics=topics
            ) as broker,
            EmbeddedBroker(listeners=faulty, users=USERS) as another,
        ):
            site.plain = broker.bootstrap_servers
            for name in LISTENERS:
                site.ports[name] = (another if name in faulty else broker).bootstrap_servers_of(name)
            yield site
    finally:
        tokens.server.shutdown()
        tokens.server.server_close()


@contextlib.contextmanager
def real(version: str, folder: Path) -> Iterator[Site]:
    """Kafka of a release, beside a key distribution centre."""
    number = tuple(map(int, version.split(".")[:2]))
    tokens = TokenServer() if number >= SIGNED_TOKENS_SINCE else UnsecuredTokens()
    with contextlib.ExitStack() as stack:
        stack.callback(tokens.server.server_close)
        stack.callback(tokens.server.shutdown)
        site = Site(f"Kafka {version}", folder, Authority("kafkars test authority"), tokens, centre(folder, stack))
        options = KafkaOptions(
            version=version,
            listeners={name: protocol for name, (protocol, _) in LISTENERS.items()},
            jvm=(*TEST_JVM, *jvm(site)),
            properties=properties(site, number),
        )
        cluster = stack.enter_context(KafkaCluster(options))
        site.plain = cluster.bootstrap_servers
        listening = cluster.nodes[0].address.listener_ports
        site.ports = {name: f"127.0.0.1:{port}" for name, port in listening.items()}
        make_scram_users(cluster.bootstrap_servers)
        for name in (GUARDED, OPEN):
            cluster.create_topic(name)
        make_rules(cluster.bootstrap_servers)
        yield site


def centre(folder: Path, stack: contextlib.ExitStack) -> Kdc:
    """A realm with everybody's keys, which this process's Kerberos goes by from now on.

    Raises:
        KdcUnavailableError: There are no programs for it.
    """
    home = folder / "kerberos"
    home.mkdir()
    kdc = Kdc(home)
    kdc.start()
    stack.callback(kdc.stop)
    before = {name: os.environ.get(name) for name in ("KRB5_CONFIG", "KRB5CCNAME")}
    os.environ |= {"KRB5_CONFIG": str(kdc.config), "KRB5CCNAME": str(home / "nothing")}

    def restore() -> None:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value

    stack.callback(restore)
    return kdc


def jvm(site: Site) -> list[str]:
    found = [f"-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls={site.tokens.url}"]
    if site.kdc is not None:
        site.keytabs = {name: site.kdc.add(name) for name in (BROKER, STRANGER, ALICE, BOB)}
        # It has expired by the time that anybody uses it: a broker starts in longer.
        site.kdc.tickets(ALICE, site.keytabs[ALICE], "late", lives="1s")
        found.append(f"-Djava.security.krb5.conf={site.kdc.config}")
    return found


def properties(site: Site, number: tuple[int, ...]) -> dict[str, str]:
    authorizer = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
    if number < KRAFT_SINCE:
        authorizer = "kafka.security.authorizer.AclAuthorizer"
    found = {
        "authorizer.class.name": authorizer,
        "allow.everyone.if.no.acl.found": "true",
        # One for each listener is enough for what is asked here.
        "num.network.threads": "1",
    }
    if number >= SIGNED_TOKENS_SINCE:
        found |= {
            "sasl.oauthbearer.jwks.endpoint.url": site.tokens.url,
            "sasl.oauthbearer.expected.issuer": ISSUER,
            "sasl.oauthbearer.expected.audience": AUDIENCE,
        }
    for name, certificate in site.certificates().items():
        prefix = f"listener.name.{name.lower()}.ssl"
        found |= {
            # Brokers before 3.0 take no PEM without a password.
            f"{prefix}.keystore.type": "PKCS12",
            f"{prefix}.keystore.location": str(certificate.write_pkcs12(site.folder, name, STORE_PASSWORD)),
            f"{prefix}.keystore.password": STORE_PASSWORD,
            f"{prefix}.truststore.type": "PEM",
            f"{prefix}.truststore.location": str(site.folder / "ca.pem"),
            f"{prefix}.client.auth": client_auth(name, LISTENERS[name][0]),
        }
    for name, (_, mechanisms) in LISTENERS.items():
        if mechanisms:
            found |= logins(f"listener.name.{name.lower()}", mechanisms, site, number)
    return found


def client_auth(name: str, protocol: str) -> Literal["none", "requested", "required"]:
    if protocol != "SSL":
        return "none"
    return "required" if name == "MUTUAL" else "requested"


def logins(prefix: str, mechanisms: tuple[str, ...], site: Site, number: tuple[int, ...]) -> dict[str, str]:
    users = " ".join(f'user_{user}="{password}"' for user, password in USERS.items())
    package = f"{SECURITY}.oauthbearer" if number >= NEW_HANDLER_SINCE else f"{SECURITY}.oauthbearer.secured"
    handler = f"{package}.OAuthBearerValidatorCallbackHandler"
    if number < SIGNED_TOKENS_SINCE:
        handler = ""  # the login module's own, which believes tokens that nobody has signed
    modules = {
        "PLAIN": f"{SECURITY}.plain.PlainLoginModule required {users};",
        "SCRAM-SHA-256": f"{SECURITY}.scram.ScramLoginModule required;",
        "SCRAM-SHA-512": f"{SECURITY}.scram.ScramLoginModule required;",
        ways.TOKEN: f"{SECURITY}.oauthbearer.OAuthBearerLoginModule required"
        + (' unsecuredLoginStringClaim_sub="broker";' if number < SIGNED_TOKENS_SINCE else ";"),
        ways.KERBEROS: "com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true storeKey=true "
        f'keyTab="{site.keytabs.get(BROKER)}" principal="{BROKER}@{REALM}";',
    }
    found = {f"{prefix}.sasl.enabled.mechanisms": ",".join(mechanisms)}
    found |= {f"{prefix}.{each.lower()}.sasl.jaas.config": modules[each] for each in mechanisms}
    if ways.TOKEN in mechanisms and handler:
        found[f"{prefix}.oauthbearer.sasl.server.callback.handler.class"] = handler
    if ways.KERBEROS in mechanisms:
        found[f"{prefix}.sasl.kerberos.service.name"] = "kafka"
    return found


def make_rules(address: str) -> None:
    """What is guarded is alice's, by name and by certificate; what no rule speaks of is everybody's."""
    from confluent_kafka import admin as api

    rules = [
        api.AclBinding(
            api.ResourceType[kind],
            GUARDED,
            api.ResourcePatternType.PREFIXED,
            f"User:{prefix}{ALICE}",
            "*",
            api.AclOperation.ALL,
            api.AclPermissionType.ALLOW,
        )
        for prefix in ("", "CN=")
        for kind in ("TOPIC", "GROUP", "TRANSACTIONAL_ID")
    ]
    admin = api.AdminClient({"bootstrap.servers": address})
    for future in admin.create_acls(rules).values():
        future.result(30)


def open_site(name: str, folder: Path) -> contextlib.AbstractContextManager[Site]:
    """By `embedded`, or a release of Kafka."""
    return embedded(folder) if name == "embedded" else real(name, folder)


__all__ = ["KdcUnavailableError", "Site", "open_site"]
