"""The wire format, as far as programs use it (`kafka.protocol`)."""
