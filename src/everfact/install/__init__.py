"""Connecting assistants: our server in their lists, our hooks, our skill; and taking all of it back.

`clients` is the table of them, `configfile` the one editor of their files, `receipts` what it did.
"""
