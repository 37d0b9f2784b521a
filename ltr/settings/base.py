"""Frozen dataclasses of settings: each field has its kind and its help, and is checked when the object is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from typing import Any, TypeVar

from ltr.errors import SettingError
from ltr.settings.kinds import Kind

S = TypeVar("S", bound="Settings")


@dataclass(frozen=True)
class Setting:
    """A field of a `Settings` class. Several classes may share one, and `dataclasses.replace` makes another of it."""

    kind: Kind
    """What values it may have."""
    help: str = ""
    """What ``--help`` says; the default is added."""
    flags: tuple[str, ...] = ()
    """Names of the option, where they are not the field's own with ``--`` before it."""
    default: Any = None
    """Its value where none is given; a function makes one; ``...``: it has to be given."""
    several: bool = False
    """Whether it may repeat: the field is a tuple."""
    positional: bool = False
    """Whether a command line has it without a flag."""
    once: bool = False
    """Whether a command line may not name it twice; of others the last word counts."""
    bare: str | None = None
    """The word that an option without a word stands for."""
    words: str | None = None
    """"+": several words may follow an option that may repeat."""

    @property
    def usual(self) -> Any:
        """The value where none is given."""
        return self.default() if callable(self.default) else self.default


def setting(kind: Kind, help: str = "", *flags: str, default: Any = None, **more: Any) -> Any:
    """A `Setting`, whose other fields are named; one that may repeat is empty where none is given."""
    return Setting(kind, help, flags, () if default is None and more.get("several") else default, **more)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings that are checked when they are made. Raises SettingError, which names the field."""

    def __init_subclass__(cls) -> None:
        for name, one in [*vars(cls).items()]:
            if isinstance(one, Setting):
                value = {} if one.default is ... else {"default": one.default}
                value = {"default_factory": one.default} if callable(one.default) else value
                setattr(cls, name, field(**value, metadata={"setting": one}))

    def __post_init__(self) -> None:
        for name, one in self.fields().items():
            value = getattr(self, name)
            if value is not one.default:
                object.__setattr__(self, name, checked(name, one.kind, value, several=one.several))

    @classmethod
    def fields(cls) -> dict[str, Setting]:
        """The settings by name: those of the class itself first, then those of its bases."""
        known = {one.name: one.metadata["setting"] for one in fields(cls) if "setting" in one.metadata}
        order = [name for base in cls.__mro__ for name in vars(base).get("__annotations__", {}) if name in known]
        return {name: known[name] for name in order}

    @classmethod
    def complete(cls, given: Mapping[str, Any]) -> dict[str, Any]:
        """What a caller gives, and what follows of it."""
        return dict(given)


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
