"""From topics to described, scored and ranked lists."""
