"""What coding assistants call at certain moments: it puts notes into the conversation, and has the session captured.

A hook must never hold its client up or make it fail, and starts in a fraction of the time the other commands take: it
imports no more than it needs, hands work to a process of its own, and says in one line what is wrong.
"""
