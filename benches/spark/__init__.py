"""Figures of kafkars.spark beside Spark's own connector."""
