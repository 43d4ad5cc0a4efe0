"""`python -m everfact`: the same program as `everfact`."""

from everfact.cli import main

main()
