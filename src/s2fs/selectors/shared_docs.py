"""Parameters and attributes that several selectors have, described once."""

#: What stands in a docstring for ``{name}`` on a line of its own.
SHARED_DOCS = {
    "n_features_to_select": """\
n_features_to_select : int, float, "all" or "auto", default=10
    How many features to select: a number (all if there are fewer), a fraction of the features in
    (0, 1], "all", or "auto": as many as do better than permuted features, which may be none; see
    ``level``.""",
    "level, tol": """\
level, tol : float, default=0.1 and 0.005
    For ``n_features_to_select="auto"``. The search ends at the first feature whose p-value is above
    ``level``: the fraction of row permutations whose best feature reaches (1 − tol) × the observed
    criterion. If no feature has to do with the classes, any is selected with at most this
    probability. Lower ``level`` or larger ``tol`` select fewer.""",
    "include, exclude": """\
include, exclude : list of str or int, default=None
    Features that are in from the start, in this order, and features that are never selected; by
    column name or position. Included features count towards ``n_features_to_select``.""",
    "feature_groups": """\
feature_groups : list of lists, or a label per column, default=None
    Columns that are one feature, such as the levels of a category: they are scored and selected
    together, and count as one. By column name or position; or for each column the label of its
    group, None for none. Including a column includes its group, an excluded one leaves it.""",
    "max_correlation": """\
max_correlation : float, default=None
    Features whose correlation |r| with a selected one is above this, from 0 to 1, are left out, so
    no two selected features repeat each other; those of ``include`` and of one group may. If
    nothing else is left, fewer are selected, with a warning. ``None`` allows any.""",
    "min_per_class": """\
min_per_class : int, default=None
    Each class is served by at least so many selected features. A feature serves the class that it
    tells best from all others together: the one whose mean is farthest from the mean of the other
    class means, above or below; of two classes the one in which it is higher; of several columns
    the one in which that is farthest. Features are selected
    freely until all that are still wanted have to serve a class that lacks some. ``None`` asks for
    nothing.""",
    "centroid_membership": """\
centroid_membership : {"published", "normalized"}, default="published"
    The variant of the paper's Eq. 20, see :func:`s2fs.components`.""",
    "compactness": """\
compactness : {"mean", "rms"}, default="mean"
    Whether theta_dis is the mean of the distances of the samples from their centroids, as
    published, or their root mean square, in which far samples count more.""",
    "n_jobs": """\
n_jobs : int, default=None
    Number of threads; ``None`` is one, -1 is all cores. The result does not depend on it.""",
    "indices_": """\
indices_ : ndarray of shape (n_selected,)
    The selected columns in order of selection.""",
    "fitted": """\
ranking_ : ndarray of shape (n_features_in_,)
    Per column the rank of its feature, 1 for the first selected; those that were not selected
    share the next rank.
support_ : ndarray of shape (n_features_in_,)
    Mask of the selected columns.
feature_names_ : ndarray of shape (n_selected,)
    The names of the selected columns in order of selection.
classes_ : ndarray of shape (n_classes,)
    The class labels, sorted.
served_classes_ : ndarray of shape (n_selected,)
    With ``min_per_class`` the position in ``classes_`` of the class each selected feature serves,
    -1 for a feature that is constant.
n_features_in_, feature_names_in_ : int, ndarray of shape (n_features_in_,)
    Number of features seen during ``fit``, and their names if ``X`` has string column names.""",
}
