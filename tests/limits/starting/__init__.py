"""Programs that are started anew, and say what it took to have a first record there and back."""
