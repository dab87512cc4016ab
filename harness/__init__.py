"""Launches agents, hands them work and reports what happened.

The watch, the keepers, the adapters and every request a person can make.
Imports `store`; never `tui`, never Textual.
"""
