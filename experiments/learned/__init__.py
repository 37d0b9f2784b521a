"""Where the weights of learned features come from."""
