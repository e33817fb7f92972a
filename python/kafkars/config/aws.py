"""AWS credentials for AWS_MSK_IAM: from the settings, a function, the environment or a profile. It needs no library of
AWS.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kafkars.config.secret import FromApplication, Secret
from kafkars.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kafkars.config.client import ClientConfig

PREFIX = "sasl_aws_msk_iam_"
REGION_VARIABLES = ("AWS_REGION", "AWS_DEFAULT_REGION")
BOTO3 = "boto3.Session(profile_name=...).get_credentials().get_frozen_credentials"

INDIRECT = ("role_arn", "sso_session", "sso_start_url", "credential_process", "web_identity_token_file")
"""Settings of profiles that get credentials from a service or a program, which is not supported."""

Found = tuple[str, str, str | None, str | None]
"""The access key id, the secret access key, the session token, and the region that was found along with them."""


@dataclass(frozen=True)
class AwsKeys:
    """Gets credentials whenever a connection needs them. Called by helper threads of the native module."""

    source: FromApplication | None
    access_key_id: str | None
    secret_access_key: Secret | None
    session_token: Secret | None
    profile: str | None

    def for_client(self) -> AwsKeys:
        """Returns the provider for a client that is being made; see `FromApplication`."""
        return self if self.source is None else replace(self, source=self.source.for_client())

    @property
    def description(self) -> str:
        """Returns the name that messages have for it."""
        return "what gives keys of AWS" if self.source is None else self.source.description

    def __call__(self) -> Found:
        """Returns the current credentials. Errors contain none of them."""
        region = next((os.environ[name] for name in REGION_VARIABLES if os.environ.get(name)), None)
        if self.source is not None:
            return (*of_function(self.source()), region)
        if self.access_key_id is not None and self.secret_access_key is not None:
            token = None if self.session_token is None else self.session_token.read()
            return self.access_key_id, self.secret_access_key.read(), token, region
        if self.profile is None:
            key, secret = os.environ.get("AWS_ACCESS_KEY_ID"), os.environ.get("AWS_SECRET_ACCESS_KEY")
            if key and secret:
                return key, secret, os.environ.get("AWS_SESSION_TOKEN") or None, region
        key, secret, token, own_region = of_profile(self.profile or os.environ.get("AWS_PROFILE") or "default")
        return key, secret, token, region or own_region


def of_function(given: object) -> tuple[str, str, str | None]:
    """Checks the result of the application's function. The error for a wrong result does not show it."""
    parts = tuple(given) if isinstance(given, tuple | list) else ()
    key, secret, token = (*parts, None)[:3] if len(parts) in {2, 3} else (None, None, None)
    if not isinstance(key, str) or not isinstance(secret, str) or not isinstance(token, str | None):
        raise TypeError("expected a tuple of the id of a key, the key, and its session token or None")
    return key, secret, token


def of_profile(name: str) -> Found:
    """Returns the credentials and the region of a profile in the files of AWS's own tools."""
    credentials = section(file("AWS_SHARED_CREDENTIALS_FILE", "credentials"), name)
    config_file = file("AWS_CONFIG_FILE", "config")
    config = section(config_file, name if name == "default" else f"profile {name}")
    for values in (credentials, config):
        key, secret = values.get("aws_access_key_id"), values.get("aws_secret_access_key")
        if key and secret:
            return key, secret, values.get("aws_session_token") or None, config.get("region") or None
    for setting in INDIRECT:
        if setting in config or setting in credentials:
            raise AwsKeysError(
                f"the profile {name!r} has {setting}, which is not followed here; set {PREFIX}credentials_provider to"
                f" {BOTO3}, or to a function that does the like"
            )
    raise AwsKeysError(
        f"no keys of AWS: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not both set, and the profile {name!r} has none in"
        f" {file('AWS_SHARED_CREDENTIALS_FILE', 'credentials')} or {config_file}"
    )


def file(variable: str, name: str) -> str:
    """Returns the path of a file of AWS's tools: from an environment variable, or the default."""
    return os.environ.get(variable) or os.path.join(os.path.expanduser("~"), ".aws", name)  # noqa: PTH111, PTH118


def section(path: str, name: str) -> Mapping[str, str]:
    """Reads one section of a file; empty if there is none."""
    import configparser  # noqa: PLC0415  only where a file is read

    parser = configparser.RawConfigParser(default_section="", strict=False)
    # The parser's own error quotes lines of the file, so it must not become the context of another error.
    is_read = False
    with contextlib.suppress(configparser.Error, UnicodeError):
        parser.read(path, encoding="utf-8")
        is_read = True
    if not is_read:
        raise AwsKeysError(f"{path} cannot be read: it is not made of sections and settings")
    return dict(parser[name]) if parser.has_section(name) else {}


def provider(config: ClientConfig) -> AwsKeys | None:
    """Returns the provider of a config's credentials; None if it needs none.

    Raises:
        ConfigError: The settings contradict each other.
    """
    given: object = config.sasl_aws_msk_iam_credentials_provider
    key, secret = config.sasl_aws_msk_iam_access_key_id, config.sasl_aws_msk_iam_secret_access_key
    token, profile = config.sasl_aws_msk_iam_session_token, config.sasl_aws_msk_iam_profile
    source = given if isinstance(given, FromApplication) else None
    if source is None and isinstance(given, AwsKeys):
        source = given.source  # of the config that this one was made of
    settings = (source, key, secret, token, profile, config.sasl_aws_msk_iam_region)
    if config.sasl_mechanism != "AWS_MSK_IAM" and all(each is None for each in settings):
        return None
    if (key is None) != (secret is None):
        lonely, other = (
            ("access_key_id", "secret_access_key") if secret is None else ("secret_access_key", "access_key_id")
        )
        raise ConfigError.of(f"{PREFIX}{lonely}", f"has no meaning without {PREFIX}{other}")
    if token is not None and key is None:
        raise ConfigError.of(f"{PREFIX}session_token", f"has no meaning without {PREFIX}access_key_id")
    ways = [("credentials_provider", source), ("access_key_id", key), ("profile", profile)]
    names = [name for name, value in ways if value is not None]
    if len(names) > 1:
        raise ConfigError.of(
            f"{PREFIX}{names[1]}", f"cannot be used together with {PREFIX}{names[0]}; give one of them"
        )
    return AwsKeys(source, key, secret, token, profile)  # type: ignore[arg-type]


class AwsKeysError(RuntimeError):
    """There are no keys."""
