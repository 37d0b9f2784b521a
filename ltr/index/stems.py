"""A digest of the stemmer's rules. They change with its version, while an index stays: a question that is stemmed by
other rules than the index would get other results.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from itertools import product

from features.core.text import Analyzer

_ROOTS = (
    "adopt argu ban believ car caus commun control decid depend emerg evid fail gener govern hop inter later mann nat "
    "object organ past polit run school secur teach tenur univers vot young"
).split()
_ENDINGS = (
    ",s,es,ed,eed,ing,ings,er,ers,ly,edly,ingly,y,ies,ied,al,ally,ation,ational,ations,ative,ator,e,ee,ence,ency,ent,"
    "entli,fulness,ful,able,ably,ability,ible,ic,ical,ically,icate,iciti,ism,ist,ity,ive,iveness,iviti,ize,izer,"
    "ization,less,lessly,ment,ments,ness,ogi,ogist,ogists,our,ous,ously,ousness,sion,tion,tional,'s,s's"
).split(",")
_EXCEPTIONS = (
    "andes atlas bias canning cosmos dying early earring evening exceed gently herring howe idly inning lying news "
    "only outing paste proceed singly skies skis sky succeed tying ugly"
).split()


@lru_cache(maxsize=4)
def stems_digest(stem: bool, stop: bool) -> str:
    """Hex digest of the index terms of some 2,000 words, which meet every rule of English."""
    analyzer = Analyzer(stem=stem, stop=stop)
    words = [*_EXCEPTIONS, *map("".join, product(_ROOTS, _ENDINGS))]
    return blake2b(" ".join(map(analyzer.of_word, words)).encode(), digest_size=8).hexdigest()
