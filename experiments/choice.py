"""``python -m experiments.choice -i DIR``: learn which two sentences carry the gist of their argument, without labels.

Many arguments of a debate stand under a heading of their own that says in a few words what they argue, and
beside other arguments of the debate. The heading is taken away, the title of the debate stands in for topic and
conclusion, and the signs of `models.choice` learn to find the sentences that say most of the heading and most of what
the rest of the debate speaks of. ``gist.jsonl`` is only measured on, and its arguments are not learned from.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.choice_data import FOLDS, OTHERS, PER_DEBATE, PREMISES, Pairs, describe, read_debates, read_gist
from ltr.cli import Parser, add_index_options, whole_number
from ltr.errors import InputError, run_command

if TYPE_CHECKING:  # slow to import, and --help should not wait for them
    import numpy.typing as npt

    from ltr.index import Index
    from ltr.matrix import Matrix
    from models.base import Scores

RULE = {
    "centrality": 1.0,
    "latent_centrality": 1.0,
    "conclusion_similarity": 1.0,
    "n_letters": 1.0,
    "relative_position": -0.5,
    "meta_talk": -1.0,
    "url": -1.0,
    "reference": -0.5,
}
"""The rule made by hand. The weights are drawn towards it: what learning texts hardly hold (debris) stays known."""

DIRECTION = {name: 1 if weight > 0 else -1 for name, weight in RULE.items()} | {
    "is_first": 1,
    "coverage_sentence": 1,
    "argumentative": 1,
    "opens_dangling": -1,
}
"""The signs on offer, and the one way in which each may count."""

L2 = 0.004
"""Strength of the pull towards the rule, by argument."""

DECIMALS = 3

NOTES = [
    "signs, strength and targets were chosen by the gain on debates unseen",
]


def main(argv: list[str] | None = None) -> int:
    """Learn, print the figures and write the weights. Raises InputError for anything the user can mend."""
    options = _parser().parse_args(argv)

    from threadpoolctl import threadpool_limits

    from ltr.corpus import open_corpus
    from ltr.files import atomic_text
    from ltr.index import open_index
    from ltr.progress import Progress
    from models.choice import representativeness

    corpus = open_corpus(options.input)
    index = open_index(corpus, options.index, Progress())
    marked = read_gist(Path(options.input) / "gist.jsonl", index)
    with threadpool_limits(1):  # another number of threads gives other last bits
        pairs = describe(index, read_debates(corpus, index, marked, options.seed), list(DIRECTION))
        figures, ablation, weights = learn(pairs, options.seed)
        seen = [(describe_marked(index, item), set(item["gist"])) for item in marked]
        gist = {
            name: [hit(representativeness(matrix.features, matrix.units, signs), matrix, gold) for matrix, gold in seen]
            for name, signs in (("rule", RULE), ("learned", weights))
        }
    about = _about(pairs, figures, ablation, gist if marked else {}, options.seed)
    print("\n".join(_table(about, weights)))
    if options.output:
        with atomic_text(options.output) as out:
            out.write(json.dumps({"about": about, "weights": weights}, indent=1, allow_nan=False) + "\n")
    return 0


def _parser() -> Parser:
    parser = Parser(prog="python -m experiments.choice", description=(__doc__ or "").partition(": ")[2])
    add = parser.add_argument
    add("-i", "--input", required=True, metavar="DIR", help="the corpus; gist.jsonl beside it is measured on")
    add("-o", "--output", type=Path, metavar="FILE", help="where the weights go as JSON (default: only measure)")
    add("--seed", type=whole_number(0), default=0, metavar="N", help="seed (default: %(default)s)")
    add_index_options(parser)
    return parser


# ---- learning


def learn(pairs: Pairs, seed: int) -> tuple[dict[str, dict[str, float]], dict[str, float], dict[str, float]]:
    """Gain of the chosen pair by way and target, what it loses without each sign, and the weights from everything."""
    import numpy as np

    from models.choice import places, representativeness

    names = list(DIRECTION)
    values = np.column_stack([places(pairs.features, pairs.units, name) for name in names])
    random = np.random.default_rng(seed).random(len(values))
    plain = {name: pairs.features[name].to_numpy(np.float64) for name in ("first two", "two longest", "LexRank")}
    ways = {
        "random": random,
        **plain,
        "centrality": representativeness(pairs.features, pairs.units, {"centrality": 1.0}),
        "rule": representativeness(pairs.features, pairs.units, RULE),
        "learned, debates unseen": held_out(pairs, names, values, folds(pairs.debate)),
    }
    if len(set(pairs.portal.tolist())) > 1:
        _, portals = np.unique(pairs.portal, return_inverse=True)
        ways["learned, portals unseen"] = held_out(pairs, names, values, portals)
    figures = {way: mean_gain(scores, pairs) for way, scores in ways.items()}
    whole = figures["learned, debates unseen"]["both"]
    ablation = {}
    for place, name in enumerate(names):
        rest = [other for other in names if other != name]
        scores = held_out(pairs, rest, np.delete(values, place, axis=1), folds(pairs.debate))
        ablation[name] = round(mean_gain(scores, pairs)["both"] - whole, 4)
    found = fit(values, pairs.gain["both"].to_numpy(), pairs.units, names)
    shares = np.round(found / np.abs(found).sum(), DECIMALS)
    return figures, ablation, {name: share for name, share in zip(names, shares.tolist(), strict=True) if share}


def fit(values: Scores, target: Scores, units: npt.NDArray[Any], names: Sequence[str]) -> Scores:
    """(n_signs,) ridge weights drawn towards the rule, none against its direction; every argument counts the same."""
    import numpy as np

    from models.ridge import signed_ridge

    _, sizes = np.unique(units, return_counts=True)
    mass = np.repeat(1 / sizes, sizes)
    rule = np.array([RULE.get(name, 0.0) for name in names])
    # The rule in units of the target: percentiles of an argument have the mean .5, and gains the mean 0.
    score = (values - 0.5) @ rule
    scale = max((mass * score * target).sum() / max((mass * score**2).sum(), 1e-9), 0.0)
    signs = [DIRECTION[name] for name in names]
    return signed_ridge(values, target, mass, sizes.tolist(), signs=signs, l2=L2 * len(sizes), start=scale * rule)


def folds(debate: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """(n_rows,) number of the fold that each debate is held out in."""
    import numpy as np
    from sklearn.model_selection import GroupKFold

    fold = np.zeros(len(debate), np.int64)
    for number, (_, test) in enumerate(GroupKFold(FOLDS).split(debate, groups=debate)):
        fold[test] = number
    return fold


def held_out(pairs: Pairs, names: Sequence[str], values: Scores, fold: npt.NDArray[Any]) -> Scores:
    """(n_rows,) scores, each by weights that saw nothing of the fold of its row."""
    import numpy as np

    target = pairs.gain["both"].to_numpy()
    scores = np.zeros(len(values))
    for number in np.unique(fold):
        test = fold == number
        scores[test] = values[test] @ fit(values[~test], target[~test], pairs.units[~test], names)
    return scores


def chosen(scores: Scores, units: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """(n_units,) row of the best pair of each argument, the first of equals."""
    import numpy as np

    order = np.lexsort((-np.round(scores, 9), units))
    return order[np.diff(units[order], prepend=-1) > 0]


def mean_gain(scores: Scores, pairs: Pairs) -> dict[str, float]:
    """Target -> mean over the arguments of what the best pair gains."""
    best = pairs.gain.iloc[chosen(scores, pairs.units)]
    return {str(name): round(float(value), 4) for name, value in best.mean().items()}


# ---- the marked arguments


def describe_marked(index: Index, item: Mapping[str, Any]) -> Matrix:
    """Every pair inside a marked argument, as `experiments.effectiveness` describes it."""
    from ltr.candidates import TermCache, within_argument
    from ltr.matrix import Matrix
    from ltr.pipeline import describe_candidates

    cache = TermCache(index)
    query = index.analyzer.distinct(item["query"])
    candidates = within_argument(index, item["row"], query, cache, each=1000)
    return Matrix([describe_candidates(index, item["id"], item["query"], query, candidates, cache)])


def hit(scores: Scores, matrix: Matrix, gold: set[str]) -> float:
    """Share of the two marked sentences in the best pair."""
    import numpy as np

    best = int(np.argmax(np.round(scores, 9)))
    return len(gold & {matrix.first[best], matrix.second[best]}) / 2


# ---- reporting


def _about(
    pairs: Pairs,
    figures: Mapping[str, Mapping[str, float]],
    ablation: Mapping[str, float],
    gist: Mapping[str, Sequence[float]],
    seed: int,
) -> dict[str, Any]:
    from importlib.metadata import version

    import numpy as np

    from ltr.metrics import bootstrap_interval

    heads = pairs.portal[chosen(np.zeros(len(pairs.units)), pairs.units)].tolist()
    marked = {
        name: [round(x, 4) for x in (float(np.mean(hits)), *bootstrap_interval(np.array(hits)))]
        for name, hits in gist.items()
    }
    return {
        "what": "signs that two sentences carry the gist of their argument: feature -> weight, for models.choice",
        "command": f"python -m experiments.choice -i DIR -o models/choice.json --seed {seed}",
        "data": {
            "what": "arguments under headings of their own; heading hidden, title of the debate as topic and conclusion",
            "arguments": len(heads),
            "debates": len(set(pairs.debate.tolist())),
            "pairs": len(pairs.units),
            "portals": {name or "unknown": heads.count(name) for name in sorted(set(heads))},
        },
        "gain of the chosen pair (0 the mean pair of an argument, 1 its best)": {
            w: dict(f) for w, f in figures.items()
        },
        "gain on both without a sign": dict(ablation),
        "gist.jsonl, share of marked sentences with 95% interval": marked | {"arguments": len(gist.get("rule", ()))},
        "notes": NOTES,
        "settings": {
            "l2": L2,
            "premises": PREMISES,
            "arguments a debate": PER_DEBATE,
            "other arguments of the debate": OTHERS,
            "folds": FOLDS,
            "seed": seed,
        },
        "versions": {name: version(name) for name in ("numpy", "pandas", "scikit-learn", "scipy")},
    }


def _table(about: Mapping[str, Any], weights: Mapping[str, float]) -> list[str]:
    data = about["data"]
    hosts = ", ".join(f"{name} {count}" for name, count in data["portals"].items())
    lines = [f"{data['arguments']} arguments of {data['debates']} debates, {data['pairs']} pairs ({hosts})", ""]
    figures = next(value for key, value in about.items() if key.startswith("gain of"))
    targets = list(figures["random"])
    lines += ["gain of the chosen pair: 0 the mean pair of an argument, 1 its best"]
    lines += [f"{'':<26}" + "".join(f"{target:>10}" for target in targets)]
    lines += [f"{way:<26}" + "".join(f"{row[target]:>10.3f}" for target in targets) for way, row in figures.items()]
    lines += ["", f"{'sign':<26}{'weight':>10}{'without it':>12}"]
    lost = about["gain on both without a sign"]
    lines += [f"{name:<26}{weights.get(name, 0):>10.3f}{lost[name]:>+12.4f}" for name in lost]
    marked = next(value for key, value in about.items() if key.startswith("gist"))
    if marked["arguments"]:
        lines += ["", f"share of the marked sentences of {marked['arguments']} arguments, with 95% interval"]
        for name in ("rule", "learned"):
            lines.append("{:<26}{:>10.3f} [{:.3f}, {:.3f}]".format(name, *marked[name]))
    return lines


if __name__ == "__main__":
    run_command(main)
