"""Ridge logistic regression by Newton's method: the model behind every verdict and every panel.

Minimised is Σ s_i loss_i + ‖W‖² / (2 C) over coefficients W and intercepts, which are not
penalised; with two classes W is one vector, with more there is one for each class. That is
scikit-learn's ``LogisticRegression(C=C)``, on features standardised by the mean and the standard
deviation (divided by n) of the training samples.

With T the contrasts between classes (two classes: 0 and 1; more: orthonormal columns that sum to 0)
the scores of the classes are U Tᵀ with U = Z V, so W = V Tᵀ has the norm of V, and nothing is left
open. Z has a first column of ones, V (features × contrasts) the intercepts in its first row. Each
step solves H δ = −g, with

    g = V − Zᵀ S (Y − P) T,      H[(f, a), (g, b)] = Σ_i s_i z_if z_ig M_i[a, b] + [f = g, a = b],
    M_i = Tᵀ (diag p_i − p_i p_iᵀ) T,

by Cholesky where H is small, elsewhere by conjugate gradients. Their preconditioner is the Hessian
of each class alone, p (1 − p) in place of M_i; where that is too dear for all classes, the mean
eigenvalue of M_i, which with two classes is M_i itself.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dposv, dpotrf, dpotrs, dpstrf

from s2fs._utils.threads import use_one_thread
from s2fs._utils.types import Floats, Indices
from s2fs.criteria.separability import EQUAL
from s2fs.criteria.weights import ClassWeight, row_weights

#: No score of a training sample changes by more than this in the last step. Steps shrink
#: quadratically, so what is left is about the square of it.
TOLERANCE = 1e-4
#: More steps are never needed: from zero it takes five to twelve.
MOST_STEPS = 200
#: Up to so many coefficients a step is solved directly.
_MOST_DIRECT = 160
#: Up to so many features the Hessian of each class is worth its time as a preconditioner.
_MOST_FEATURES = 128
#: How many values are multiplied at a time: 256 KB.
_VALUES = 1 << 15
#: A preconditioner of many features takes as long as about so many.
_FEW_GRADIENTS = 12
#: More conjugate gradients in one step gain nothing.
_MOST_GRADIENTS = 500
#: A squared error as small as this, in units of the objective, is none.
_LEAST = 1e-16
#: A step must lower the objective by this share of what its slope promises.
_SUFFICIENT = 1e-4


@dataclass(frozen=True, eq=False)
class LogisticModel:
    """A fitted model, which says the probability of each class.

    Attributes
    ----------
    means, scales : ndarray of shape (n_features,)
        What standardises the features: mean and standard deviation of the training samples; a
        constant feature has the scale 1.
    coefficients : ndarray of shape (n_classes, n_features), or (1, n_features) for two classes
        Of standardised features, as scikit-learn has them.
    intercepts : ndarray of shape (n_classes,), or (1,)
        What is added.
    """

    means: Floats
    scales: Floats
    coefficients: Floats
    intercepts: Floats

    def predict_proba(self, X: Floats) -> Floats:
        """The probabilities of the classes, of shape (n_samples, n_classes)."""
        scores = (X - self.means) / self.scales @ self.coefficients.T + self.intercepts
        if scores.shape[1] == 1:
            scores = np.concatenate([np.zeros_like(scores), scores], axis=1)
        return _compute_softmax(scores)[0]


def fit_logistic(
    X: Floats,
    codes: Indices,
    *,
    C: float = 1.0,
    sample_weight: Floats | None = None,
    class_weight: ClassWeight = None,
) -> LogisticModel:
    """Fit a ridge logistic regression on standardised features.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Numeric features, complete.
    codes : ndarray of shape (n_samples,)
        The class of each sample as 0, 1, …; each class is there.
    C : float, default=1
        The inverse of the strength of the penalty.
    sample_weight : ndarray of shape (n_samples,), optional
        How much each sample counts, in means and standard deviations, too.
    class_weight : "balanced" or dict, optional
        How much each class counts, in addition; a dict has weights by the code of the class.

    Returns
    -------
    LogisticModel
        The model, with the same coefficients as scikit-learn's.

    Examples
    --------
    >>> import numpy as np
    >>> from s2fs.criteria.logistic import fit_logistic
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> model = fit_logistic(X, np.array([0, 0, 1, 1]))
    >>> model.coefficients.round(3), model.predict_proba(X)[:, 1].round(3)
    (array([[0.944]]), array([0.22 , 0.396, 0.604, 0.78 ]))
    """
    means, scales = compute_scales(X, sample_weight)
    weight = _make_weights(codes, C, sample_weight, class_weight)
    problem = _Problem(codes, weight)
    Z, basis = (X - means) / scales, None
    if len(Z) < Z.shape[1]:  # the solution is a combination of samples
        basis, triangle = np.linalg.qr(Z.T)
        Z = triangle.T
    V = problem.solve(_with_ones(Z))
    coefficients = problem.contrasts @ V[1:].T
    if basis is not None:
        coefficients = coefficients @ basis.T
    intercepts = problem.contrasts @ V[0]
    if problem.n_classes == 2:
        coefficients, intercepts = coefficients[1:], intercepts[1:]
    return LogisticModel(means, scales, coefficients, intercepts)


def logistic(
    A: Floats,
    codes: Indices,
    B: Floats,
    sizes: Indices,
    *,
    C: float = 1.0,
    sample_weight: Floats | None = None,
) -> Floats:
    """Predict by ridge logistic regression on each prefix of a ranking.

    Parameters
    ----------
    A : ndarray of shape (n_train, n_ranked)
        The training samples, with columns in ranked order.
    codes : ndarray of shape (n_train,)
        Their classes, as 0, 1, ….
    B : ndarray of shape (n_test, n_ranked)
        The test samples.
    sizes : ndarray of shape (n_sizes,)
        How many of the first columns to use, increasing: each fit starts from the one before it.
    C : float, default=1
        The inverse of the strength of the penalty.
    sample_weight : ndarray of shape (n_train,), optional
        How much each training sample counts.

    Returns
    -------
    ndarray of shape (n_sizes, n_test, n_classes)
        The probabilities of the classes.

    Examples
    --------
    >>> import numpy as np
    >>> from s2fs.criteria.logistic import logistic
    >>> A = np.array([[0.0, 1], [1, 0], [2, 0], [3, 1]])
    >>> logistic(A, np.array([0, 0, 1, 1]), np.array([[3.0, 0]]), np.array([1, 2])).round(3)
    array([[[0.22, 0.78]],
    <BLANKLINE>
           [[0.22, 0.78]]])
    """
    means, scales = compute_scales(A[:, : sizes[-1]], sample_weight)
    problem = _Problem(codes, _make_weights(codes, C, sample_weight, None))
    train, test = (_with_ones((part[:, : sizes[-1]] - means) / scales) for part in (A, B))
    probabilities = np.empty((len(sizes), len(B), problem.n_classes))
    V = None
    for size, of_size in zip(sizes, probabilities, strict=True):
        Z, Z_test = train[:, : size + 1], test[:, : size + 1]
        if size > len(A):
            products = Z[:, 1:] @ Z[:, 1:].T, Z_test[:, 1:] @ Z[:, 1:].T
            of_size[:] = predict_by_products(*products, codes, weight=problem.weight)
        else:
            V = problem.solve(Z, V)
            of_size[:] = problem.predict(Z_test, V)
    return probabilities


def decide_classes(answers: Indices | Floats) -> Indices:
    """The predicted classes: of probabilities the largest, up to rounding the first of equals.

    Parameters
    ----------
    answers : ndarray of shape (…, n_test) or (…, n_test, n_classes)
        Predicted classes, which stay what they are, or probabilities.
    """
    if np.issubdtype(answers.dtype, np.integer):
        return np.asarray(answers, dtype=np.intp)
    return np.asarray((answers >= answers.max(axis=-1, keepdims=True) - EQUAL).argmax(axis=-1))


def predict_by_products(
    K: Floats, K_test: Floats, codes: Indices, *, weight: Floats | None = None
) -> Floats:
    """Predict from products of samples alone, where there are more features than samples.

    The penalty is the same for every rotation of the features. So samples are given coordinates, as
    few as there are training samples, that have the same products.

    Parameters
    ----------
    K : ndarray of shape (n_train, n_train)
        The products of the training samples: of standardised features, Z Zᵀ.
    K_test : ndarray of shape (n_test, n_train)
        Those of the test samples with the training samples.
    codes : ndarray of shape (n_train,)
        The classes of the training samples, as 0, 1, ….
    weight : ndarray of shape (n_train,), optional
        The weight of each training sample times C.

    Returns
    -------
    ndarray of shape (n_test, n_classes)
        The probabilities of the classes.
    """
    factor, pivots, rank, _ = dpstrf(K, lower=1)
    pivots = pivots - 1  # LAPACK counts from 1
    factor = np.tril(factor)[:, :rank]
    Z = np.empty((len(K), rank))
    Z[pivots] = factor
    some = K_test[:, pivots[:rank]].T
    Z_test = solve_triangular(factor[:rank], some, lower=True, check_finite=False).T
    problem = _Problem(codes, weight)
    return problem.predict(_with_ones(Z_test), problem.solve(_with_ones(Z)))


def compute_scales(X: Floats, sample_weight: Floats | None = None) -> tuple[Floats, Floats]:
    """Mean and standard deviation of the columns; a constant one has the scale 1.

    Constant up to the rounding of its mean, as in scikit-learn's ``StandardScaler``.
    """
    share = None if sample_weight is None else sample_weight / sample_weight.sum()
    means = X.mean(axis=0) if share is None else share @ X
    centred = X - means
    peaks = np.abs(centred).max(axis=0, initial=0.0)
    peaks[peaks == 0] = 1.0
    centred /= peaks  # else squares overflow
    if share is None:
        variances = np.einsum("ij,ij->j", centred, centred) / len(X)
    else:
        variances = share @ np.square(centred)
    scales = peaks * np.sqrt(variances)
    is_constant = scales <= len(X) * np.finfo(np.float64).eps * np.abs(means)
    return means, np.where(is_constant, 1.0, scales)


def _with_ones(Z: Floats) -> Floats:
    """A column of ones before the features: what intercepts are the coefficients of."""
    with_ones = np.empty((len(Z), Z.shape[1] + 1))
    with_ones[:, 0] = 1.0
    with_ones[:, 1:] = Z
    return with_ones


def _make_weights(
    codes: Indices, C: float, sample_weight: Floats | None, class_weight: ClassWeight
) -> Floats | None:
    """The weight of each sample times C; None if that is 1 for all."""
    if sample_weight is None and class_weight is None:
        return None if C == 1 else np.full(len(codes), float(C))
    weight = row_weights(sample_weight, class_weight, codes)
    if not (np.bincount(codes, weight) > 0).all():
        raise ValueError("sample_weight leaves a class without any weight; leave its samples out.")
    return C * weight


@cache
def _make_contrasts(n_classes: int) -> Floats:
    """The scores of the classes by contrast: two classes 0 and 1; more: orthonormal, with sum 0."""
    if n_classes == 2:
        return np.array([[0.0], [1.0]])
    contrasts = np.zeros((n_classes, n_classes - 1))
    for a in range(n_classes - 1):
        contrasts[: a + 1, a] = 1.0
        contrasts[a + 1, a] = -(a + 1.0)
    return contrasts / np.sqrt((contrasts**2).sum(axis=0))


def _compute_softmax(scores: Floats) -> tuple[Floats, Floats]:
    """The probabilities of each row of scores, and the logarithm of what they are divided by."""
    most = scores.max(axis=1, keepdims=True)
    exponentials = np.exp(scores - most)
    total = exponentials.sum(axis=1, keepdims=True)
    exponentials /= total
    return exponentials, most + np.log(total)


class _Problem:
    """The classes and weights of some samples, which are fitted with one set of features or more.

    Parameters
    ----------
    codes : ndarray of shape (n_samples,)
        The class of each sample as 0, 1, …
    weight : ndarray of shape (n_samples,), optional
        How much each sample counts.
    """

    def __init__(self, codes: Indices, weight: Floats | None) -> None:
        self.n_classes = int(codes.max()) + 1
        self.contrasts = T = _make_contrasts(self.n_classes)
        self.weight = weight
        self._weight = None if weight is None else weight[:, None]
        self._of_class = T[codes] if weight is None else T[codes] * weight[:, None]  # S Y T
        q = T.shape[1]
        first, second = np.triu_indices(q)
        self._first, self._second = first, second
        self._products = T[:, first] * T[:, second]
        self._pair = np.empty((q, q), dtype=np.intp)
        self._pair[first, second] = self._pair[second, first] = np.arange(len(first))

    def predict(self, Z: Floats, V: Floats) -> Floats:
        """The probabilities of the classes."""
        return _compute_softmax((Z @ V) @ self.contrasts.T)[0]

    def solve(self, Z: Floats, start: Floats | None = None) -> Floats:
        """The coefficients V of features with a first column of ones.

        The ``start`` may be of fewer features.
        """
        with use_one_thread():
            return self._solve(Z, start)

    def _solve(self, Z: Floats, start: Floats | None) -> Floats:
        """Newton's method, on as many threads as linear algebra is given."""
        d, q = Z.shape[1], self.contrasts.shape[1]
        V = np.zeros((d, q))
        if start is not None:
            V[: len(start)] = start
        penalty = np.ones((d, 1))
        penalty[0] = 0.0
        find_step = self._solve_directly if d * q <= _MOST_DIRECT else _ByGradients(self)
        U = Z @ V
        P, objective = self._evaluate(U, V)
        for _ in range(MOST_STEPS):
            PT = P @ self.contrasts
            if self._weight is None:
                residual = PT - self._of_class
            else:
                residual = PT * self._weight - self._of_class
            gradient = Z.T @ residual
            gradient += penalty * V
            step = find_step(Z, P, PT, penalty, gradient)
            change = Z @ step
            slope, largest, share = float(np.vdot(gradient, step)), np.abs(change).max(), 1.0
            while True:
                P, lower = self._evaluate(U + share * change, V + share * step)
                enough = objective + _SUFFICIENT * share * slope
                # Near the end rounding decides; a step as small as that does no harm.
                if lower <= enough or share * largest <= TOLERANCE:
                    break
                share /= 2
            U, V, objective = U + share * change, V + share * step, lower
            if share * largest <= TOLERANCE:
                break
        return V

    def _evaluate(self, U: Floats, V: Floats) -> tuple[Floats, float]:
        """Probabilities and objective."""
        P, total = np.empty((len(U), self.n_classes)), 0.0
        for rows in _blocks_of_rows(len(U), self.n_classes):
            P[rows], log_total = _compute_softmax(U[rows] @ self.contrasts.T)
            if self._weight is not None:
                log_total *= self._weight[rows]
            total += float(log_total.sum())
        loss = total - np.vdot(U, self._of_class)
        return P, float(loss + 0.5 * np.vdot(V[1:], V[1:]))

    def _solve_directly(
        self, Z: Floats, P: Floats, PT: Floats, penalty: Floats, gradient: Floats
    ) -> Floats:
        """The step −H⁻¹ g by Cholesky's decomposition of H."""
        d, q, n_pairs = Z.shape[1], PT.shape[1], len(self._first)
        blocks = np.zeros((d, n_pairs * d))
        for rows in _blocks_of_rows(len(Z), n_pairs * d):
            M = P[rows] @ self._products
            M -= PT[rows][:, self._first] * PT[rows][:, self._second]
            if self._weight is not None:
                M *= self._weight[rows]
            some = Z[rows]
            blocks += some.T @ (M[:, :, None] * some[:, None, :]).reshape(len(some), -1)
        blocks = blocks.reshape(d, n_pairs, d)
        H = blocks[:, self._pair].transpose(0, 1, 3, 2).reshape(d * q, d * q)
        H[np.arange(q, d * q), np.arange(q, d * q)] += 1.0
        _, step, failed = dposv(H.T, gradient.ravel(), overwrite_a=True)
        if failed:  # only if probabilities of 0 and 1 leave no slope for an intercept
            step = np.linalg.lstsq(H, gradient.ravel(), rcond=None)[0]
        return -step.reshape(d, q)

    def multiply_hessian(self, Z: Floats, P: Floats, penalty: Floats, direction: Floats) -> Floats:
        """H times a direction."""
        T, product = self.contrasts, penalty * direction
        for rows in _blocks_of_rows(len(Z), len(T)):
            scores = (Z[rows] @ direction) @ T.T
            scores -= np.einsum("ij,ij->i", scores, P[rows])[:, None]
            scores *= P[rows]
            if self._weight is not None:
                scores *= self._weight[rows]
            product += Z[rows].T @ (scores @ T)
        return product

    def make_preconditioner(
        self, Z: Floats, P: Floats, PT: Floats, penalty: Floats
    ) -> Callable[[Floats], Floats]:
        """What solves H δ = r nearly: the Hessian of each class alone, or the mean of these."""
        weight = 1.0 if self._weight is None else self._weight
        T, d = self.contrasts, len(penalty)
        if T.shape[1] > 1 and d <= _MOST_FEATURES:
            blocks = np.zeros((len(T), d, d))
            for rows in _blocks_of_rows(len(Z), len(T) * d):
                of_class = P[rows] * (1 - P[rows])
                if self._weight is not None:
                    of_class *= self._weight[rows]
                blocks += Z[rows].T @ (of_class.T[:, :, None] * Z[rows])
            blocks[:, np.arange(d), np.arange(d)] += penalty[:, 0] + _LEAST
            inverses = np.linalg.inv(blocks)
            return lambda r: (inverses @ (r @ T.T).T[:, :, None])[:, :, 0].T @ T
        trace = P @ (T**2).sum(axis=1) - (PT**2).sum(axis=1)
        root = np.sqrt(np.maximum(trace / T.shape[1], 0.0)[:, None] * weight)
        mean = dsyrk(1.0, (Z * root).T, lower=1)
        mean[np.diag_indices(d)] += penalty[:, 0] + _LEAST
        factor = dpotrf(mean, lower=1, overwrite_a=1)[0]
        return lambda r: np.asarray(dpotrs(factor, r, lower=1)[0])


class _ByGradients:
    """Finds steps −H⁻¹ g by conjugate gradients, more exact the nearer the end is.

    A preconditioner of many features is dear: that of one step serves the next ones, until they
    take many gradients with it.

    Parameters
    ----------
    problem : _Problem
        What is solved.
    """

    def __init__(self, problem: _Problem) -> None:
        self._problem = problem
        self._precondition: Callable[[Floats], Floats] | None = None

    def __call__(
        self, Z: Floats, P: Floats, PT: Floats, penalty: Floats, gradient: Floats
    ) -> Floats:
        """The step where the classes have the probabilities P."""
        if self._precondition is None:
            self._precondition = self._problem.make_preconditioner(Z, P, PT, penalty)
        apply = partial(self._problem.multiply_hessian, Z, P, penalty)
        step, n_gradients = _solve_by_conjugate_gradients(apply, self._precondition, -gradient)
        if len(gradient) <= _MOST_FEATURES or n_gradients > _FEW_GRADIENTS:
            self._precondition = None
        return step


def _blocks_of_rows(n: int, width: int) -> Iterator[slice]:
    """Rows a few at a time, so that what is computed of them stays in the cache."""
    step = max(1, _VALUES // width)
    yield from (slice(start, start + step) for start in range(0, n, step))


def _solve_by_conjugate_gradients(
    apply: Callable[[Floats], Floats], precondition: Callable[[Floats], Floats], target: Floats
) -> tuple[Floats, int]:
    """Solve a positive definite system, with a relative error as small as the target is.

    Returns the solution, and how many gradients it took.
    """
    x, r = np.zeros_like(target), target.copy()
    z = precondition(r)
    direction, rz = z, float(np.vdot(r, z))
    limit = max(min(0.0001, rz) * rz, _LEAST)
    n_gradients = 0
    while n_gradients < _MOST_GRADIENTS:
        n_gradients += 1
        product = apply(direction)
        alpha = rz / float(np.vdot(direction, product))
        x += alpha * direction
        r -= alpha * product
        z = precondition(r)
        before, rz = rz, float(np.vdot(r, z))
        if rz <= limit:
            break
        direction = z + (rz / before) * direction
    return x, n_gradients
