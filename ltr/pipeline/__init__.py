"""Topics to a described, ranked list: the path that training and prediction share."""
