"""What kafka-python 2 carries of other libraries (`kafka.vendor`), as far as programs import it from there."""
