"""Forward searches of S²FS for many weightings, in lockstep."""

from collections.abc import Iterator, Sequence

import numpy as np

from s2fs._native.separability import separability_of
from s2fs._native.subset import NativeState
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.protocol import BatchForward, Scored, State, Weights
from s2fs.criteria.separability import Components
from s2fs.search.constraints import Constraints
from s2fs.search.forward import Step, best_step, eligible, gain_over


def forward_grid(
    state: State, k: int, weightings: list[Weights], constraints: Constraints
) -> Iterator[dict[int, Step]]:
    """Run the forward search for many weightings (alpha, beta), without groups of features.

    The components of a subset do not depend on the weighting, nor on the order in which it was
    filled, so weightings that have selected the same subset share its state and its evaluation. So
    do the constraints on what may be added to it. A weighting that shares its subset with no other
    one goes on by itself, which is faster. Each yield has the steps of the weightings that found
    something to add, by their positions.
    """
    is_varying = state.problem.varying
    scores = [0.0] * len(weightings)
    subsets = {frozenset[int](): (state, list(range(len(weightings))))}
    alone: dict[int, Iterator[Step]] = {}
    for n_selected in range(k):
        steps: dict[int, Step] = {w: next(own_steps) for w, own_steps in alone.items()}
        grown: dict[frozenset[int], tuple[State, list[int]]] = {}
        for selected, (shared, members) in subsets.items():
            if n_selected < len(constraints.included):
                candidates = np.array(constraints.included[n_selected : n_selected + 1])
            elif left := constraints.after_adding([(feature,) for feature in selected]):
                candidates = eligible(is_varying, left).singles
            else:
                continue
            is_free = n_selected >= len(constraints.included) and constraints.only_limits_candidates
            if len(members) == 1 and is_free and len(candidates) >= k - n_selected:
                w = members[0]
                criterion = separability_of(shared, *weightings[w])
                if isinstance(criterion, BatchForward):
                    alone[w] = _run_alone(criterion, candidates, k - n_selected, scores[w])
                    steps[w] = next(alone[w])
                    continue
            found = _find_best(shared, candidates, [weightings[w] for w in members])
            followers: dict[int, list[int]] = {}
            for w, (feature, score, parts) in zip(members, found, strict=True):
                steps[w] = Step(feature, score, gain_over(score, scores[w]), parts)
                scores[w] = score
                followers.setdefault(feature, []).append(w)
            last = next(reversed(followers))
            for feature, group in followers.items():
                joined = selected | {feature}
                if joined in grown:
                    grown[joined][1].extend(group)
                else:
                    own_state = shared if feature == last else shared.copy()
                    own_state.add(feature)
                    grown[joined] = own_state, group
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


def _run_alone(
    criterion: BatchForward, candidates: Indices, n_steps: int, score: float
) -> Iterator[Step]:
    """The steps of a search that shares its subsets with no other one."""
    for feature, new_score, parts in criterion.run(candidates, n_steps):
        yield Step(feature, new_score, gain_over(new_score, score), parts)
        score = new_score
