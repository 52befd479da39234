"""What is sent can be read again: in full, but for digits of bounds, which only get smaller."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from inner import Question, as_sent


@given(st.data())
def test_questions_and_answers_survive_the_journey(data):
    m = data.draw(st.integers(1, 40))
    kinds = data.draw(st.sets(st.sampled_from(["least", "single", "double"])))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    asked = {kind: rng.choice(m, rng.integers(0, m + 1), replace=False) for kind in kinds}
    question = Question.about(m, asked)
    found = question.candidates()
    for kind in ("least", "single", "double"):
        np.testing.assert_array_equal(found[kind], np.sort(asked.get(kind, [])))
    shares = {
        kind: rng.uniform(size=(2 if kind == "least" else 3, len(those)))
        * 10.0 ** rng.integers(-9, 9)
        for kind, those in found.items()
    }
    shares["least"][1] = rng.uniform(size=len(found["least"])) * 2 * 10.0 ** -rng.integers(0, 9)
    sent = as_sent(shares)
    sizes = {kind: len(those) for kind, those in found.items()}
    n_bytes = sum(np.asarray(array).nbytes for array in sent.values())
    assert n_bytes == 6 * sizes["least"] + 8 * sizes["single"] + 16 * sizes["double"] + 4
    got = question.read(sent)
    np.testing.assert_array_equal(got["double"][:2], shares["double"][:2])
    assert not got["double"][2].any()
    np.testing.assert_allclose(got["single"][:2], shares["single"][:2], rtol=2.0**-24)
    if sizes["single"]:
        np.testing.assert_allclose(got["single"][2], shares["single"][2].max(), rtol=2.0**-24)
    assert (got["least"] <= shares["least"]).all()
    np.testing.assert_allclose(got["least"][0], shares["least"][0], rtol=2.0**-21)
    np.testing.assert_allclose(got["least"][1], shares["least"][1], rtol=2.0**-9, atol=2.0**-23)
