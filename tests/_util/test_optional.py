"""Packages of extras: there, or named in one sentence."""

import sys

import pytest

from s2fs._util.optional import need


def test_a_module_that_is_there():
    assert need("json.decoder", extra="none") is sys.modules["json.decoder"]


@pytest.mark.parametrize("module", ["not_installed", "not_installed.part"])
def test_a_package_that_is_not(module):
    with pytest.raises(ImportError) as raised:
        need(module, extra="report", purpose="A report")
    assert str(raised.value) == "A report needs not_installed: pip install 's2fs[report]'."


def test_a_package_that_is_blocked_is_not_found_by_a_loaded_part(monkeypatch):
    import json.decoder  # noqa: F401

    monkeypatch.setitem(sys.modules, "json", None)
    with pytest.raises(ImportError, match="This needs json"):
        need("json.decoder", extra="report")
