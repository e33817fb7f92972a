"""Moves amounts between accounts: each transfer is two records that are read both or not at all.

    python examples/transactions.py localhost:9092 accounts

A transfer that fails is aborted and tried again. Start a second copy with the same `--id` and the first one is fenced:
whatever it was doing is undone, and its next call says so.
"""

from __future__ import annotations

import argparse
import random

from kafkars import Producer
from kafkars.errors import KafkaError, ProducerFencedError

ACCOUNTS = ("alice", "bob", "carol")


def main() -> None:
    """Makes `--transfers` transfers."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("bootstrap_servers")
    arguments.add_argument("topic")
    arguments.add_argument("--id", default="transfers", help="the transactional id")
    arguments.add_argument("--transfers", type=int, default=10)
    options = arguments.parse_args()
    with Producer(bootstrap_servers=options.bootstrap_servers, transactional_id=options.id) as producer:
        producer.init_transactions()
        done = 0
        while done < options.transfers:
            source, target = random.sample(ACCOUNTS, 2)
            try:
                transfer(producer, options.topic, source, target, amount=random.randint(1, 100))
            except ProducerFencedError:
                print(f"another program uses the id {options.id}: this one ends")
                return
            except KafkaError as error:
                if not error.abortable and not error.retriable:
                    raise
                print(f"aborted, again: {error}")
                continue
            done += 1
    print(f"{done} transfers")


def transfer(producer: Producer, topic: str, source: str, target: str, amount: int) -> None:
    """One transaction: committed at the end of the block, aborted when something in it raises."""
    with producer.transaction():
        producer.send(topic, str(-amount), key=source)
        producer.send(topic, str(amount), key=target)


if __name__ == "__main__":
    main()
