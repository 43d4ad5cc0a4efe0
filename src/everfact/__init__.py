"""everfact: memory for AI agents."""
