"""Forward searches of S²FS for many pairs of weights, in lockstep."""

from collections.abc import Iterator

import numpy as np

from s2fs._core.criterion import Components
from s2fs._engine.protocol import Scored, State, Weights
from s2fs._search.choices import Choices
from s2fs._search.forward import Step, best, eligible


def forward_grid(
    state: State, k: int, weights: list[Weights], choices: Choices
) -> Iterator[dict[int, Step]]:
    """Run the forward search for many pairs (alpha, beta), without groups of features.

    The components of a set do not depend on the weights, nor on the order in which the set was
    filled, so the pairs that stand at the same set share its state and its evaluation. What may
    not be added to a set is that of the set, too. A row of steps has those of the pairs that found
    something to add, by their positions.
    """
    varying = state.problem.varying
    seps = [0.0] * len(weights)
    at_set = {frozenset[int](): (state, list(range(len(weights))))}
    for row in range(k):
        steps: dict[int, Step] = {}
        grown: dict[frozenset[int], tuple[State, list[int]]] = {}
        for chosen, (shared, pairs) in at_set.items():
            if row < len(choices.included):
                candidates = np.array(choices.included[row : row + 1])
            elif left := choices.minus([(feature,) for feature in chosen]):
                candidates = eligible(varying, left).singles
            else:
                continue
            shortlists = shared.shortlists(candidates, [weights[pair] for pair in pairs])
            contenders = np.unique(np.concatenate(shortlists))
            parts = np.array(shared.score(contenders))  # once for all pairs
            for pair, shortlist in zip(pairs, shortlists, strict=True):
                own = parts[:, np.searchsorted(contenders, shortlist)]
                scored = Scored(Components(*own).separability(*weights[pair]), own)
                steps[pair] = best(shortlist, scored, seps[pair])
                seps[pair] = steps[pair].score
            for feature in dict.fromkeys(steps[pair].feature for pair in pairs):
                followers = [pair for pair in pairs if steps[pair].feature == feature]
                joined = chosen | {feature}
                if joined in grown:
                    grown[joined][1].extend(followers)
                else:
                    twin = shared.copy()
                    twin.add(feature)
                    grown[joined] = twin, followers
        at_set = grown
        yield steps
