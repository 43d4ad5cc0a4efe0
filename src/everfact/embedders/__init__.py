"""Text to vectors, each model an adapter of its own."""
