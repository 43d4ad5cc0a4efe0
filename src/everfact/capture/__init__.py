"""Transcripts of coding assistants become episodes: read, grouped into turns, shortened, told to the memory."""
