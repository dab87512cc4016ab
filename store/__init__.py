"""What happened, and what may be said of it.

The record: events, the machine that admits them, the tables that follow from them, and the views others read.
Imports neither of the other rooms.
"""
