"""Places where a memory can be kept."""
