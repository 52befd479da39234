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
    "arguments": "s2fs._utils.arguments",
    "cli_methods": "s2fs.cli.methods",
    "problem": "s2fs.criteria.problem",
    "library": "s2fs._native.library",
    "border": "s2fs._native.border",
    "native_correlations": "s2fs._native.correlations",
    "native_moments": "s2fs._native.class_moments",
    "native_pair_cover": "s2fs._native.pair_cover",
    "native_table": "s2fs._native.table",
    "native_plain_numbers": "s2fs._native.plain_numbers",
    "native_subset": "s2fs._native.subset",
    "native_class_sums": "s2fs._native.class_sums",
    "numpy_moments": "s2fs.criteria.class_moments",
    "cluster": "s2fs.dask.cluster",
    "connection": "s2fs.dask.connection",
    "chunks": "s2fs.dask.chunks",
    "shard": "s2fs.dask.shard",
    "samples": "s2fs.dask.samples",
    "cluster_problem": "s2fs.dask.problem",
    "lazy_moments": "s2fs.lazy.moments",
    "summary": "s2fs.criteria.summary",
}
#: Classes and functions, and the module of each.
PARTS = {
    "ProgressLines": "s2fs._utils.progress",
    "Select": "s2fs.cli._select",
    "TrainingRows": "s2fs._utils.training_rows",
    "correlations": "s2fs.criteria.correlation",
    "find_decisive_samples": "s2fs._utils.checks",
    "Problem": "s2fs.criteria.problem",
    "NativeState": "s2fs._native.subset",
    "LEVELS": "s2fs._native.subset",
    "NativePairCover": "s2fs._native.pair_cover",
    "make_pair_cover": "s2fs._native.pair_cover",
    "WithinClassCorrelations": "s2fs._native.correlations",
    "PairCoverCriterion": "s2fs.criteria.pair_cover",
    "SubsetState": "s2fs._native.reference",
    "Separability": "s2fs._native.separability",
    "separability_of": "s2fs._native.separability",
    "OverallCorrelations": "s2fs._native.correlations",
    "are_made_by_one_row": "s2fs._native.correlated_features",
    "Constraints": "s2fs.search.constraints",
    "forward": "s2fs.search.forward",
    "best_group_by_trial": "s2fs.criteria.protocol",
    "find_paths": "s2fs.selectors.paths",
    "Cluster": "s2fs.dask.cluster",
    "ClusterSamples": "s2fs.dask.samples",
    "Summary": "s2fs.criteria.summary",
    "merge_summaries": "s2fs.criteria.summary",
    "ClusterProblem": "s2fs.dask.problem",
    "ClusterState": "s2fs.dask.separability",
    "ClusterCorrelations": "s2fs.dask.correlations",
    "ClusterCopies": "s2fs.dask.correlations",
}


def __getattr__(name):
    if name in MODULES:
        return import_module(MODULES[name])
    if name in PARTS:
        return getattr(import_module(PARTS[name]), name)
    raise AttributeError(f"inner.py has no {name!r}; say there where it is.")
