// Upper bounds of Λ for every candidate of a step. Compiled with -ffast-math, see compactness_bounds.cpp.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "forward_search.h"

namespace s2fs {

// Step 6a: what each class adds to Λ_dir of any candidate, at most. Let a be nearest to q, s² = h_qa and v² = h_qr.
// The class r adds μ (1 − cos) with 1 − cos = (h_ar − (s − v)²) / 2sv and μ = 1 / (1 + h_ar T),
// T = Σ_s 1/h_as. The product grows with h_ar. Every h is between G and G + largest_gap: each part is taken at
// the end that makes the term larger, and each class that may be the nearest counts. As 1 − cos ≤ 2, a term is also
// at most 2μ at the least h_ar; and as memberships sum to at most 1, the terms of q never sum to more than 2.
void bound_direction_of_classes(const Subset &subset, const FeatureTables &tables, Doubles &most_of_class) {
    const Index p = subset.data.p;
    most_of_class.assign(p, p > 2 ? 2.0 : 0.0);
    if (p < 3) return;
    const double lead = subset.data.is_published ? 1 : 0;
    const double *G = subset.G.data(), *W = tables.largest_gap.data();
    Doubles T(p, 0.0), limit(p, NO_DISTANCE);
    for (Index q = 0; q < p; q++)
        for (Index r = 0; r < p; r++) {
            if (q == r) continue;
            const double low = G[q * p + r], high = low + W[q * p + r];
            if (low < NEAR_CLASSES) return;
            T[q] += 1 / high;
            limit[q] = smaller(limit[q], high);
        }
    for (Index q = 0; q < p; q++) {
        double most = 0;
        for (Index a = 0; a < p; a++) {
            if (a == q || G[q * p + a] > limit[q]) continue;
            const double *G_q = G + q * p, *G_a = G + a * p, *W_a = W + a * p;
            const double near = G_q[a], s = std::sqrt(near), T_a = T[a];
            const double far = std::sqrt(smaller(near + W[q * p + a], limit[q]));
            double sum = 0;
#pragma omp simd reduction(+ : sum)
            for (Index r = 0; r < p; r++) {
                const double v = std::sqrt(larger(G_q[r], near)), apart = larger(v - far, 0.0);
                const double h = G_a[r] + W_a[r], turn = larger((h - apart * apart) / (2 * v * s), 0.0);
                const double term = smaller(turn / (lead + h * T_a), 2 / (lead + G_a[r] * T_a));
                sum += r == q || r == a ? 0.0 : term;
            }
            most = larger(most, smaller(sum, 2.0));
        }
        most_of_class[q] = most * (1 + EQUAL);
    }
}

// Step 6a for all classes, and the order in which step 8 looks at them: what may add most comes first.
void bound_direction(const Subset &subset, const FeatureTables &tables, StepBounds &bounds) {
    const Index p = subset.data.p;
    Doubles most_of_class;
    bound_direction_of_classes(subset, tables, most_of_class);
    bounds.most_first.resize(p), bounds.most_of_rest.resize(p);
    std::iota(bounds.most_first.begin(), bounds.most_first.end(), 0);
    std::stable_sort(bounds.most_first.begin(), bounds.most_first.end(),
                     [&](Index one, Index other) { return most_of_class[one] > most_of_class[other]; });
    double total = 0;
    for (Index k = p - 1; k >= 0; k--) {
        total += most_of_class[bounds.most_first[k]];
        bounds.most_of_rest[k] = total;
    }
    bounds.lambda_dir = total / static_cast<double>(p);
}

// The classes that are nearest to each one in the subset, and Λ_dis of the subset.
void find_nearest(const Subset &subset, StepBounds &bounds) {
    const Index p = subset.data.p, some = smaller<Index>(N_NEAREST, p - 1);
    bounds.nearest.assign(p * N_NEAREST, 0), bounds.nearest_gap.assign(p * N_NEAREST, 0);
    bounds.nearest_root.assign(p, 0.0);
    std::vector<std::int32_t> order(p);
    double sum = 0;
    for (Index q = 0; q < p && p > 1; q++) {
        const double *G = subset.G.data() + q * p;
        for (Index r = 0; r < p; r++) order[r] = static_cast<std::int32_t>(r);
        std::swap(order[q], order[p - 1]);
        std::partial_sort(order.begin(), order.begin() + some, order.end() - 1,
                          [&](std::int32_t one, std::int32_t other) { return G[one] < G[other]; });
        for (Index j = 0; j < N_NEAREST; j++) {
            const std::int32_t r = order[smaller(j, some - 1)];
            bounds.nearest[q * N_NEAREST + j] = r;
            bounds.nearest_gap[q * N_NEAREST + j] = static_cast<float>((G[r] - G[order[0]]) * (1 + 4 * U));
        }
        bounds.nearest_root[q] = std::sqrt(G[order[0]]);
        sum += bounds.nearest_root[q];
    }
    bounds.lambda_dis = sum / static_cast<double>(p);
}

// G and S in single precision, and S·g² ≤ by_class·e², as g² = (e_q − e_r)² ≤ 2 e_q² + 2 e_r².
void round_pairs(const Subset &subset, StepBounds &bounds) {
    const Index p = subset.data.p, width = whole_eights(p);
    const double *S = bounds.tangent.S.data();
    bounds.G.assign(p * width, FAR), bounds.S.assign(p * width, 0), bounds.by_class.assign(p, 0);
    bounds.sum_S = 0;
    Doubles by_class(p, 0.0);
    for (Index q = 0; q < p; q++)
        for (Index r = 0; r < p; r++) {
            if (q == r) continue;
            const double slope = smaller(S[q * p + r] * (1 + SUM_ERROR), LARGEST_SLOPE);
            bounds.G[q * width + r] = static_cast<float>(subset.G[q * p + r]);
            bounds.S[q * width + r] = static_cast<float>(slope);
            bounds.sum_S += slope;
            by_class[q] += 2 * slope;
            by_class[r] += 2 * slope;
        }
    for (Index q = 0; q < p; q++)
        bounds.by_class[q] = static_cast<float>(smaller(by_class[q] * (1 + SUM_ERROR), LARGEST));
}

// Step 6b, for the features from first to last: how much they add to Λ_dis at most, and S·g² at most.
// A minimum over some classes is no less than that over all. What a candidate adds to a distance is
// Δ / (√(G + Δ) + √G), with Δ = min_r (G_r − G_a + g_r²): rounding errors are relative to what is added.
void bound_by_classes(const ScaledData &data, const FeatureTables &tables, const StepBounds &bounds, Index first,
                      Index last, float *distance, float *bend) {
    const Index p = data.p, m = data.m, count = last - first;
    const Index some = smaller<Index>(N_NEAREST, p - 1);
    const float *error = tables.gap_error.data() + first;
    float least[CHUNK];
    for (Index f = 0; f < count; f++) distance[f] = bend[f] = 0;
    for (Index q = 0; q < p && p > 1; q++) {
        const float *e = tables.deviations.data() + q * m + first;
        const float slope = bounds.by_class[q], root = static_cast<float>(bounds.nearest_root[q] * (1 - 4 * U));
        for (Index j = 0; j < some; j++) {
            const float *other = tables.deviations.data() + bounds.nearest[q * N_NEAREST + j] * m + first;
            const float farther = bounds.nearest_gap[q * N_NEAREST + j];
            if (j == 0) {
#pragma omp simd
                for (Index f = 0; f < count; f++) {
                    const float gap = std::fabs(e[f] - other[f]) + error[f];
                    least[f] = gap * gap;
                }
            } else {
#pragma omp simd
                for (Index f = 0; f < count; f++) {
                    const float gap = std::fabs(e[f] - other[f]) + error[f];
                    least[f] = smaller(least[f], farther + gap * gap);
                }
            }
        }
        const float squared = root * root;
#pragma omp simd
        for (Index f = 0; f < count; f++) {
            distance[f] += least[f] / (std::sqrt(squared + least[f]) + root);
            const float size = std::fabs(e[f]) + error[f];
            bend[f] += slope * size * size;
        }
    }
    const float more = 1 + (static_cast<float>(p) + 32) * static_cast<float>(U), share = more / static_cast<float>(p);
#pragma omp simd
    for (Index f = 0; f < count; f++) {
        distance[f] *= share;
        bend[f] *= more;
    }
}

namespace {

// A number for each of eight classes, in registers of whatever width there is.
typedef float Eight __attribute__((vector_size(32)));
typedef std::int32_t EightInts __attribute__((vector_size(32)));

inline Eight load(const float *from) {
    Eight numbers;
    std::memcpy(&numbers, from, sizeof numbers);
    return numbers;
}
inline void store(const Eight &numbers, float *to) { std::memcpy(to, &numbers, sizeof numbers); }
inline float sum_of(const Eight &numbers) {
    float sum = 0;
    for (Index k = 0; k < EIGHT; k++) sum += numbers[k];
    return sum;
}
inline Eight inverse_root(const Eight &numbers) {
    Eight roots;
    for (Index k = 0; k < EIGHT; k++) roots[k] = 1 / std::sqrt(numbers[k]);
    return roots;
}

}  // namespace

// Step 7: Λ_dis and S·g² of a candidate in single precision, from above, and the nearest class of each one.
//
// A gap of rounded centroids is off by ε at most. As √(G + g²) changes no more than g, a distance is off by ε and 4u of
// itself, and h = G + g² by η(h) = 3u + 2ρ + ρ² of itself, ρ = ε/√h. So the nearest class of q is clear if the
// second one is farther by 16u + 8ρ. And (|g| + ε)² ≤ (1 + 2⁻¹²) g² + (1 + 2¹²) ε² bounds S·g².
void bound_distances(const ScaledData &data, const FeatureTables &tables, const StepBounds &bounds, Index feature,
                     RoundedDistances &to) {
    const Index p = data.p, width = whole_eights(p);
    to.deviations.assign(width, 0), to.h.resize(p * width), to.w.resize(p * width);
    to.T.resize(width), to.nearest.resize(width);
    const double *c = data.centroids.data() + feature * p, median = tables.median[feature];
    for (Index q = 0; q < p; q++) to.deviations[q] = static_cast<float>(c[q] - median);
    const float *e = to.deviations.data(), *G = bounds.G.data(), *S = bounds.S.data();
    const float u = static_cast<float>(U), epsilon = tables.gap_error[feature];
    float *h_of = to.h.data(), *w_of = to.w.data();
    double bend_of_all = 0, distance_of_all = 0;
    float largest_inverse = 0;
    bool has_tie = false;
    for (Index start = 0; start < width; start += EIGHT) {
        const Eight e_here = load(e + start);
        Eight T{}, bend{}, least = Eight{} + 2 * FAR, next = least;
        EightInts nearest{};
        for (Index q = 0; q < p; q++) {
            const Index at = q * width + start;
            const Eight gap = e[q] - e_here, square = gap * gap, h = load(G + at) + square;
            const Eight w = inverse_root(h < LEAST_SQUARE ? Eight{} + LEAST_SQUARE : h);
            store(h, h_of + at), store(w, w_of + at);
            T += w * w;
            bend += load(S + at) * square;
            nearest = h < least ? EightInts{} + static_cast<std::int32_t>(q) : nearest;
            const Eight farther = h > least ? h : least;
            next = farther < next ? farther : next;
            least = h < least ? h : least;
        }
        store(T, to.T.data() + start);
        std::memcpy(to.nearest.data() + start, &nearest, sizeof nearest);
        const Eight inverse = inverse_root(least < LEAST_SQUARE ? Eight{} + LEAST_SQUARE : least), root = least * inverse;
        const EightInts is_near = next <= least * (1 + 16 * u) + 8 * epsilon * root;
        for (Index k = 0; k < smaller(EIGHT, p - start); k++) {
            bend_of_all += static_cast<double>(bend[k]);
            distance_of_all += static_cast<double>(root[k]);
            largest_inverse = larger(largest_inverse, inverse[k]);
            has_tie = has_tie || is_near[k];
        }
    }
    const float rho = epsilon * largest_inverse;
    to.rho = static_cast<double>(rho);
    to.is_clear = !has_tie && rho <= LARGEST_RHO && largest_inverse <= COINCIDE;
    const double size = static_cast<double>(p), error = static_cast<double>(epsilon);
    const double rounding = 1 + (2 * size + 64) * U;
    to.lambda_dis = distance_of_all * rounding / size + error;
    to.bend = bend_of_all * rounding * (1 + 1 / YOUNG) + bounds.sum_S * (1 + YOUNG) * error * error;
}

namespace {

// μ of all classes for the nearest class a; h_ar T is at least 1.
void find_memberships(const float *h, float T, Index a, Index width, float lead, float *mu) {
    const float largest = static_cast<float>(LARGEST) / T;  // no product overflows
#pragma omp simd
    for (Index r = 0; r < width; r++) mu[r] = 1 / (lead + larger(smaller(h[r], largest) * T, 0.5f));
    mu[a] = 0;
}

}  // namespace

// Step 8: Λ_dir of that candidate in single precision, with the largest error it may have added.
//
// Let l = h_qa ≤ h = h_qr and k = h_ar, so that k ≤ 4h, and ρ = ε/√l. The numerator l + h − k of a cosine is off by
// 18uh + 8ε√h + 3ε², so the cosine by 9u√(h/l) + 6ρ + 3ρ² and 10u of arithmetic. Its membership μ ≤ 1 is also at most
// l/k, as T ≥ 1/l, so μ√(h/l) ≤ 2: either h ≤ 4l, or k ≥ h/4 and μ ≤ 4l/h. A membership is off by 2η(l_a) + (p + 14)u of
// itself, l_a the least h of a. Memberships sum to at most 1, and 1 − cos is at most 2. So the terms of q are off by
// 28pu + 6ρ + 3ρ² + 4η(l_a), and 2pu of their sum: less than 32(p + 1)u + 16ρ, with ρ ≤ 2⁻¹³ of the two classes that are
// nearest to each other. Twice that is added.
//
// Some classes and the most that the others can add (step 6a) are a bound as well. So it ends as soon as the bound is
// small enough.
PartialBound bound_directions(const ScaledData &data, const StepBounds &bounds, double small_enough,
                              RoundedDistances &distances) {
    const Index p = data.p, width = whole_eights(p);
    if (p < 3) return {0, true};
    const float lead = data.is_published ? 1 : 0;
    const std::int32_t *nearest = distances.nearest.data();
    distances.memberships.resize(p * width), distances.has_memberships.assign(p, 0);
    const float *h = distances.h.data(), *w = distances.w.data(), *T = distances.T.data();
    float *memberships = distances.memberships.data();
    char *has_memberships = distances.has_memberships.data();
    constexpr Index CLASSES_PER_LOOK = 4;
    const double size = static_cast<double>(p), rounding = 64 * (size + 1) * U + 32 * distances.rho;
    Eight sum{};
    for (Index k = 0; k < p; k++) {
        if (k > 0 && k % CLASSES_PER_LOOK == 0) {
            const double so_far = (static_cast<double>(sum_of(sum)) + bounds.most_of_rest[k]) / size + rounding;
            if (so_far < small_enough) return {so_far, false};
        }
        const Index q = bounds.most_first[k], a = nearest[q];
        const float *h_q = h + q * width, *h_a = h + a * width, *w_q = w + q * width;
        float *mu = memberships + a * width;
        if (!has_memberships[a]) find_memberships(h_a, T[a], a, width, lead, mu);
        has_memberships[a] = 1;
        const float near = h_q[a], half = 0.5f * w_q[a];
        for (Index r = 0; r < width; r += EIGHT) {
            // r = q adds nothing, as h_qq is FAR, and r = a neither, as it has no membership.
            const Eight turn = 1 - (near + (load(h_q + r) - load(h_a + r))) * (half * load(w_q + r));
            sum += load(mu + r) * (turn > 0 ? turn : Eight{});
        }
    }
    return {static_cast<double>(sum_of(sum)) / size + rounding, true};
}

}  // namespace s2fs
