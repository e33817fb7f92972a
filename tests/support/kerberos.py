"""A key distribution centre of MIT Kerberos on 127.0.0.1, with an own realm: on PATH, or Debian's packages from the
cache."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from functools import cache
from pathlib import Path

from tests.kafka import ports
from tests.kafka.process import JavaProcess
from tests.support import debian
from tests.support.waiting import eventually

REALM = "KAFKARS.TEST"
PACKAGES = ("krb5-kdc", "krb5-admin-server", "krb5-user", "faketime", "libfaketime")
TOOLS = ("krb5kdc", "kdb5_util", "kadmin.local", "kinit", "klist")
SECONDS = 60
SKEW = 4
"""Seconds by which the clocks of the centre and of its clients may differ."""


class KdcUnavailableError(RuntimeError):
    """The programs are neither on PATH nor to be had; the message says why."""


@cache
def programs() -> tuple[dict[str, str], dict[str, str], Path | None]:
    """Where each program is, what they need in their environment, and the folder that they were unpacked to.

    Raises:
        KdcUnavailableError: There are none.
    """
    places = os.environ.get("PATH", "") + os.pathsep + "/usr/sbin"
    found = {tool: shutil.which(tool, path=places) for tool in TOOLS}
    if all(found.values()):
        return {tool: str(path) for tool, path in found.items()}, dict(os.environ), None
    try:
        folder = debian.fetch("krb5", *PACKAGES)
    except debian.PackageUnavailableError as failed:
        raise KdcUnavailableError(f"krb5kdc is not on PATH, and {failed}") from failed
    placed = {tool: next(iter(folder.glob(f"usr/*bin/{tool}")), None) for tool in TOOLS}
    missing = [tool for tool, path in placed.items() if path is None]
    if missing:
        raise KdcUnavailableError(f"Debian's packages have no {', '.join(missing)}")
    return {tool: str(path) for tool, path in placed.items()}, debian.environment(folder), folder


class Kdc:
    """A running centre and its realm."""

    def __init__(self, folder: Path) -> None:
        self.programs, base, self.unpacked = programs()
        self.folder = folder
        self.port = ports.choose(1)[0]
        self.config = folder / "krb5.conf"
        self.config.write_text(client_config(self.port))
        profile = folder / "kdc.conf"
        profile.write_text(server_config(folder, self.port, self.unpacked))
        # The centre allows less for clocks, so that what has expired is refused soon.
        strict = folder / "kdc-krb5.conf"
        strict.write_text(client_config(self.port).replace("clockskew = 300", f"clockskew = {SKEW}"))
        self.environment = base | {"KRB5_CONFIG": str(strict), "KRB5_KDC_PROFILE": str(profile)}
        self.run("kdb5_util", "create", "-s", "-r", REALM, "-P", "Xq7-master")
        command = ["env", *(f"{name}={value}" for name, value in self.environment.items() if name in PASSED)]
        self.process = JavaProcess([*command, self.programs["krb5kdc"], "-n"], folder / "kdc.out")

    def start(self) -> None:
        """Starts the centre and waits until it listens."""
        self.process.start()
        eventually(self.listens, "the key distribution centre listens")

    def listens(self) -> bool:
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self.port)) == 0

    def stop(self) -> None:
        """Ends the centre; tickets that are out go on."""
        self.process.stop()

    def add(self, principal: str) -> Path:
        """Adds a principal with random keys; the answer is a keytab with them."""
        keytab = self.folder / (principal.replace("/", "_") + ".keytab")
        self.run("kadmin.local", "-r", REALM, "-q", f"addprinc -randkey {principal}@{REALM}")
        self.run("kadmin.local", "-r", REALM, "-q", f"ktadd -k {keytab} {principal}@{REALM}")
        assert keytab.exists(), principal
        return keytab

    def tickets(self, principal: str, keytab: Path, name: str, *, lives: str = "10m") -> Path:
        """Logs in with `kinit`; the answer is the cache."""
        cache_file = self.folder / name
        self.run("kinit", "-c", str(cache_file), "-l", lives, "-k", "-t", str(keytab), f"{principal}@{REALM}")
        return cache_file

    def holds(self, cache_file: Path) -> bool:
        """Whether a cache has tickets that have not expired."""
        command = [self.programs["klist"], "-s", "-c", str(cache_file)]
        return subprocess.run(command, env=self.environment, timeout=SECONDS, check=False).returncode == 0

    def faketime(self) -> str:
        """The library that gives a program another clock."""
        installed = list(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
        if installed:
            return str(installed[0])
        return str(next(debian.fetch("krb5", *PACKAGES).glob("usr/lib/*/faketime/libfaketimeMT.so.1")))

    def run(self, tool: str, *arguments: str) -> str:
        command = [self.programs[tool], *arguments]
        ran = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        assert ran.returncode == 0, (command, ran.stdout, ran.stderr)
        return ran.stdout


PASSED = ("LD_LIBRARY_PATH", "KRB5_CONFIG", "KRB5_KDC_PROFILE")


def client_config(port: int) -> str:
    """`krb5.conf`: this centre, asked by TCP, and no name service."""
    return f"""[libdefaults]
default_realm = {REALM}
dns_lookup_realm = false
dns_lookup_kdc = false
dns_canonicalize_hostname = false
rdns = false
udp_preference_limit = 1
clockskew = 300

[realms]
{REALM} = {{
    kdc = 127.0.0.1:{port}
}}
"""


def server_config(folder: Path, port: int, unpacked: Path | None) -> str:
    """`kdc.conf`."""
    modules = ""
    if unpacked is not None:
        plugin = next(iter(unpacked.glob("usr/lib/*/krb5/plugins/kdb")))
        modules = f"[dbmodules]\ndb_module_dir = {plugin}\n"
    return f"""[kdcdefaults]
kdc_listen = 127.0.0.1:{port}
kdc_tcp_listen = 127.0.0.1:{port}

[realms]
{REALM} = {{
    database_name = {folder}/principal
    key_stash_file = {folder}/stash
    acl_file = {folder}/kadm5.acl
    max_life = 1h
    supported_enctypes = aes256-cts:normal aes128-cts:normal
}}

{modules}
[logging]
kdc = FILE:{folder}/kdc.log
"""
