"""The tools, by family. Each translates its arguments, asks `Memory` once and translates the answer back."""
