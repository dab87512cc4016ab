"""The sub-commands, one family a file: `configure(parser)` says what it takes, `run(arguments, terminal)` does it."""
