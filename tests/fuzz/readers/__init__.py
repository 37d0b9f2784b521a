"""The readers that are fuzzed, one module for what is alike. Any module here is found."""
