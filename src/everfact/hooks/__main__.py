"""`python -m everfact.hooks FOLDER`: works off the spool in that folder; hooks start it."""

from everfact.hooks.drain import main

main()
