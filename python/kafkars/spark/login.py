"""Java's way to say who logs in: the login modules of `kafka.sasl.jaas.config`, as settings of our clients."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kafkars.config import checks
from kafkars.errors import ConfigError

HANDLERS = {
    "sasl.login.callback.handler.class": (
        "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler",
        "org.apache.kafka.common.security.oauthbearer.secured.OAuthBearerLoginCallbackHandler",
    ),
    "sasl.client.callback.handler.class": ("software.amazon.msk.auth.iam.IAMClientCallbackHandler",),
}
"""Java's classes for what the SASL mechanism alone decides here."""

OPTIONS = {
    "PlainLoginModule": {"username": "sasl_username", "password": "sasl_password"},
    "ScramLoginModule": {"username": "sasl_username", "password": "sasl_password"},
    "OAuthBearerLoginModule": {
        "clientId": "sasl_oauthbearer_client_id",
        "clientSecret": "sasl_oauthbearer_client_secret",
        "scope": "sasl_oauthbearer_scope",
    },
    "Krb5LoginModule": {
        "principal": "sasl_kerberos_principal",
        "keyTab": "sasl_kerberos_keytab",
        "ticketCache": "sasl_kerberos_ccache",
        "serviceName": "sasl_kerberos_service_name",
    },
    "IAMLoginModule": {"awsProfileName": "sasl_aws_msk_iam_profile"},
}
"""Options of login modules, by module, and the settings that they become."""

NEEDS = ("username", "password")
"""Options that a login module must be given, if it has them."""

WITHOUT_EFFECT = {
    "Krb5LoginModule": {
        *("refreshKrb5Config", "useTicketCache", "renewTGT", "doNotPrompt", "useKeyTab", "storeKey", "isInitiator"),
        *("useFirstPass", "tryFirstPass", "storePass", "clearPass", "debug"),
    },
    "IAMLoginModule": {"awsDebugCreds", "awsMaxRetries", "awsMaxBackOffTimeMs"},
}
"""Options of login modules that change nothing about who logs in."""

ANOTHER_ROLE = "other roles and keys than those of awsProfileName are not supported"
REFUSED = {
    "tokenauth": "delegation tokens are not supported",
    "awsRoleArn": ANOTHER_ROLE,
    "awsRoleSessionName": ANOTHER_ROLE,
    "awsRoleExternalId": ANOTHER_ROLE,
    "awsRoleAccessKeyId": ANOTHER_ROLE,
    "awsRoleSecretAccessKey": ANOTHER_ROLE,
    "awsRoleSessionToken": ANOTHER_ROLE,
    "awsStsRegion": ANOTHER_ROLE,
}
"""Options of login modules that say something that our clients cannot do."""

EXTENSION = "extension_"
"""Options that begin so are SASL extensions of OAuthBearerLoginModule."""

OTHER_MODULES = ("LdapLoginModule", "FileLoginModule")
"""Java's login modules that are not supported, and whose names messages may quote."""

MODULE = re.compile(r"^\s*([\w.]+)\s+required\s*(.*?);\s*$", re.DOTALL)
OPTION = re.compile(r"""([\w.]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s"';]+))""")
SHADE = re.compile(r"^(kafkashaded|shadedkafka|kafkashaded\.)+\.?")


def settings(given: Mapping[str, str]) -> dict[str, str]:
    """Reads user and password, or the credentials for a token endpoint, from `sasl.jaas.config`.

    Raises:
        ConfigError: It cannot be read or honoured. The message shows no secret.
    """
    for name, classes in HANDLERS.items():
        if name in given and SHADE.sub("", given[name].strip()) not in classes:
            raise ConfigError(f"kafka.{name}: Java classes cannot run here; known is {classes[0]}")
    text = given.get("sasl.jaas.config")
    if text is None:
        return {}
    match = MODULE.match(text)
    if match is None:
        raise ConfigError('kafka.sasl.jaas.config: expected "MODULE required name=\\"value\\" ...;"')
    module = SHADE.sub("", match.group(1)).rpartition(".")[2]
    options = {
        name: re.sub(r"\\(.)", r"\1", double or single or bare)
        for name, double, single, bare in OPTION.findall(match.group(2))
    }
    names = OPTIONS.get(module)
    if names is None:
        # An unknown word is not quoted: if quotes are missing, it may be the password.
        said = module if module in OTHER_MODULES or checks.is_mistyped(module, OPTIONS) else "the module given"
        raise ConfigError(f"kafka.sasl.jaas.config: {said} is not supported; known are {', '.join(OPTIONS)}")
    missing = [name for name in NEEDS if name in names and name not in options]
    if missing:
        raise ConfigError(f"kafka.sasl.jaas.config: {module} has no {missing[0]}")
    extensions = {
        name.removeprefix(EXTENSION): options.pop(name)
        for name in list(options)
        if name.startswith(EXTENSION) and module == "OAuthBearerLoginModule"
    }
    if any("," in value for value in extensions.values()):
        raise ConfigError("kafka.sasl.jaas.config: an extension's value must not have a comma in it")
    for name, value in options.items():
        _check(module, name, value)
    found = {ours: options[name] for name, ours in names.items() if name in options}
    if extensions:
        found["sasl_oauthbearer_extensions"] = ",".join(f"{name}={value}" for name, value in extensions.items())
    return found


def _check(module: str, name: str, value: str) -> None:
    """Fails for an option that the module has and our clients cannot honour, or that it does not have."""
    if name in OPTIONS[module] or name in WITHOUT_EFFECT.get(module, ()):
        return
    if name in REFUSED and value.strip().lower() != "false":
        raise ConfigError(f"kafka.sasl.jaas.config: {name}: {REFUSED[name]}")
    if name not in REFUSED:
        # It is not quoted: if quotes are missing, it may be of the password.
        known = ", ".join([*OPTIONS[module], *sorted(WITHOUT_EFFECT.get(module, ()))])
        raise ConfigError(f"kafka.sasl.jaas.config: {module} has an option that is not known here; known are {known}")
