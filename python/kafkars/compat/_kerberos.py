"""Settings for GSSAPI, for all faces."""

from __future__ import annotations

from typing import Any


def kerberos(
    service: str, domain: str | None = None, principal: str | None = None, keytab: str | None = None
) -> dict[str, Any]:
    """Returns kafkars' settings for SASL's GSSAPI.

    Args:
        service: The broker's service, "kafka" nearly everywhere.
        domain: The host in the service's principal; None for the broker's own.
        principal: Who logs in; None for the keytab's or the ticket cache's.
        keytab: The file that tickets are got with; None for a ticket cache.
    """
    settings = {
        "sasl_kerberos_service_name": service,
        "sasl_kerberos_domain_name": domain,
        "sasl_kerberos_principal": principal,
        "sasl_kerberos_keytab": keytab,
    }
    return {name: value for name, value in settings.items() if value is not None}
