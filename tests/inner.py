"""The inner parts of the package that some tests are about, in one place.

Tests of what the package does call public names. A few compare parts that nobody outside sees: a
native loop with its NumPy form, a state with the definition, a shard with the whole. They import
these parts from here, so where a file of the package moves, this is the file to edit.
``test_architecture.py`` says who may.
"""

from importlib import import_module

#: Where each name is; a module has its own place. Nothing is loaded before it is asked for, since
#: some of it needs packages of an extra.
PLACES = {
    "Choices": "s2fs._search.choices",
    "ClusterOverallCorrelations": "s2fs.distributed._twins",
    "ClusterProblem": "s2fs.distributed._problem",
    "Correlations": "s2fs._engine.pairs",
    "Cover": "s2fs._engine.pairs",
    "DistributedState": "s2fs.distributed._state",
    "NativeCorrelations": "s2fs._engine.native_pairs",
    "NativeCover": "s2fs._engine.native_pairs",
    "NativeState": "s2fs._engine.native",
    "OverallCorrelations": "s2fs._engine.twins",
    "Problem": "s2fs._core.problem",
    "Question": "s2fs.distributed._exchange",
    "Relation": "s2fs.baselines._relations",
    "Separability": "s2fs._engine.separability",
    "Subset": "s2fs.baselines._completion",
    "SubsetState": "s2fs._engine.reference",
    "as_sent": "s2fs.distributed._exchange",
    "beam": "s2fs._search.subsets",
    "bench_forest": "s2fs.bench._forest",
    "checked": "s2fs._engine.pairs",
    "chunk_found": "s2fs.distributed._pairs",
    "cluster": "s2fs.distributed._cluster",
    "complete": "s2fs.baselines._completion",
    "core_neighbours": "s2fs._core.neighbours",
    "cover_of": "s2fs._engine.native_pairs",
    "different_class_pairs": "s2fs.baselines._relations",
    "engine_neighbours": "s2fs._engine.neighbours",
    "floating": "s2fs._search.subsets",
    "forward": "s2fs._search.forward",
    "initial_rows": "s2fs.bench._learners",
    "library": "s2fs._engine.library",
    "moments": "s2fs._core.pairs",
    "moments_of": "s2fs._engine.native_pairs",
    "native_pairs": "s2fs._engine.native_pairs",
    "pair_cover": "s2fs._core.pairs",
    "pair_gaps": "s2fs._core.pairs",
    "plain_loops": "s2fs.baselines._plain_loops",
    "problem": "s2fs._core.problem",
    "reading": "s2fs.distributed._read",
    "rows": "s2fs.distributed._rows",
    "separability_of": "s2fs._engine.separability",
    "shard": "s2fs.distributed._shard",
    "svm_parts": "s2fs.bench._svm",
    "table_moments": "s2fs._engine.pairs",
    "together": "s2fs.distributed._pairs",
}


def __getattr__(name):
    if name not in PLACES:
        raise AttributeError(name)
    module = import_module(PLACES[name])
    return getattr(module, name, module)
