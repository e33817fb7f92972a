"""Side by side with confluent-kafka, aiokafka and kafka-python, in one interleaved run: `make bench`.

Every client runs in a process of its own, every round runs every client once, and the order rotates. What is
compared is the CPU the client's process takes per record (steady on a busy machine), then throughput, peak
memory and open-loop latency. Every delivery is confirmed, counts and checksums are verified.
"""
