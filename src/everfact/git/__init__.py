"""What git knows of a folder: signs of the work at hand (`signals`), and commits as episodes (`commits`)."""
