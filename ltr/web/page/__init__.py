"""Parts of pages. Colours, controls and the look of a unit are shared with the pages of experiments."""
