"""Forward searches of S²FS for many weightings, in lockstep."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from s2fs._native.subset import NativeState
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.protocol import Scored, State, Weights
from s2fs.criteria.separability import Components
from s2fs.search.constraints import Constraints
from s2fs.search.forward import Step, best_step, eligible, gain_over


@dataclass
class _Subset:
    """A subset that some weightings have selected.

    Attributes
    ----------
    state : State
        What is known of it.
    left : Constraints
        What may be added to it.
    members : list of int
        The positions of the weightings.
    """

    state: State
    left: Constraints
    members: list[int]


def forward_grid(
    state: State, k: int, weightings: list[Weights], constraints: Constraints
) -> Iterator[dict[int, Step]]:
    """Run the forward search for many weightings (alpha, beta), without groups of features.

    The components of a subset do not depend on the weighting, nor on the order in which it was
    filled, so weightings that have selected the same subset share its state and its evaluation, and
    do so again after they went apart. So do the constraints on what may be added to it. Each yield
    has the steps of the weightings that found something to add, by their positions.
    """
    is_varying = state.problem.varying
    scores = [0.0] * len(weightings)
    everyone = list(range(len(weightings)))
    subsets = {frozenset[int](): _Subset(state, constraints, everyone)}
    for n_selected in range(k):
        steps: dict[int, Step] = {}
        grown: dict[frozenset[int], _Subset] = {}
        is_start = n_selected < len(constraints.included)
        for selected, subset in subsets.items():
            if is_start:
                candidates = np.array(constraints.included[n_selected])
            elif left := subset.left.that_fit(k - n_selected):
                candidates = eligible(is_varying, left).singles
            else:
                continue
            best = _find_best(subset.state, candidates, [weightings[w] for w in subset.members])
            followers: dict[int, list[int]] = {}
            for w, (feature, score, parts) in zip(subset.members, best, strict=True):
                steps[w] = Step(feature, score, gain_over(score, scores[w]), parts)
                scores[w] = score
                followers.setdefault(feature, []).append(w)
            last = next(reversed(followers))
            for feature, members in followers.items():
                joined = selected | {feature}
                if joined in grown:
                    grown[joined].members.extend(members)
                else:
                    own_state = subset.state if feature == last else subset.state.copy()
                    own_state.add(feature)
                    # The constraints know already what they start with.
                    left = subset.left if is_start else subset.left.after_adding([(feature,)])
                    grown[joined] = _Subset(own_state, left, members)
        subsets = grown
        yield steps


def _find_best(
    state: State, candidates: Indices, weightings: list[Weights]
) -> Sequence[tuple[int, float, Floats | tuple[float, ...]]]:
    """For each weighting the best candidate, its score and the components of that."""
    if isinstance(state, NativeState):
        return state.best_of_each(candidates, weightings)
    shortlists = state.shortlists(candidates, weightings)
    contenders = np.unique(np.concatenate(shortlists))
    parts = np.array(state.score(contenders))  # once for all weightings
    best = []
    for weighting, shortlist in zip(weightings, shortlists, strict=True):
        own_parts = parts[:, np.searchsorted(contenders, shortlist)]
        scored = Scored(Components(*own_parts).separability(*weighting), own_parts)
        step = best_step(shortlist, scored, 0.0)
        best.append((step.feature, step.score, np.asarray(step.parts)))
    return best
