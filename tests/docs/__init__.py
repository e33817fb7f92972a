"""The documentation: its code and that of examples/ is run as it is printed, and its links and tables are checked."""
