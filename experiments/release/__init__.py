"""What Riposte is made of: the packages it is locked to, their licences, and what is known against them."""
