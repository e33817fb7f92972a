"""The reading oracle on whole brokers: what was written is what is read, from every offset."""
