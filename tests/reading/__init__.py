"""The oracle of reading, on whole brokers: every record is read as it was written, from every offset."""
