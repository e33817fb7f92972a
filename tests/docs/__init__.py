"""The code of the documentation and of examples/ is run as it is printed."""
