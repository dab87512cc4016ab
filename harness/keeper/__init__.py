"""The keeper of one attempt, and the small warm process that keepers are forked from (R10, R16, R19).

The watch runs `__main__.py` of this folder with `python -I -S`. Nothing here imports more than a few built-in modules,
or anything else of midwatch, so that hundreds of keepers weigh little and start in milliseconds.

The zygote gets one byte and the descriptors of one attempt at a time, and forks a keeper for each. It adopts and reaps
what a killed keeper leaves, and ends when the watch's end closes; its keepers go on by themselves.

A keeper is the parent of one agent and the subreaper of its tree. It and the watch talk over a socket of their own:

    watch → keeper   the two parts of the order (`order.py`), each after eight bytes of length
    keeper → watch   kept PID, then started PID START_TICKS, or refused STEP ERRNO and nothing more
    watch → keeper   I interrupts the agent, T terminates its tree, K kills it until nothing is left
    keeper → watch   gone FACTS (of `exit_file.py`), a - for what there is not: no process of the tree is left
    watch → keeper   D: both pipes are drained into the journals
    keeper → watch   written: the journals and `….exit` are durable; then the keeper ends

Where the system has no `/proc` (macOS), the tree is the agent's process group and there is no subreaper: what leaves
the group is found only by its mark.
"""
