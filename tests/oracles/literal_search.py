"""A greedy search and the rules for what follows its stop, in words and without any machinery."""


class Table(dict):
    """The values of a set function, each computed when it is first asked for.

    They are rounded, so that what differs by the order of a sum only is a tie.
    """

    def __init__(self, function):
        super().__init__()
        self.function = function

    def __missing__(self, features):
        value = self[features] = round(float(self.function(sorted(features))), 9)
        return value

    def alone(self, n_features):
        """The value of every feature by itself."""
        return [self[frozenset({f})] for f in range(n_features)]


def greedy(table, importance, k, rule, delta, target, empty):
    """Indices, scores and peak of a search for the largest value of a table of sets."""
    m = len(importance)
    by_importance = sorted(range(m), key=lambda f: (-importance[f], f))
    ranking, scores, peak = [], [], None
    group, value = [], empty
    while len(ranking) < k:
        rest = [f for f in by_importance if f not in ranking]
        after = {f: table[frozenset(group) | {f}] for f in rest}
        best = max(after.values())
        pick = min((f for f in rest if after[f] == best), key=lambda f: (-importance[f], f))
        stop = best <= value or best - value <= delta or value >= target
        if stop and peak is None:
            peak = len(ranking)
        if stop and rule == "restart" and group:
            group, value = [], empty
            continue
        if stop and rule == "index":
            ranking += sorted(rest)
            scores += [importance[f] for f in sorted(rest)]
            break
        if (stop and rule == "restart") or (best <= value and rule == "importance"):
            ranking += rest
            scores += [importance[f] for f in rest]
            break
        ranking.append(pick)
        scores.append(best)
        group.append(pick)
        value = best
    return ranking[:k], scores[:k], len(ranking) if peak is None else min(peak, k)
