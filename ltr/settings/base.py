"""Frozen dataclasses of settings: each field has its kind and its help, and is checked when the object is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from difflib import get_close_matches
from typing import Any, TypeVar

from ltr.errors import SettingError
from ltr.settings.kinds import Kind

S = TypeVar("S", bound="Settings")


@dataclass(frozen=True)
class About:
    """What a field says of itself, see `setting`."""

    kind: Kind
    help: str
    flags: tuple[str, ...] = ()
    several: bool = False
    positional: bool = False
    once: bool = False
    bare: str | None = None
    words: str | None = None


def setting(
    kind: Kind,
    help: str = "",
    *flags: str,
    default: Any = None,
    **more: Any,
) -> Any:
    """A field of a `Settings` class.

    Parameters
    ----------
    kind : Kind
        What values it may have.
    help : str
        What ``--help`` says; the default is added.
    flags : str
        Names of the option, where they are not the field's own with ``--`` before it.
    default : optional
        Its value where none is given; a function makes one; ``...``: it has to be given.
    several : bool
        Whether it may repeat: the field is a tuple.
    positional : bool
        Whether a command line has it without a flag.
    once : bool
        Whether a command line may not name it twice; of others the last word counts.
    bare : str, optional
        The word that an option without a word stands for.
    words : str, optional
        "+": several words may follow an option that may repeat.
    """
    about = {"setting": About(kind, help, flags, **more)}
    if default is ...:
        return field(metadata=about)
    if callable(default):
        return field(default_factory=default, metadata=about)
    return field(default=() if default is None and more.get("several") else default, metadata=about)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings that are checked when they are made. Raises SettingError, which names the field."""

    def __post_init__(self) -> None:
        for one in fields(self):
            if about := one.metadata.get("setting"):
                value = getattr(self, one.name)
                if value is not one.default:
                    object.__setattr__(self, one.name, checked(one.name, about.kind, value, several=about.several))

    @classmethod
    def fields(cls) -> dict[str, Field[Any]]:
        """The settings by name: those of the class itself first, then those of its bases."""
        known = {one.name: one for one in fields(cls) if "setting" in one.metadata}
        order = [name for base in cls.__mro__ for name in vars(base).get("__annotations__", {}) if name in known]
        return {name: known[name] for name in dict.fromkeys(order)}

    @classmethod
    def complete(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """What a caller gives, and what follows of it."""
        return dict(given)

    @classmethod
    def about(cls, name: str) -> About:
        """What the field of that name says of itself."""
        found: About = cls.fields()[name].metadata["setting"]
        return found


def checked(name: str, kind: Kind, value: Any, *, several: bool = False) -> Any:
    """The value of a setting, or of an argument of a function, as its kind keeps it. Raises SettingError."""
    try:
        return tuple(map(kind.check, kind.items(value))) if several else kind.check(value)
    except ValueError as error:
        if type(error) is not ValueError:  # of a plug-in whose names are asked for, say
            raise
        raise SettingError(name, str(error), "give another value") from None


def make(of: type[S], given: Mapping[str, Any], what: str) -> S:
    """The settings of a call of the function ``what``. Raises SettingError, also for a name that it does not have."""
    known = of.fields()
    for name in given:
        if name not in known:
            close = get_close_matches(name, known)
            hint = f"did you mean {' or '.join(close)}?" if close else f"use one of {', '.join(sorted(known))}"
            raise SettingError(name, f"{what} has no such setting", hint)
    return of(**of.complete(given))


def refuse_both(settings: Settings, *names: str) -> None:
    """Raise SettingError where more than one of these settings is given."""
    given = [name for name in names if getattr(settings, name) not in (None, (), False)]
    if len(given) > 1:
        raise SettingError(given[1], f"does not go with {given[0]}", "leave one of them out")
