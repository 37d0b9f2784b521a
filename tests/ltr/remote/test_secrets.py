"""What may hold a password is not said."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.web import settings

from ltr.errors import InputError
from ltr.remote.client import Client, checked_address


@pytest.mark.parametrize(
    "address",
    ["ftp://me:hidden@example.org", "https://me:hidden@example.org:x", "me:hidden@example.org", "a?key=hidden"],
)
def test_what_an_address_hides_is_not_said(address: str) -> None:
    with pytest.raises(InputError, match="what is given is not the address of a server") as caught:
        checked_address("source", address, secure=False)
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize("proxy", ["foo://me:hidden@example.org", "socks9://me:hidden@example.org"])
def test_a_proxy_that_is_none_is_one_line(proxy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    with pytest.raises(InputError, match="the proxy that the environment names cannot be used; correct or") as caught:
        Client("source", "https://example.org", settings(tmp_path))
    assert "hidden" not in str(caught.value)
