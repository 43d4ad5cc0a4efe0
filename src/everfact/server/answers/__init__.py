"""What tools answer with. Only translation; nothing is decided here."""
