"""Extractors: text into statements. One module or package each; none knows another."""
