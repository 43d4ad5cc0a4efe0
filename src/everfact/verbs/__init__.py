"""What commands of the program and tools of the set `cli` both do: each verb once, over a memory and a group."""
