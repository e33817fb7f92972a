"""What users' type checkers accept and refuse."""
