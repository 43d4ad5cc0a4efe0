"""For people who write a store, an extractor or a test: the contract, the reference store, fakes and builders.

Needs the extra `everfact[testing]`.
"""
