// Steps 5 and 7: how far apart the classes are once a candidate joins.

#include "state.hpp"

namespace s2fs {

// Λ_dis and Λ_dir (Eqs. 16 and 21) in double precision.
void separation(const Table &t, const State &s, Index feature, Worker &worker, double *parts) {
    const Index p = t.n_classes;
    const double *c = t.centroids + feature * p, rounding = t.on_centroid[feature];
    const double lead = t.printed ? 1.0 : 0.0;
    double *H = worker.H, *norm = worker.norm;  // G with the candidate, and its square roots
    double *nearest = worker.lines, *twins = nearest + p, *inverses = twins + p,
           *turned = inverses + p;
    for (Index q = 0; q < p; q++) {
        nearest[q] = INF;
        twins[q] = inverses[q] = turned[q] = 0;
    }
    for (Index q = 0; q < p; q++)
        for (Index r = 0; r < p; r++) {
            const double gap = c[q] - c[r], square = std::fabs(gap) > rounding ? gap * gap : 0.0;
            const double h = s.G[q * p + r] + square;
            const bool same = h == 0, other = q != r;
            H[q * p + r] = h;
            norm[q * p + r] = std::sqrt(h);
            const double distance = other ? h : INF;
            nearest[r] = distance < nearest[r] ? distance : nearest[r];
            twins[r] += same && other ? 1.0 : 0.0;
            inverses[r] += same ? 0.0 : 1.0 / h;
        }
    double distance = 0;
    for (Index q = 0; q < p; q++) {
        const double limit = nearest[q] * (1 + EQUAL) * (1 + EQUAL);
        Index a = q > 0 ? 0 : 1;
        while (a == q || H[q * p + a] > limit) a++;
        distance += std::sqrt(nearest[q]);
        if (nearest[q] == 0) continue;  // no direction
        const double *H_q = H + q * p, *H_a = H + a * p, *norm_q = norm + q * p;
        const double norm_a = norm_q[a], inverse = inverses[a], n_twins = twins[a];
        // μ (1 − cos) as one fraction; no norm but that of r = q is 0. Centroids that coincide with
        // a share its membership.
        for (Index r = 0; r < p; r++) {
            const double norms = norm_a * norm_q[r], dot = (H_q[a] + H_q[r] - H_a[r]) / 2;
            double share = norms - dot > 0 ? norms - dot : 0.0;
            share = share < 2 * norms ? share : 2 * norms;
            const double ratios = n_twins == 0 ? H_a[r] * inverse : H_a[r] == 0 ? n_twins : INF;
            share /= norms * (lead + ratios);
            turned[r] += r != q && r != a ? share : 0.0;
        }
    }
    double direction = 0;
    for (Index r = 0; r < p; r++) direction += turned[r];
    parts[0] = t.unit * distance / static_cast<double>(p);
    parts[1] = direction / static_cast<double>(p);
}

// What all candidates share: G in single precision; no class is its own neighbour.
void prepare_separation(const Table &t, const State &s, Worker &worker) {
    const Index p = t.n_classes;
    for (Index q = 0; q < p; q++)
        for (Index r = 0; r < p; r++)
            worker.G[q * p + r] = static_cast<float>(q == r ? INF : s.G[q * p + r]);
}

namespace {

constexpr int N = N_FLOATS;
// With up to this many classes the nearest one is picked by comparisons, not looked up.
constexpr Index PICKED = 8;

Ints load_ints(const float *from) {
    return load(reinterpret_cast<const std::int32_t *>(from));
}

// Rows of several numbers, of which lane i has that of row a[i].
struct Rows {
    Ints a;
    std::int32_t where[N];
    explicit Rows(Ints a) : a(a) {
        Ints place;
        for (int i = 0; i < N; i++) place[i] = i;
        place += a * N;
        std::memcpy(where, &place, sizeof where);
    }
    // The lanes of rows that are `step` vectors apart.
    Floats of(const float *rows, Index n_rows, Index step) const {
        if (n_rows > PICKED) {
            Ints place;
            std::memcpy(&place, where, sizeof place);
            Ints lane;
            for (int i = 0; i < N; i++) lane[i] = i;
            place = (place - lane) * static_cast<std::int32_t>(step) + lane;
            std::int32_t there[N];
            std::memcpy(there, &place, sizeof there);
            return gather(rows, there);
        }
        Floats found = load(rows);
        for (Index r = 1; r < n_rows; r++)
            found = a == static_cast<std::int32_t>(r) ? load(rows + r * step * N) : found;
        return found;
    }
};

// Step 5, with the errors of step 7; centroids of a class are `step` apart from those of the next.
template <Bound BOUND>
Between between(const Table &t, Worker &worker, const float *c, Index step) {
    const Index p = t.n_classes;
    // Of each class the squared distance to the nearest one, Σ 1/h, which one is the nearest.
    float *nearest = worker.pairs, *inverses = nearest + p * N, *near = inverses + p * N;
    float *H = near + p * N;  // G with the candidate
    const float n = static_cast<float>(p), u = static_cast<float>(U_SINGLE);
    Between found = {};
    Floats distance = {}, least = all(__builtin_inff()), clear = least;
    for (Index q = 0; q < p; q++) {
        const Floats here = load(c + q * step);
        const float *G = worker.G + q * p, *slopes = worker.slopes + q * p;
        Floats first = all(__builtin_inff()), second = first, sum = {};
        Ints a = {};
        for (Index r = 0; r < p; r++) {
            const Floats gap = here - load(c + r * step), square = gap * gap,
                         h = square + all(G[r]);
            found.form = fma(all(slopes[r]), square, found.form);
            if constexpr (BOUND != Bound::DISTANCE) {
                a = h < first ? all(static_cast<std::int32_t>(r)) : a;
                second = smaller(second, larger(first, h));
                sum += BOUND == Bound::FINE ? inverse(smaller(h, all(1e30f))) : rough_inverse(h);
            }
            first = smaller(first, h);
            if constexpr (BOUND == Bound::FINE) store(H + (q * p + r) * N, h);
        }
        distance += root(first);
        least = smaller(least, first);
        if constexpr (BOUND != Bound::DISTANCE) {
            clear = smaller(clear, second / first);
            store(nearest + q * N, first);
            store(inverses + q * N, sum);
            std::memcpy(near + q * N, &a, sizeof a);
        }
    }
    distance /= n;
    const Floats wide = distance * ((n + 4) * 2 * u) + 4 * u;
    found.low_dis = larger(distance - wide, Floats{});
    found.high_dis = distance + wide;
    if constexpr (BOUND == Bound::DISTANCE) return found;

    const Floats e = 3 * u + 4 * u * inverse_root(larger(least, all(ZERO_SINGLE)));
    const float rough = static_cast<float>(ROUGH);
    found.unclear = (clear <= 1 + 8 * e) | (e > 1.0f / 128) | (least < 1e-16f);
    Floats direction = {};
    if constexpr (BOUND == Bound::COARSE) {
        const Floats loose = 2 * rough + 2 * e + 2 * (n + 1) * u;
        Floats angles = {}, least_T = all(__builtin_inff());
        for (Index q = 0; q < p; q++) {
            const Floats T_q = load(inverses + q * N), once = inverse(load(nearest + q * N));
            const Floats others = T_q * (1 + loose) - once * (1 - loose);
            const Floats at_q = root(larger((n - 2) * others * once, Floats{}));
            const Floats T_a = Rows(load_ints(near + q * N)).of(inverses, p, 1);
            direction = fma(at_q, inverse(T_a), direction);
            angles += at_q;
            least_T = smaller(least_T, T_q);
        }
        // If two classes are as near as it seems, either may be the nearest one.
        direction = clear <= 1 + 8 * e ? angles * inverse(least_T) : direction;
        found.unclear = (e > 1.0f / 128) | (least < 1e-16f);
        found.high_dir = direction * (0.5f / n) * (1 + 4 * loose);
        return found;
    }
    const float lead = t.printed ? 1.0f : 0.0f;
    for (Index q = 0; q < p; q++) {
        const Ints a = load_ints(near + q * N);
        const Rows nearest_row(a);
        const Floats T_a = nearest_row.of(inverses, p, 1), l = load(nearest + q * N);
        for (Index r = 0; r < p; r++) {
            if (r == q) continue;
            const Floats h = load(H + (q * p + r) * N), across = nearest_row.of(H + r * N, p, p);
            const Floats dot = (l + h - across) * 0.5f;
            const Floats turned = larger(1.0f - dot * inverse_root(l * h), Floats{});
            const Floats share = turned * inverse(lead + across * T_a);
            direction += a != static_cast<std::int32_t>(r) ? share : Floats{};
        }
    }
    direction /= n;
    const Floats error = direction * (2 * (n * n + n + 20) * u + 4 * e) + 2 * n * (7 * e + 27 * u);
    found.low_dir = larger(direction - error, Floats{});
    found.high_dir = direction + error;
    return found;
}

}  // namespace

Between separation_between(const Table &t, Worker &worker, Bound bound, const float *centroids,
                           Index step) {
    switch (bound) {
        case Bound::DISTANCE:
            return between<Bound::DISTANCE>(t, worker, centroids, step);
        case Bound::COARSE:
            return between<Bound::COARSE>(t, worker, centroids, step);
        default:
            return between<Bound::FINE>(t, worker, centroids, step);
    }
}

}  // namespace s2fs
