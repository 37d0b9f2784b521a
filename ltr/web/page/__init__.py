"""What pages are made of. Colours, controls and the look of a unit are shared with the pages of experiments."""
