"""What every registered feature owes, whoever wrote it."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from support.encoders import with_meaning
from support.tables import CORPUS, Source, make_context, make_pairs, make_statistics, with_pairs

import features
from features.core import feature as registry
from features.core.describe import describe, rounded
from features.core.feature import Feature, all_features, feature
from features.core.registry import ComponentError
from features.core.tables import Context, SentenceTable, Texts

FEATURES = all_features()
OF_CONTEXT = [f for f in FEATURES if f.scope != "text"]
OF_TEXT = [f for f in FEATURES if f.scope == "text"]
NO_STATISTICS = make_statistics(())
ODD_TEXTS = (
    "",
    " ",
    "\n\t\xa0",
    "?!",
    "'",
    "''' -- '''",
    "...",
    "_",
    "\ufeff\u200b",
    "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"),
    "l'été où ça naïf",
    "学校の制服は必要ですか",
    "مرحبا بالعالم",
    "12,345.67 % of $9 in 1999",
    "hmm mm nth",
    "don't can't it's O'Neill rock'n'roll",
    "https://www.example.org/a?b=c#d www.debate.org",
    "a" * 5_000,
    "word " * 2_000,
    "?" * 500,
    "<br> &amp; {x} [y] \\n \x00",
)
TEXTS = [*dict.fromkeys(text for source in CORPUS for text in source.texts), *ODD_TEXTS]


def by_family(features: Sequence[Feature]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A test of one feature becomes one of each family, which names the feature that fails."""

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        def run(group: str, **rest: Any) -> None:
            for one in (one for one in features if one.group == group):
                try:
                    test(one, **rest)
                except Exception as error:
                    error.add_note(f"feature {one.name}")
                    raise

        family = inspect.Parameter("group", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        run.__dict__.update(vars(test))
        run.__name__, run.__doc__ = test.__name__, test.__doc__
        run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [family, *list(inspect.signature(test).parameters.values())[1:]]
        )
        return pytest.mark.parametrize("group", list(dict.fromkeys(one.group for one in features)))(run)

    return decorate


named, of_context, of_text = by_family(FEATURES), by_family(OF_CONTEXT), by_family(OF_TEXT)


@pytest.fixture(scope="module")
def context() -> Context:
    return make_context()


def rows_of(f: Feature, context: Context) -> int:
    return {"sentence": len(context.sentences), "argument": len(context.arguments), "pair": len(context.pairs)}[f.scope]


def value(f: Feature, context: Context) -> np.ndarray:
    """What the feature says of a context, with all that `describe` would refuse refused."""
    found = rounded(np.asarray(f.compute(context)))
    assert found.shape == (rows_of(f, context),)
    check(f, found)
    return found


def check(f: Feature, found: np.ndarray) -> None:
    assert np.isfinite(found).all()
    low, high = f.range
    assert (found >= low).all()
    assert (found <= high).all()


# ---- the registry ---------------------------------------------------------------------------------


def test_names_and_columns_are_unique():
    assert len({f.name for f in FEATURES}) == len(FEATURES)
    names = list(registry.column_features())
    assert len(set(names)) == len(names) == sum(len(f.columns()) for f in FEATURES)
    head = registry.columns(head=True)
    assert head == [column for f in FEATURES if f.needs_encoder and not f.needs_reader for column in f.columns()]
    read = registry.reader_columns()
    assert read == [column for f in FEATURES if f.needs_reader for column in f.columns()]
    assert registry.columns() == [column for column in names if column not in {*head, *read}]


@named
def test_metadata(f: Feature):
    for text in (f.name, f.group, f.measured_in, f.description, f.source):
        assert text
        assert text == text.strip()
        assert "\n" not in text
    assert not set(f.name) & set(" \t,;[]{}\":'"), "LightGBM and CSV headers want plain names"
    assert f.scope in registry.SCOPES
    assert f.range[0] < f.range[1]
    assert bool(f.lift) == (f.scope != "pair")
    assert len(set(f.lift)) == len(f.lift)
    assert registry.FEATURES.find(f.name) is f


def modules_that_define_features() -> Iterator[str]:
    """Files of the package, or of a task, that import `feature` as a decorator, for a call or a partial one."""
    home = Path(features.__path__[0]).parent
    for path in sorted([*home.glob("features/**/*.py"), *home.glob("ltr/tasks/**/*.py")]):
        tree = ast.parse(path.read_text("utf-8"))
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        if "feature" in {alias.name for node in imports for alias in node.names} and path.stem != "registry":
            yield ".".join(path.relative_to(home).with_suffix("").parts)


def test_every_file_with_features_is_imported():
    defining = set(modules_that_define_features())
    assert defining <= sys.modules.keys()
    assert defining == {f.compute.__module__ for f in FEATURES}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"scope": "word"}, "unknown scope 'word'; known: text, sentence, argument, pair"),
        ({"lift": ()}, "lift is one or more of first, second, min, max, mean"),
        ({"lift": ("sum",)}, "lift is one or more of"),
        ({"description": ""}, "needs a description, a range"),
        ({"range": (1, 1)}, "needs a description, a range"),
        ({"standardise": "mean"}, "standardise is one of no, topic, both"),
    ],
)
def test_a_feature_without_its_facts_is_refused(changes: dict[str, Any], message: str):
    facts = {"scope": "text", "group": "g", "measured_in": "u", "range": (0, 1), "description": "d"} | changes
    with pytest.raises(ValueError, match=message):
        feature(facts.pop("scope"), name="no_such_feature", **facts)(lambda texts: np.zeros(len(texts)))
    with pytest.raises(KeyError):
        registry.FEATURES.find("no_such_feature")


# ---- values ---------------------------------------------------------------------------------------


@of_context
def test_values_have_their_range_and_leave_no_trace(f: Feature, context: Context):
    # By now, other features have read ``context``.
    np.testing.assert_array_equal(value(f, make_context()), value(f, context))
    np.testing.assert_array_equal(value(f, context), value(f, context))


@of_context
def test_order_of_pairs_does_not_matter(f: Feature, context: Context):
    order = np.random.default_rng(1).permutation(len(context.pairs))
    expected = value(f, context)
    found = value(f, with_pairs(context, order))
    np.testing.assert_array_equal(found, expected[order] if f.scope == "pair" else expected)


@of_context
def test_order_of_sentences_and_arguments_does_not_matter(f: Feature, context: Context):
    other, sentences, arguments = shuffled(context)
    order = {"pair": slice(None), "sentence": sentences, "argument": arguments}[f.scope]
    np.testing.assert_allclose(value(f, other), value(f, context)[order], rtol=1e-5, atol=1e-6)


@of_context
def test_one_pair(f: Feature, context: Context):
    if f.scope == "pair":
        for row in (0, len(context.pairs) // 2, len(context.pairs) - 1):
            np.testing.assert_array_equal(value(f, with_pairs(context, [row])), value(f, context)[[row]])
    value(f, make_context(CORPUS[:1], pairs=[(0, 4)]))


@of_context
def test_odd_topics_and_texts(f: Feature):
    """Titles without known terms, texts without words, statistics of nothing, one empty sentence, no candidates."""
    odd = [Source(f"S{n}-A{n}", "PRO", text, (text, "")) for n, text in enumerate(ODD_TEXTS)]
    for title in ("Xyzzy of the plugh?", "Should we?", ""):
        value(f, make_context(title=title))
    value(f, make_context(odd, pairs=[(n, n + 1) for n in range(len(odd))]))
    value(f, make_context(CORPUS, statistics=NO_STATISTICS))
    value(f, make_context([Source("S1-A1", "PRO", "", ("",))], pairs=[(0, 0)]))
    value(f, make_context([], pairs=[]))
    value(f, make_context([], title="", pairs=[]))


@of_context
def test_inputs_are_left_alone(f: Feature):
    context = make_context()
    before = joblib.hash(seen(context))
    f.compute(context)
    assert joblib.hash(seen(context)) == before


@of_text
def test_text_feature(f: Feature):
    texts = Texts(TEXTS)
    found = rounded(np.asarray(f.compute(texts)))
    assert found.shape == (len(TEXTS),)
    check(f, found)
    assert texts.texts == TEXTS
    np.testing.assert_array_equal(rounded(np.asarray(f.compute(texts))), found)
    order = np.random.default_rng(2).permutation(len(TEXTS))
    again = rounded(np.asarray(f.compute(Texts([TEXTS[i] for i in order]))))
    np.testing.assert_array_equal(again, found[order])


@of_text
@pytest.mark.parametrize("text", ["", CORPUS[0].premises[1]], ids=["empty", "full"])
def test_a_text_has_its_value_alone(f: Feature, text: str):
    alone = rounded(np.asarray(f.compute(Texts([text]))))
    among = rounded(np.asarray(f.compute(Texts([*TEXTS, text]))))
    assert alone.shape == (1,)
    assert alone[0] == among[-1]
    assert np.asarray(f.compute(Texts([]))).shape == (0,)


# ---- the table -----------------------------------------------------------------------------------


def test_matrix_has_the_registered_columns_in_order(context: Context):
    table = describe(context)
    assert list(table.columns) == registry.columns()
    assert table.shape == (len(context.pairs), len(registry.columns()))
    assert set(table.dtypes) == {np.dtype(np.float32)}


def test_lifts_are_what_they_are_called(context: Context):
    table = describe(context, columns=list(registry.column_features()))
    checked = set()
    for f in (f for f in FEATURES if f.columns()):
        if f.scope == "pair":
            np.testing.assert_array_equal(table[f.name], value(f, context))
            continue
        values = context.text_values[f.name] if f.scope == "text" else value(f, context)
        if f.scope == "argument":
            values = values[context.sentences.argument]
        for lift in f.lift if f.columns() else ():
            column = table[f"{f.name}_{lift}"].tolist()
            sides = zip(values[context.pairs.first].tolist(), values[context.pairs.second].tolist(), strict=True)
            by_hand = {"first": lambda a, b: a, "second": lambda a, b: b, "min": min, "max": max}
            by_hand["mean"] = lambda a, b: float((np.float32(a) + np.float32(b)) / 2)
            assert column == [by_hand[lift](a, b) for a, b in sides], f.name
            checked.add(lift)
    assert checked == {*registry.LIFTS}


def test_arguments_have_the_values_of_argument_features(context: Context):
    table = describe(context, "argument", list(registry.column_features("argument")))
    own = [f for f in FEATURES if f.scope == "argument" and "argument" in f.kinds]
    assert list(table) == [f.name for f in own] == list(registry.column_features("argument"))
    of_all = [f.name for f in own if not f.needs_encoder]
    assert list(describe(context, "argument")) == registry.columns("argument") == of_all
    for f in own:
        np.testing.assert_array_equal(table[f.name], value(f, context), f.name)
    assert "dirichlet_2500_title_min" not in registry.columns()  # of arguments alone
    assert "number_max" not in registry.columns("argument")  # of pairs alone


def test_a_feature_that_breaks_its_word_is_named(context: Context, monkeypatch: pytest.MonkeyPatch):
    f = next(f for f in FEATURES if f.scope == "pair")
    for values, message in (
        (np.zeros(1), rf"^feature '{f.name}': gave shape \(1,\) where \({len(context.pairs)},\) was due; return one"),
        (None, rf"'{f.name}': gave shape \(\) where \({len(context.pairs)},\) was due"),
        ([[1], [2, 3]], rf"'{f.name}': gave no array of numbers where shape \({len(context.pairs)},\) was due"),
        (["many"] * len(context.pairs), f"'{f.name}': gave no array of numbers"),
        (np.full(len(context.pairs), np.nan), f"'{f.name}': gave values that are not finite"),
    ):
        broken = replace(f, compute=lambda _, values=values: values)
        monkeypatch.setitem(registry.FEATURES, f.name, broken)
        with pytest.raises(ComponentError, match=message):
            describe(context)


def test_a_plug_in_keeps_to_the_range_that_it_declares(context: Context, monkeypatch: pytest.MonkeyPatch):
    f = next(f for f in FEATURES if f.scope == "pair")
    wide = replace(f, range=(0, 1), compute=lambda _: np.full(len(context.pairs), 2.0))
    monkeypatch.setitem(registry.FEATURES, f.name, wide)
    monkeypatch.setattr(type(registry.FEATURES), "ships", lambda registered, name: name != f.name)
    with pytest.raises(ComponentError, match=f"'{f.name}': gave values from 2 to 2, and declares 0 to 1; declare its"):
        describe(context)


# ---- contexts to compare --------------------------------------------------------------------------


def shuffled(context: Context) -> tuple[Context, np.ndarray, np.ndarray]:
    """The same topic with sentences and arguments in another order, and those orders."""
    rng = np.random.default_rng(3)
    sentences = rng.permutation(len(context.sentences))
    arguments = rng.permutation(len(context.arguments))
    new_sentence, new_argument = np.argsort(sentences), np.argsort(arguments)
    s, a = context.sentences, context.arguments
    table = SentenceTable(**{name: moved(column, sentences) for name, column in vars(s).items()})
    table = replace(table, argument=new_argument[table.argument])
    fields = {name: moved(getattr(a, name), arguments) for name in a.__dataclass_fields__}
    pairs = list(zip(new_sentence[context.pairs.first], new_sentence[context.pairs.second], strict=True))
    values = {name: values[sentences] for name, values in context.text_values.items()}
    other = replace(context, sentences=table, arguments=type(a)(**fields), pairs=make_pairs(pairs), text_values=values)
    return with_meaning(other), sentences, arguments


def moved(column: Any, order: np.ndarray) -> Any:
    return column[order] if isinstance(column, np.ndarray) else [column[i] for i in order]


def seen(context: Context) -> dict[str, Any]:
    """All that a feature can reach: the tables, the statistics, and what is computed from them and shared."""
    found: dict[str, Any] = {"title": context.title, "query": context.query, "text_values": dict(context.text_values)}
    for part in (context.sentences, context.arguments, context.pairs, context.statistics):
        fields = {name: getattr(part, name) for name in part.__dataclass_fields__}
        found[type(part).__name__] = {name: value for name, value in fields.items() if not callable(value)}
    for name in ("sentence_counts", "argument_counts", "conclusion_counts", "tfidf", "argument_tfidf"):
        table = getattr(context, name)
        found[name] = (table.indptr, table.indices, table.data)
    found["meaning"] = vars(context.meaning)
    for name in ("idf", "vocabulary"):
        found[name] = getattr(context, name)
    return found
