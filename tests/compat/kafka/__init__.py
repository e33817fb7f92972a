"""The face of kafka-python: what it tells a program, compared with kafka-python 2.3.3 itself."""
