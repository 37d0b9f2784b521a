"""A page to ask, and its JSON interface: `app` is what is asked, `answerer` what answers, `server` keeps it up."""
