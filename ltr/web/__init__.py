"""A page for questions and its JSON interface: `app` has the routes, `answerer` the answers, `server` the limits."""
