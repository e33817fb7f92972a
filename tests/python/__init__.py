"""The Python side of the native module: exceptions, futures, records, cancellation, logging, imports."""
