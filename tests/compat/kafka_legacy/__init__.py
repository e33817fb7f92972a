"""The face of kafka-python 0.9.5, whose original runs on no Python of today: compared with its document and with what
it made."""
