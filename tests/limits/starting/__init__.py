"""Programs that are started anew for each measurement, and print the time until their first record is sent and read."""
