"""What a process does to the clients: fork, signals, exit; each test is a process of its own."""
