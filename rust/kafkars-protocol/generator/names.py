"""Kafka's names as Rust writes them."""

from __future__ import annotations

import re

KEYWORDS = {"as", "enum", "match", "ref", "self", "type", "use", "where"}


def snake(name: str) -> str:
    """`ISRNodes` is isr_nodes, `V3AndBelowTopics` is v3_and_below_topics."""
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()


def field(name: str) -> str:
    name = snake(name)
    return f"r#{name}" if name in KEYWORDS else name


def variant(name: str) -> str:
    return name
