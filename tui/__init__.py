"""What a person sees and presses: the `midwatch` command, its sub-commands and the screen.

Reads the record through `store.views` and asks through `harness.requests`; decides nothing about a run.
"""
