"""Programs that the kill tests start, kill and start again."""
