"""Real Kafka of three brokers while nodes are killed and paused and connections cut: nothing acknowledged is lost.

`make test-chaos` is the short form and a part of `make test`; `make chaos` is the long one.
"""
