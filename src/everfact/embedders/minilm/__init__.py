"""all-MiniLM-L6-v2 on this machine: getting it, building it, computing with it."""
