"""The face of kafka-python, compared with kafka-python 2.3.3 itself."""
