"""A page for questions and its JSON interface: `loading` opens corpora, `answerer` answers, `app` has the routes."""
