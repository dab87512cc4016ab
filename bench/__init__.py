"""Measurements: each module prints one JSON object, and `--help` says what it compares and how."""
