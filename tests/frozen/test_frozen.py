"""No answer changes unless it is meant to: ``answers.py`` says how the frozen ones are renewed."""

import math

import answers
import pytest

CASES = {(kind, name): case for kind, cases in answers.KINDS.items() for name, case in cases()}
FROZEN = {kind: answers.read(kind) for kind in answers.KINDS}


def differences(found, frozen, where=""):
    """Where two answers differ, each with what was found and what was frozen."""
    if isinstance(found, dict) and isinstance(frozen, dict):
        for key in [*frozen, *(key for key in found if key not in frozen)]:
            yield from differences(found.get(key), frozen.get(key), f"{where}/{key}")
    elif isinstance(found, list) and isinstance(frozen, list) and len(found) == len(frozen):
        for i, (one, other) in enumerate(zip(found, frozen, strict=True)):
            yield from differences(one, other, f"{where}/{i}")
    elif not is_same(found, frozen):
        yield f"{where}: {found!r}, was {frozen!r}"


def is_same(found, frozen):
    if isinstance(found, float) or isinstance(frozen, float):
        numbers = isinstance(found, float | int) and isinstance(frozen, float | int)
        return numbers and math.isclose(found, frozen, rel_tol=1e-8, abs_tol=1e-12)
    return found == frozen and type(found) is type(frozen)


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_an_answer_is_the_frozen_one(kind, name):
    try:
        found = answers.compute(CASES[kind, name])
    except answers.Absent as reason:
        pytest.skip(str(reason))
    assert list(differences(found, FROZEN[kind][name]))[:10] == []


@pytest.mark.parametrize("kind", answers.KINDS)
def test_every_frozen_answer_has_a_case(kind):
    assert set(FROZEN[kind]) == {name for of, name in CASES if of == kind}


def test_a_changed_answer_is_noticed():
    frozen = {"features": [3, 1], "scores": [0.5, None], "note": "a"}
    assert list(differences(frozen, frozen)) == []
    for changed in (
        {"features": [1, 3]}, {"scores": [0.5 + 1e-7, None]}, {"note": "b"}, {"features": [3]},
        {"scores": [0.5, 0.5]}, {"more": 1},
    ):  # fmt: skip
        assert list(differences(frozen | changed, frozen))
