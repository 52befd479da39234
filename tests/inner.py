"""The inner parts of the package that some tests are about, in one place.

Tests of what the package does call public names. A few compare parts that nobody outside sees: a
native loop with its NumPy form, a state with the definition, a shard with the whole. They import
these parts from here, so where a file of the package moves, this is the file to edit.
``test_architecture.py`` says who may.
"""

from importlib import import_module

# Nothing is loaded before it is asked for, since some of it needs packages of an extra.

#: Modules, by what tests call them.
MODULES = {
    "core_neighbours": "s2fs._core.neighbours",
    "problem": "s2fs._core.problem",
    "library": "s2fs._engine.library",
    "native_pairs": "s2fs._engine.native_pairs",
    "engine_neighbours": "s2fs._engine.neighbours",
    "plain_loops": "s2fs.baselines._plain_loops",
    "bench_forest": "s2fs.bench._forest",
    "svm_parts": "s2fs.bench._svm",
    "cluster": "s2fs.distributed._cluster",
    "reading": "s2fs.distributed._read",
    "rows": "s2fs.distributed._rows",
    "shard": "s2fs.distributed._shard",
}
#: Classes and functions, and the module of each.
PARTS = {
    "correlations": "s2fs._core.correlation",
    "Problem": "s2fs._core.problem",
    "NativeState": "s2fs._engine.native",
    "readable": "s2fs._engine.native",
    "NativeCorrelations": "s2fs._engine.native_pairs",
    "NativeCover": "s2fs._engine.native_pairs",
    "cover_of": "s2fs._engine.native_pairs",
    "moments_of": "s2fs._engine.native_pairs",
    "Correlations": "s2fs._engine.pairs",
    "Cover": "s2fs._engine.pairs",
    "checked": "s2fs._engine.pairs",
    "table_moments": "s2fs._engine.pairs",
    "SubsetState": "s2fs._engine.reference",
    "Separability": "s2fs._engine.separability",
    "separability_of": "s2fs._engine.separability",
    "OverallCorrelations": "s2fs._engine.twins",
    "Choices": "s2fs._search.choices",
    "forward": "s2fs._search.forward",
    "beam": "s2fs._search.subsets",
    "floating": "s2fs._search.subsets",
    "Subset": "s2fs.baselines._completion",
    "complete": "s2fs.baselines._completion",
    "Relation": "s2fs.baselines._relations",
    "different_class_pairs": "s2fs.baselines._relations",
    "initial_rows": "s2fs.bench._learners",
    "Question": "s2fs.distributed._exchange",
    "as_sent": "s2fs.distributed._exchange",
    "chunk_found": "s2fs.distributed._pairs",
    "together": "s2fs.distributed._pairs",
    "ClusterProblem": "s2fs.distributed._problem",
    "DistributedState": "s2fs.distributed._state",
    "ClusterOverallCorrelations": "s2fs.distributed._twins",
}


def __getattr__(name):
    if name in MODULES:
        return import_module(MODULES[name])
    if name in PARTS:
        return getattr(import_module(PARTS[name]), name)
    raise AttributeError(f"inner.py has no {name!r}; say there where it is.")
