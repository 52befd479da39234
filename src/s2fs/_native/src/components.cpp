// The four components of Sep of a subset joined by a candidate, in double precision. These numbers
// decide; everything else of the engine only saves computing them.

#include <algorithm>
#include <cmath>

#include "separability.h"

namespace s2fs {

Subset::Subset(const ScaledData &data_)
    : data(data_),
      D(data.p * data.n, 0.0),
      P(data.p * data.n, 0.0),
      own_square(data.n, 0.0),
      G(data.p * data.p, 0.0) {}

// D, P and G are sums over the features, so a feature adds its terms to them.
void Subset::add(Index feature) {
    const Index n = data.n, p = data.p;
    const double *c = data.centroids.data() + feature * p, tolerance = data.tolerance[feature];
    Doubles x(n), a(n);
    data.read_column(feature, x.data());
    for (Index i = 0; i < n; i++) a[i] = beyond(x[i] - c[data.own[i]], tolerance);
    double within_variance = 0;
    for (Index i = 0; i < n; i++) {
        own_square[i] += a[i] * a[i];
        within_variance += data.weight[i] * a[i] * a[i];
    }
    within += within_variance;
    for (Index r = 0; r < p; r++) {
        double *D_r = D.data() + r * n, *P_r = P.data() + r * n;
        const double c_r = c[r];
#pragma omp simd
        for (Index i = 0; i < n; i++) {
            const double b = beyond(x[i] - c_r, tolerance);
            D_r[i] += b * b;
            P_r[i] += a[i] * b;
        }
    }
    add_gaps(data, feature, G);
    size++;
}

void add_gaps(const ScaledData &data, Index feature, Doubles &G) {
    const Index p = data.p;
    const double *c = data.centroids.data() + feature * p, tolerance = data.tolerance[feature];
    for (Index q = 0; q < p; q++)
        for (Index r = 0; r < p; r++) {
            const double gap = beyond(c[q] - c[r], tolerance);
            G[q * p + r] += gap * gap;
        }
}

// Eqs. 7 and 13. With w_r = 1/‖V_r‖ the membership of a sample in class r is w_r² / Σ_s w_s² and the
// cosine is P_r w_own w_r. The own class adds 0 and is left out: near its own centroid a sample has
// almost all its membership there, and a rounding error of that 0 would count for more than the rest.
Subset::RowSums Subset::row_sums(Index feature) const {
    const Index n = data.n, p = data.p;
    const double *c = data.centroids.data() + feature * p, tolerance = data.tolerance[feature];
    const bool is_rms = data.is_rms;
    static thread_local Doubles x;
    x.resize(n);
    data.read_column(feature, x.data());
    RowSums sums{0, 0};
    for (Index start = 0; start < n; start += CHUNK) {
        const Index here = smaller(CHUNK, n - start);
        const std::int32_t *own = data.own.data() + start;
        const double *weight = data.weight.data() + start, *square = own_square.data() + start;
        const double *value = x.data() + start;
        double a[CHUNK], w_own[CHUNK], all[CHUNK], turned[CHUNK], own_class[CHUNK];
        for (Index i = 0; i < here; i++) {
            a[i] = beyond(value[i] - c[own[i]], tolerance);
            own_class[i] = static_cast<double>(own[i]);
        }
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (Index i = 0; i < here; i++) {
            const double d = square[i] + a[i] * a[i], root = std::sqrt(d);
            sum += weight[i] * (is_rms ? d : root);
            w_own[i] = d > 0 ? 1 / larger(root, LEAST_LENGTH) : 0.0;
            all[i] = turned[i] = 0;
        }
        sums.distance += sum;
        for (Index r = 0; r < p; r++) {
            const double *D_r = D.data() + r * n + start, *P_r = P.data() + r * n + start;
            const double c_r = c[r], number = static_cast<double>(r);
#pragma omp simd
            for (Index i = 0; i < here; i++) {
                const double b = beyond(value[i] - c_r, tolerance);
                const double w = 1 / std::sqrt(larger(D_r[i] + b * b, ZERO_SQUARE)), share = w * w;
                const double turn = larger(1 - (P_r[i] + a[i] * b) * w * w_own[i], 0.0);
                all[i] += share;
                turned[i] += own_class[i] == number ? 0.0 : turn * share;
            }
        }
        sum = 0;
#pragma omp simd reduction(+ : sum)
        for (Index i = 0; i < here; i++)  // what is on its own centroid has no direction
            sum += w_own[i] > 0 ? weight[i] * turned[i] / all[i] : 0.0;
        sums.direction += sum;
    }
    return sums;
}

// h_qr = ‖c_q − c_r‖² with a candidate, and the nearest class of each one. Loops run over classes side by side,
// without sums across them.
static const ClassDistances &class_distances(const ScaledData &data, const Doubles &G, Index feature) {
    const Index p = data.p;
    const double *c = data.centroids.data() + feature * p, tolerance = data.tolerance[feature];
    static thread_local ClassDistances found;
    found.h.resize(p * p), found.near.resize(p), found.number.resize(p), found.limit.resize(p);
    found.least.assign(p, NO_DISTANCE), found.nearest.assign(p, 0.0);
    for (Index q = 0; q < p; q++) found.number[q] = static_cast<double>(q);
    double *H = found.h.data(), *least = found.least.data(), *nearest = found.nearest.data();
    double *number = found.number.data(), *limit = found.limit.data();
    for (Index r = 0; r < p; r++) {
        const double *G_r = G.data() + r * p, c_r = c[r], number_r = number[r];
        double *h = H + r * p;
#pragma omp simd
        for (Index q = 0; q < p; q++) {
            const double gap = beyond(c_r - c[q], tolerance), d = G_r[q] + gap * gap;
            h[q] = d;
            least[q] = smaller(least[q], number[q] == number_r ? NO_DISTANCE : d);
        }
    }
    // Equally near: the smaller class.
    for (Index q = 0; q < p; q++) limit[q] = least[q] * (1 + EQUAL) * (1 + EQUAL);
    for (Index r = p - 1; r >= 0; r--) {
        const double *h = H + r * p, number_r = number[r];
#pragma omp simd
        for (Index q = 0; q < p; q++)
            nearest[q] = (h[q] <= limit[q]) & (number[q] != number_r) ? number_r : nearest[q];
    }
    double sum = 0;
    for (Index q = 0; q < p; q++) {
        found.near[q] = static_cast<Index>(nearest[q]);
        sum += p > 1 ? std::sqrt(least[q]) : 0.0;
    }
    found.lambda_dis = data.unit * sum / static_cast<double>(p);
    return found;
}

// Eqs. 16 and 21, where (c_a − c_q)·(c_r − c_q) = (h_qa + h_qr − h_ar) / 2.
void separation(const ScaledData &data, const Doubles &G, Index feature, double *lambda_dis, double *lambda_dir) {
    const Index p = data.p;
    const double lead = data.is_published ? 1 : 0;
    const ClassDistances &distances = class_distances(data, G, feature);
    const double *H = distances.h.data(), *least = distances.least.data();
    static thread_local Doubles of_classes;
    of_classes.assign(2 * p, 0.0);
    double *inverse = of_classes.data(), *turned = inverse + p, direction = 0;
    for (Index r = 0; r < p; r++) {  // Σ_s 1/h_qs
        const double *h = H + r * p;
#pragma omp simd
        for (Index q = 0; q < p; q++) inverse[q] += q == r ? 0.0 : 1 / larger(h[q], LEAST_DIVISOR);
    }
    for (Index q = 0; q < p && p > 2; q++) {
        if (!(least[q] > 0)) continue;  // a vector of length 0 has no direction
        const Index a = distances.near[q];
        const double *h = H + q * p, *h_a = H + a * p, length = h[a], T = inverse[a];
        if (!(least[a] > 0)) {
            // Classes that coincide with a share its membership (Eq. 20), and the others have none.
            double n_coinciding = -1;
            for (Index r = 0; r < p; r++) n_coinciding += h_a[r] > 0 ? 0 : 1;
            for (Index r = 0; r < p; r++) {
                const double norms = std::sqrt(length * h[r]), dot = (length + h[r] - h_a[r]) / 2;
                if (r == q || r == a || h_a[r] > 0 || norms == 0) continue;
                direction += smaller(larger(1 - dot / norms, 0.0), 2.0) / (lead + n_coinciding);
            }
            continue;
        }
        // Eq. 20: the squared ratios of distances sum to h_ar T. A class that coincides with q, as q itself,
        // has no direction: the term is 0, as norms are.
        const double own_term = turned[q], near_term = turned[a];
#pragma omp simd
        for (Index r = 0; r < p; r++) {
            const double norms = std::sqrt(length * h[r]), dot = (length + h[r] - h_a[r]) / 2;
            const double turn = smaller(larger(norms - dot, 0.0), 2 * norms);
            turned[r] += turn / larger(norms * (lead + h_a[r] * T), LEAST_DIVISOR);
        }
        turned[q] = own_term, turned[a] = near_term;
    }
    for (Index q = 0; q < p; q++) direction += turned[q];
    *lambda_dis = distances.lambda_dis;
    *lambda_dir = direction / static_cast<double>(p);
}

void Subset::separation(Index feature, double *lambda_dis, double *lambda_dir) const {
    s2fs::separation(data, G, feature, lambda_dis, lambda_dir);
}

Components Subset::score(Index feature) const {
    const RowSums sums = row_sums(feature);
    Components found;
    const double distance = data.is_rms ? std::sqrt(sums.distance) : sums.distance;
    found.theta_dis = data.unit * (distance < ON_CENTROID ? ON_CENTROID : distance);
    found.theta_dir = sums.direction;
    separation(feature, &found.lambda_dis, &found.lambda_dir);
    return found;
}

}  // namespace s2fs
