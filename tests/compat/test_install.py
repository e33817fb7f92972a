"""`kafkars.compat.install()`: a program's own import lines give the face."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from typing import Any

import pytest


def run(program: str) -> str:
    """What a program prints, in an interpreter of its own: installing is for a whole process."""
    command = [sys.executable, "-c", textwrap.dedent(program)]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout.strip()


def test_a_program_gets_the_face_by_the_librarys_name() -> None:
    printed = run("""
        from kafkars.compat import install
        install("confluent_kafka")
        import confluent_kafka
        from confluent_kafka import KafkaError as First
        from confluent_kafka.cimpl import KafkaError as Second, Message
        from confluent_kafka.error import KafkaError as Third
        import confluent_kafka.error as error
        from kafkars.compat.confluent_kafka.error import KafkaError as Fourth
        import kafkars.compat.confluent_kafka.cimpl as cimpl
        import sys
        assert First is Second is Third is Fourth is error.KafkaError
        assert Message is cimpl.Message
        assert sys.modules["confluent_kafka.cimpl"] is cimpl is confluent_kafka.cimpl
        print(confluent_kafka.__name__, cimpl.__spec__.name)
    """)
    assert printed == "kafkars.compat.confluent_kafka kafkars.compat.confluent_kafka.cimpl"


def test_installing_again_changes_nothing() -> None:
    printed = run("""
        import sys
        from kafkars.compat import install
        first = install("confluent_kafka")
        from confluent_kafka import cimpl
        finders = list(sys.meta_path)
        assert install("confluent_kafka") is first
        assert sys.meta_path == finders
        from confluent_kafka import cimpl as again
        print(cimpl is again)
    """)
    assert printed == "True"


def test_a_library_that_was_imported_before_is_left_alone() -> None:
    printed = run("""
        import confluent_kafka
        from kafkars.compat import install
        try:
            install("confluent_kafka")
        except ValueError as error:
            print(error)
        import confluent_kafka.cimpl
        print(confluent_kafka.cimpl.Message.__module__)
    """)
    message, module = printed.splitlines()
    assert "confluent_kafka was imported before" in message
    assert "call install() first" in message
    assert module == "confluent_kafka.cimpl"


def test_a_library_without_face_is_named() -> None:
    from kafkars.compat import install

    with pytest.raises(ValueError, match=r"there is no face of 'pykafka'; known: .*'confluent_kafka'"):
        install("pykafka")
    given: Any
    for given in (None, 5):
        with pytest.raises(TypeError, match="library: the name that the library is imported under is wanted, not"):
            install(given)


@pytest.mark.parametrize(
    ("sought", "name"),
    [
        ("confluent-kafka", "confluent_kafka"),
        ("Confluent_Kafka", "confluent_kafka"),
        ("confluent", "confluent_kafka"),
        ("aio-kafka", "aiokafka"),
        ("AIOKafka", "aiokafka"),
        ("kafka-python", "kafka"),
        ("python-kafka", "kafka"),
        ("kafka0.9", "kafka"),
    ],
)
def test_a_library_by_another_name_is_led_to_its_own(sought: str, name: str) -> None:
    from kafkars.compat import install

    with pytest.raises(ValueError, match=f"there is no face of '{sought}'; the name it is imported under is '{name}'"):
        install(sought)


@pytest.mark.parametrize(
    ("version", "face"),
    [
        ("0.9", "kafka_legacy"),
        ("0.9.5", "kafka_legacy"),
        ("2.0", "kafka"),
        ("2.3.3", "kafka"),
        (2, "kafka"),
        (3, "kafka_3"),
        ("3.0.12", "kafka_3"),
    ],
)
def test_a_release_leads_to_the_face_of_its_line(version: str | int, face: str) -> None:
    from kafkars.compat import face_of

    assert face_of("kafka", version) == f"kafkars.compat.{face}"


def test_releases_without_face_are_named() -> None:
    from kafkars.compat import install

    for version in ("1.4.7", "0.8", "20", "0.91"):
        with pytest.raises(ValueError, match=r"there is no face of 'kafka' '.*'; versions: '0.9.5', '2', '3'"):
            install("kafka", version)
    with pytest.raises(ValueError, match=r"'aiokafka' has one face for all its releases; leave version='0\.12\.0' out"):
        install("aiokafka", "0.12.0")


def test_modules_that_the_face_lacks_are_not_taken_from_the_library() -> None:
    printed = run("""
        from kafkars.compat import install
        install("confluent_kafka")
        try:
            import confluent_kafka.kafkatest
        except ModuleNotFoundError as error:
            print(error.name, "|", error)
    """)
    name, text = printed.split(" | ")
    assert name == "confluent_kafka.kafkatest"
    assert "not offered by kafkars" in text


def test_programs_may_ask_whether_there_is_a_module() -> None:
    printed = run("""
        from importlib.util import find_spec
        from kafkars.compat import install
        install("aiokafka")
        print(find_spec("aiokafka.nonsense"), find_spec("aiokafka.structs").name)
    """)
    assert printed.strip() == "None aiokafka.structs"


def test_uninstalling_gives_the_library_back() -> None:
    printed = run("""
        from kafkars.compat import install, uninstall
        install("confluent_kafka")
        from confluent_kafka.cimpl import Message
        uninstall("confluent_kafka")
        uninstall("confluent_kafka")
        from confluent_kafka.cimpl import Message as Original
        print(Message.__module__, Original.__module__)
    """)
    assert printed == "kafkars.compat.confluent_kafka.cimpl confluent_kafka.cimpl"


def test_releases_are_told_in_the_form_programs_compare() -> None:
    printed = run("""
        import re
        from kafkars.compat import install
        install("confluent_kafka")
        import confluent_kafka
        assert re.fullmatch(r"\\d+\\.\\d+\\.\\d+", confluent_kafka.__version__)
        assert tuple(map(int, confluent_kafka.version().split("."))) >= (2, 0, 0)
        text, number = confluent_kafka.libversion()
        major, minor, revision = map(int, text.split("."))
        assert number == major << 24 | minor << 16 | revision << 8 | 0xFF
        print("ok")
    """)
    assert printed == "ok"


def test_importing_kafkars_imports_no_face() -> None:
    printed = run("""
        import sys
        import kafkars
        print([name for name in sys.modules if "compat" in name and "kafkars" in name])
    """)
    assert printed == "[]"


def test_a_version_has_a_face_of_its_own() -> None:
    printed = run("""
        from kafkars.compat import install, uninstall
        install("kafka", version="0.9.5")
        install("kafka", version="0.9.5")
        import kafka
        from kafka import SimpleProducer
        from kafka.producer.simple import SimpleProducer as Second
        from kafka.common import KafkaError
        assert SimpleProducer is Second
        try:
            install("kafka")
        except ValueError as error:
            print(error)
        uninstall("kafka")
        install("kafka")
        import kafka as other
        print(kafka.__version__, kafka.__name__, other.__name__)
    """)
    refusal, names = printed.splitlines()
    assert "kafka was imported before" in refusal
    assert names == "0.9.5 kafkars.compat.kafka_legacy kafkars.compat.kafka"


def test_modules_of_other_releases_are_named() -> None:
    printed = run("""
        from kafkars.compat import install
        install("kafka", version="0.9.5")
        for module in ("kafka.errors", "kafka.nonsense"):
            try:
                __import__(module)
            except ModuleNotFoundError as error:
                print(error)
    """)
    errors, nonsense = printed.splitlines()
    assert "kafka-python 1.0" in errors
    assert 'install("kafka")' in errors
    assert nonsense == "No module named 'kafka.nonsense'"


def test_whoever_waits_for_the_import_of_the_library_gets_the_face() -> None:
    """As tracing does: its agents start before the program, and patch what they are given after the import."""
    printed = run("""
        import sys
        from importlib.util import find_spec

        WANTED = ["confluent_kafka", "confluent_kafka.cimpl", "confluent_kafka.serializing_producer"]
        told = []

        class Watching:
            def __init__(self, loader):
                self.loader = loader
            def create_module(self, spec):
                return self.loader.create_module(spec)
            def exec_module(self, module):
                self.loader.exec_module(module)
                told.append(module.__name__)
                if module.__name__.endswith("cimpl"):
                    class Traced(module.Producer):
                        pass
                    module.Producer = Traced

        class Watcher:
            asked = []
            def find_spec(self, name, path=None, target=None):
                if name not in WANTED or name in self.asked:
                    return None
                self.asked.append(name)
                spec = find_spec(name)
                self.asked.remove(name)
                spec.loader = Watching(spec.loader)
                return spec

        sys.meta_path.insert(0, Watcher())
        from kafkars.compat import install, uninstall
        face = install("confluent_kafka")
        import confluent_kafka
        from confluent_kafka import cimpl, Producer
        from confluent_kafka.serializing_producer import SerializingProducer
        import kafkars.compat.confluent_kafka.cimpl as own
        assert confluent_kafka is face is sys.modules["kafkars.compat.confluent_kafka"]
        assert face.__spec__.name == "kafkars.compat.confluent_kafka", face.__spec__
        assert cimpl is own and cimpl.__spec__.name == "kafkars.compat.confluent_kafka.cimpl"
        assert Producer is cimpl.Producer and Producer.__name__ == "Traced"
        assert "kafkars.compat.confluent_kafka.deserializing_consumer" not in sys.modules
        assert sorted(told) == sorted(WANTED)
        uninstall("confluent_kafka")
        import confluent_kafka.cimpl
        print(confluent_kafka.cimpl is not own)
    """)
    assert printed == "True"


FINDERS = {
    "that finds the library itself": """
        class Finder:
            def find_spec(self, name, path=None, target=None):
                return None if name.startswith("_") else PathFinder.find_spec(name, path, target)
    """,
    "of an old kind": """
        class Finder:
            def find_module(self, name, path=None):
                return None
    """,
    "that keeps a module back": """
        class Finder:
            def find_spec(self, name, path=None, target=None):
                if name == "aiokafka.helpers":
                    raise ImportError("kept back")
    """,
}


@pytest.mark.parametrize("finder", FINDERS)
def test_a_program_gets_the_face_behind_a_finder(finder: str) -> None:
    before = "import sys\nfrom importlib.machinery import PathFinder\n"
    program = """
        sys.meta_path.insert(0, Finder())
        from kafkars.compat import install, uninstall
        face = install("aiokafka")
        import aiokafka
        from aiokafka.client import AIOKafkaClient
        print(aiokafka is face, AIOKafkaClient.__module__)
    """
    printed = run(before + textwrap.dedent(FINDERS[finder]) + textwrap.dedent(program))
    assert printed == "True kafkars.compat.aiokafka.client"


def test_a_library_that_may_not_be_imported_is_not_installed() -> None:
    printed = run("""
        import sys

        class Finder:
            def find_spec(self, name, path=None, target=None):
                if name == "aiokafka":
                    raise ImportError("not here")

        finders = list(sys.meta_path)
        sys.meta_path.insert(0, Finder())
        from kafkars.compat import install
        try:
            install("aiokafka")
        except ImportError as error:
            del sys.meta_path[0]
            assert sys.meta_path == finders
            import aiokafka
            print(error, aiokafka.__name__)
    """)
    assert printed == "not here aiokafka"


def test_a_program_whose_modules_are_in_no_folder_gets_the_face() -> None:
    """Tools that make one file of a program teach `pkgutil` where packages are, and watch imports."""
    printed = run("""
        import pkgutil, sys
        from pathlib import Path
        import kafkars.compat.aiokafka as face

        asked = []
        pkgutil.iter_modules = lambda path: asked.append(path) or iter([pkgutil.ModuleInfo(None, "errors", False)])
        sys.meta_path.insert(0, type("", (), {"find_spec": lambda self, *_: None})())
        face.__path__.insert(0, str(Path(face.__file__).parent / "nowhere"))
        from kafkars.compat import install
        assert install("aiokafka") is face
        print(len(asked))
    """)
    assert printed == "1"


def test_all_public_modules_of_a_face_are_found() -> None:
    printed = run("""
        import pkgutil
        import kafkars.compat.confluent_kafka as face
        from kafkars.compat._alias import modules_below

        found = [module.name[len(face.__name__):] for module in pkgutil.walk_packages(face.__path__, face.__name__ + ".")]
        public = [name for name in found if "._" not in name]
        assert list(modules_below(face.__path__)) == public, public
        print(len(public) > 20)
    """)
    assert printed == "True"
