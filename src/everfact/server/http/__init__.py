"""The server over streamable HTTP, safe to leave running: names, tokens, limits, health, metrics."""
