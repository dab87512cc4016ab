"""Those outside that are told what happens: one file for each kind. They get events at least once, each with its id."""
