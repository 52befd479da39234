"""What every reader and loader gives back."""

from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from s2fs._utils.named import with_names
from s2fs.io._remarks import Remark


class _Arrays(NamedTuple):
    X: Any
    y: NDArray[np.intp]
    feature_names: list[str]
    class_names: list[str]


class Dataset(_Arrays):
    """Samples, their classes, and the names of both.

    The first four unpack as a tuple. ``_replace`` makes a copy with other values.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        Finite float64 numbers, and NaN if ``impute="keep"`` was asked for. From an ``.h5ad`` file
        the matrix comes as it is stored there: float32 if it is, and a SciPy ``csc_array`` if it is
        sparse.
    y : ndarray of shape (n_samples,)
        For each sample the position of its class in ``class_names``.
    feature_names : list of str
        One name for each column of ``X``.
    class_names : list of str
        One name for each class.
    sample_ids : list of str or None
        What the file calls the samples.
    groups : ndarray of shape (n_samples,) or None
        Which samples belong together, such as those of one patient: a label for each.
    covariates : dict of str to ndarray of shape (n_samples,) or None
        What the selection is to be adjusted for, by the name of its column: numbers as float64,
        anything else as text.
    feature_groups : list of lists of int or None
        Columns of ``X`` that are one feature: those one column of text was turned into.
    levels : dict of str to list of str or None
        The words of each column of text that was turned into columns of 0 and 1, one for each
        word; of two words without gaps the second has one.
    imputer : transformer or None
        What has filled in missing values in ``X``, not fitted, to be fitted again on the training
        rows of ``incomplete`` wherever a result on held-out samples is reported.
    incomplete : ndarray or None
        With an imputer: ``X`` before it was filled in, NaN where a value is missing.
    remarks : tuple of Remark
        What the reader has decided, each with a ``kind``, a sentence ``text`` and the ``columns``
        that are no features because of it.
    image_shape : tuple of int or None
        If each sample is a picture, its height and width.
    image_order : {"C", "F"} or None
        How its pixels are laid out: ``X[i].reshape(image_shape, order=image_order)`` is upright.
    """

    def __new__(
        cls,
        X: Any,
        y: NDArray[np.intp],
        feature_names: list[str],
        class_names: list[str],
        **_: Any,
    ) -> Self:
        """Only these four are items: ``X, y, feature_names, class_names = data``."""
        return super().__new__(cls, X, y, feature_names, class_names)

    def __init__(
        self,
        X: Any,
        y: NDArray[np.intp],
        feature_names: list[str],
        class_names: list[str],
        *,
        sample_ids: list[str] | None = None,
        groups: NDArray[np.str_] | None = None,
        covariates: dict[str, NDArray[Any]] | None = None,
        feature_groups: list[list[int]] | None = None,
        levels: dict[str, list[str]] | None = None,
        imputer: Any = None,
        incomplete: Any = None,
        remarks: tuple[Remark, ...] = (),
        image_shape: tuple[int, int] | None = None,
        image_order: Literal["C", "F"] | None = None,
    ) -> None:
        self.sample_ids = sample_ids
        self.groups = groups
        self.covariates = covariates
        self.feature_groups = feature_groups
        self.levels = levels
        self.imputer = imputer
        self.incomplete = incomplete
        self.remarks = remarks
        self.image_shape = image_shape
        self.image_order = image_order

    @property
    def level_of(self) -> dict[int, tuple[str, str]]:
        """For each column of 0 and 1 the column of text it comes from, and its word."""
        words_of = (self.levels or {}).items()
        made = {f"{name}={word}": (name, word) for name, words in words_of for word in words}
        names = enumerate(self.feature_names if made else ())
        return {f: made[name] for f, name in names if name in made}

    @property
    def columns(self) -> list[str]:
        """For each column of ``X`` the column of the file that it comes from."""
        level_of = self.level_of
        return [level_of.get(f, (name,))[0] for f, name in enumerate(self.feature_names)]

    def named_X(self) -> Any:  # noqa: N802
        """Return ``X`` with the names of its columns, so that messages of a selector use them.

        Returns
        -------
        ndarray or sparse array of shape (n_samples, n_features)
            The numbers of ``X``, which are not copied; selectors of this package take
            ``feature_names`` from it as they do from a data frame.
        """
        return with_names(self.X, self.feature_names)

    @property
    def repeated_subjects(self) -> list[str]:
        """Sentences on columns that repeat, as those of patients do, if no group was given."""
        if self.groups is not None:
            return []
        texts = [remark.text for remark in self.remarks if remark.kind == "groups"]
        return [f"{text.partition(';')[0]}: samples may belong together." for text in texts]

    def for_folds(self) -> tuple[Any, Any]:
        """Return what goes into folds: the table, and what fills in its missing values there.

        Returns
        -------
        X : ndarray or csc_array
            ``X``, or with an imputer ``incomplete``.
        imputer : transformer or None
            To be fitted on the training samples of each fold, as the ``imputer`` of
            :func:`s2fs.compare` is.
        """
        X = self.X if self.imputer is None else self.incomplete
        return with_names(X, self.feature_names), self.imputer

    def _replace(self, /, **changes: Any) -> Self:
        """The same with other values of some arguments of the constructor."""
        return type(self)(**{**self._asdict(), **vars(self), **changes})
