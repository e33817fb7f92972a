"""Gets Spark's own Kafka connector with Maven, once: the oracle of these tests."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from tests.kafka.jars import FETCH_SECONDS, JarsUnavailableError, cache_folder

VERSION = "4.2.0"
"""The newest connector in Maven Central; it works in Spark 4.3.0."""

ARTIFACTS = (
    ("org.apache.spark", "spark-sql-kafka-0-10_2.13", VERSION),
    ("org.apache.spark", "spark-token-provider-kafka-0-10_2.13", "4.0.0"),
    ("org.apache.kafka", "kafka-clients", "3.9.2"),
    ("org.apache.commons", "commons-pool2", "2.12.1"),
)

POM = """<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>kafkars.tests</groupId>
  <artifactId>spark-connector</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>{dependencies}
  </dependencies>
</project>
"""

# Spark brings everything else that these need.
DEPENDENCY = """
    <dependency>
      <groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version>
      <exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>
    </dependency>"""


def fetch() -> list[Path]:
    """Answers the connector's jars, fetching them when they are not there yet.

    Raises:
        JarsUnavailableError: Maven is missing, or cannot get them.
    """
    folder = cache_folder("spark-connector") / VERSION
    if not folder.is_dir():
        if shutil.which("mvn") is None:
            raise JarsUnavailableError(f"Spark's connector is not in {folder} and there is no mvn on PATH to fetch it")
        folder.parent.mkdir(parents=True, exist_ok=True)
        pom = folder.parent / f"pom.{os.getpid()}.xml"
        text = "".join(
            DEPENDENCY.format(group=group, artifact=name, version=version) for group, name, version in ARTIFACTS
        )
        pom.write_text(POM.format(dependencies=text))
        unfinished = folder.parent / f"{VERSION}.{os.getpid()}"
        command = ["mvn", "--batch-mode", "--quiet", "--file", str(pom), "dependency:copy-dependencies"]
        command.append(f"-DoutputDirectory={unfinished}")
        ran = subprocess.run(command, capture_output=True, text=True, timeout=FETCH_SECONDS, check=False)
        pom.unlink()
        if ran.returncode != 0:
            shutil.rmtree(unfinished, ignore_errors=True)
            tail = "\n".join((ran.stdout + ran.stderr).splitlines()[-15:])
            raise JarsUnavailableError(f"mvn could not fetch Spark's Kafka connector:\n{tail}")
        try:
            unfinished.rename(folder)
        except OSError:
            # Another run was first.
            shutil.rmtree(unfinished, ignore_errors=True)
    return sorted(folder.glob("*.jar"))
