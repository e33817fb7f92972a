"""Gets the jars of one Kafka version with Maven, once: a broker's into `.cache/kafka/VERSION/libs`, the tools'
beside."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FETCH_SECONDS = 600

# Kafka's own pom leaves the choice of a logging backend to the distribution. slf4j-simple writes to stderr
# and is the same for every version; Kafka's reload4j and log4j2 bindings are kept out, so that it is the only one.
POM = """<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>kafkars.tests</groupId>
  <artifactId>{artifact}-{version}</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>{artifact}</artifactId>
      <version>{version}</version>
      <exclusions>
        <exclusion><groupId>org.slf4j</groupId><artifactId>slf4j-reload4j</artifactId></exclusion>
        <exclusion><groupId>org.apache.logging.log4j</groupId><artifactId>log4j-slf4j-impl</artifactId></exclusion>
        <!-- Of the tools; a web server that none of those used here needs. -->
        <exclusion><groupId>org.apache.kafka</groupId><artifactId>connect-runtime</artifactId></exclusion>
      </exclusions>
    </dependency>
    <dependency>
      <groupId>org.slf4j</groupId>
      <artifactId>slf4j-simple</artifactId>
      <version>1.7.36</version>
    </dependency>
  </dependencies>
</project>
"""


class JarsUnavailableError(RuntimeError):
    """Maven is missing, or could not fetch the jars; the message has Maven's last lines."""


def fetch(version: str) -> Path:
    """Answers the folder with the jars of a broker of `version`, fetching them when they are not there yet."""
    return fetch_artifact("kafka_2.13", version, "libs")


def fetch_tools(version: str) -> Path:
    """The same for the command line tools, which are an artifact of their own."""
    return fetch_artifact("kafka-tools", version, "tools")


def fetch_artifact(artifact: str, version: str, name: str) -> Path:
    """Copies an artifact and all that it depends on into one folder."""
    folder = cache_folder(version)
    libs = folder / name
    if libs.is_dir():
        return libs
    if shutil.which("mvn") is None:
        raise JarsUnavailableError(f"Kafka {version} is not in {folder} and there is no mvn on PATH to fetch it")

    folder.mkdir(parents=True, exist_ok=True)
    pom = folder / f"{name}.pom.xml"
    pom.write_text(POM.format(artifact=artifact, version=version))
    # Into a folder of this process first: a run that is cut off, or another one beside it, leaves no half-full libs.
    unfinished = folder / f"{name}.{os.getpid()}"
    command = ["mvn", "--batch-mode", "--quiet", "--file", str(pom), "dependency:copy-dependencies"]
    command.append(f"-DoutputDirectory={unfinished}")
    ran = subprocess.run(command, capture_output=True, text=True, timeout=FETCH_SECONDS, check=False)
    if ran.returncode != 0:
        shutil.rmtree(unfinished, ignore_errors=True)
        tail = "\n".join((ran.stdout + ran.stderr).splitlines()[-15:])
        raise JarsUnavailableError(f"mvn could not fetch Kafka {version}:\n{tail}")
    try:
        unfinished.rename(libs)
    except OSError:
        # Another run was first.
        shutil.rmtree(unfinished, ignore_errors=True)
    return libs


def cache_folder(version: str) -> Path:
    """Where `version` lives; KAFKARS_CACHE moves the cache out of the repository."""
    base = os.environ.get("KAFKARS_CACHE")
    return (Path(base) if base else ROOT / ".cache") / "kafka" / version
