// Steps 5 and 7: how far apart the classes are once a candidate joins.

#include "state.hpp"

namespace s2fs {

// Λ_dis and Λ_dir (Eqs. 16 and 21) in double precision.
void separation(const Table &t, const State &s, Index feature, Worker &worker, double *parts) {
    const Index p = t.n_classes;
    const double *c = t.centroids + feature * p, rounding = t.on_centroid[feature];
    const double lead = t.printed ? 1.0 : 0.0;
    double *H = worker.H, *norm = worker.norm;  // G with the candidate, and its square roots
    double *nearest = worker.lines, *twins = nearest + p, *inverses = twins + p, *turned = inverses + p;
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

// Upper bounds for a candidate in each lane, and the sum Σ S g² of step 4.
struct Upper {
    Floats lambda_dis, lambda_dir, form;
    Ints unclear;
};

// Step 5, with the errors of step 7. `lanes` begins with the centroids (classes, lanes).
template <Bound BOUND>
Upper upper(const Table &t, Worker &worker) {
    constexpr int N = N_FLOATS;
    const Index p = t.n_classes;
    const float *c = worker.lanes;
    float *H = worker.lanes + p * N, *nearest = H + p * p * N, *inverses = nearest + p * N;
    std::int32_t *near = reinterpret_cast<std::int32_t *>(inverses + p * N);
    const float n = static_cast<float>(p), u = static_cast<float>(U_SINGLE);
    Upper found = {};
    Floats least = all(__builtin_inff()), second_of_all = least;  // ratio of second to nearest
    for (Index q = 0; q < p; q++) {
        const Floats here = load(c + q * N);
        const float *G = worker.G + q * p, *slopes = worker.slopes_single + q * p;
        Floats first = all(__builtin_inff()), second = first, sum = {};
        Ints a = {};
        for (Index r = 0; r < p; r++) {
            const Floats gap = here - load(c + r * N), square = gap * gap, h = square + all(G[r]);
            if (r > q) found.form = fma(all(slopes[r]), square, found.form);
            if constexpr (BOUND != Bound::DISTANCE) {
                const auto nearer = h < first;
                a = nearer ? all(static_cast<std::int32_t>(r)) : a;
                second = smaller(second, larger(first, h));
                sum += BOUND == Bound::FINE ? 1.0f / h : rough_inverse(h);
            }
            first = smaller(first, h);
            if constexpr (BOUND == Bound::FINE) store(H + (q * p + r) * N, h);
        }
        found.lambda_dis += root(first);
        least = smaller(least, first);
        if constexpr (BOUND != Bound::DISTANCE) {
            second_of_all = smaller(second_of_all, second / first);
            store(nearest + q * N, first);
            store(inverses + q * N, sum);
            std::memcpy(near + q * N, &a, sizeof a);
        }
    }
    found.lambda_dis = found.lambda_dis / n * (1 + (n + 4) * 2 * u) + all(4 * u);
    if constexpr (BOUND != Bound::DISTANCE) {
        const Floats e = 3 * u + 4 * u * inverse_root(larger(least, all(ZERO_SINGLE)));
        found.unclear = (second_of_all <= 1 + 8 * e) | (e > 1.0f / 128) | (least < 1e-16f);
        Ints lane;
        for (int i = 0; i < N; i++) lane[i] = i;
        const Floats loose = all(static_cast<float>(2 * ROUGH)) + 2 * e + 2 * (n + 1) * u;
        for (Index q = 0; q < p; q++) {
            const Floats l = load(nearest + q * N);
            Ints a, place;
            std::memcpy(&a, near + q * N, sizeof a);
            place = a * N + lane;
            std::int32_t where[N];
            std::memcpy(where, &place, sizeof where);
            const Floats T_a = gather(inverses, where);
            if constexpr (BOUND == Bound::COARSE) {
                const Floats inverse = 1.0f / l;
                const Floats others = load(inverses + q * N) * (1 + loose) - inverse * (1 - loose);
                const Floats angles = root(larger((n - 2) * others * inverse, Floats{}));
                found.lambda_dir += 0.5f * angles / T_a;
            } else {
                const float lead = t.printed ? 1.0f : 0.0f;
                place = a * static_cast<std::int32_t>(p * N) + lane;
                std::memcpy(where, &place, sizeof where);
                for (Index r = 0; r < p; r++) {
                    if (r == q) continue;
                    const Floats h = load(H + (q * p + r) * N), across = gather(H + r * N, where);
                    const Floats norms = root(l * h);
                    const Floats share = larger(norms - (l + h - across) * 0.5f, Floats{}) /
                                         (norms * (lead + across * T_a));
                    found.lambda_dir += a != static_cast<std::int32_t>(r) ? share : Floats{};
                }
            }
        }
        found.lambda_dir /= n;
        if constexpr (BOUND == Bound::COARSE)
            found.lambda_dir *= 1 + 4 * loose;
        else
            found.lambda_dir = found.lambda_dir * (1 + 2 * (n * n + n + 14) * u + 4 * e) +
                               2 * n * (7 * e + 20 * u);
    }
    return found;
}

}  // namespace

void most_separation(const Table &t, const State &s, const Index *features, Index n, Bound bound,
                     Worker &worker, double *lambda_dis, double *lambda_dir, double *forms) {
    const Index p = t.n_classes;
    for (Index start = 0; start < n; start += N_FLOATS) {
        const Index here = n - start < N_FLOATS ? n - start : N_FLOATS;
        for (Index i = 0; i < N_FLOATS; i++) {
            const double *c = t.centroids + features[start + (i < here ? i : here - 1)] * p;
            for (Index q = 0; q < p; q++) worker.lanes[q * N_FLOATS + i] = static_cast<float>(c[q]);
        }
        const Upper found = bound == Bound::DISTANCE ? upper<Bound::DISTANCE>(t, worker)
                            : bound == Bound::COARSE ? upper<Bound::COARSE>(t, worker)
                                                     : upper<Bound::FINE>(t, worker);
        for (Index i = 0; i < here; i++) {
            if (found.unclear[i]) {
                double parts[2];
                separation(t, s, features[start + i], worker, parts);
                lambda_dis[start + i] = parts[0];
                lambda_dir[start + i] = parts[1];
            } else {
                lambda_dis[start + i] = t.unit * found.lambda_dis[i];
                lambda_dir[start + i] = found.lambda_dir[i];
            }
            forms[start + i] = found.form[i];
        }
    }
}

}  // namespace s2fs
