"""Real Kafka of three brokers while nodes are killed and paused and connections cut: nothing acknowledged is lost.

The short form is a part of `make test-kafka`; `make chaos` runs every load with every fault and other seeds.
"""
