"""Labels of pairs, from three sources."""

VOTED = "voted on in files"  #: the name of the number of labels from vote files
