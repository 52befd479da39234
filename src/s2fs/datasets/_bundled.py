"""The one dataset that comes with the package."""

from importlib.resources import as_file, files

from s2fs.io import Dataset, read_table


def load_srbct() -> Dataset:
    """Load the SRBCT tumours: 83 samples, 2308 genes, 4 classes.

    Small round blue cell tumours of childhood, from Khan et al., Nature Medicine 7:673–679
    (2001), on a log scale, as found in the PyPI package ISLP 0.6.0. The classes are BL (Burkitt
    lymphoma), EWS (Ewing sarcoma), NB (neuroblastoma) and RMS (rhabdomyosarcoma). A gene has its
    symbol of that time or the number of its IMAGE clone. The last 20 samples, ``TEST.1`` to
    ``TEST.25``, are the blind test of the study: a second cohort.

    Returns
    -------
    Dataset
        Named tuple ``(X, y, feature_names, class_names)``, with ``sample_ids``.

    Notes
    -----
    The values are logarithms. The dataset "srbct" of the bench holds the raw values of the same
    samples and genes, so selections and accuracies of the two differ.

    Examples
    --------
    >>> from s2fs.datasets import load_srbct
    >>> data = load_srbct()
    >>> data.X.shape, data.class_names
    ((83, 2308), ['BL', 'EWS', 'NB', 'RMS'])
    >>> data.feature_names[1954], data.sample_ids[63]
    ('FGFR4', 'TEST.1')
    """
    with as_file(files(__package__) / "data" / "srbct.npz") as path:
        return read_table(path)
