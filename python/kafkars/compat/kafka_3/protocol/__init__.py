"""The wire format, as far as programs name it (`kafka.protocol`)."""
