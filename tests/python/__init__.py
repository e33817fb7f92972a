"""What Python sees of the native half: exceptions, futures, records, cancellation, logging, imports."""
