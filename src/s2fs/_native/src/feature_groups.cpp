// The group of features with the largest Sep, of those that join as a whole.
//
// Λ of the joined subset takes p² terms, and is computed as it is scored. Θ_dir is not negative, so
//     Sep ≤ (Λ_dis + β Λ_dir) / Θ_dis,
// with Θ_dis from below by the rounded offsets: one pass over the samples for each feature. The largest bounds come
// first, and groups are scored in double precision until no bound reaches the best score. docs/engine.md, "Groups".

#include <algorithm>
#include <cmath>
#include <numeric>

#include "forward_search.h"
#include "parallel_for.h"

namespace s2fs {

namespace {

// Θ_dis of the joined subset without its unit, from below: an offset is off by U of itself, and so is its root.
double least_distance(const Subset &subset, const Index *features, Index count) {
    const ScaledData &data = subset.data;
    static thread_local std::vector<Floats> buffers;
    static thread_local std::vector<const float *> offsets;
    buffers.resize(count), offsets.resize(count);
    for (Index k = 0; k < count; k++) offsets[k] = data.offsets(features[k], buffers[k]);
    double total = 0, square[CHUNK];
    for (Index start = 0; start < data.n; start += CHUNK) {
        const Index here = smaller(CHUNK, data.n - start);
        std::copy_n(subset.own_square.data() + start, here, square);
        for (Index k = 0; k < count; k++) {
            const float *a = offsets[k] + start;
#pragma omp simd
            for (Index i = 0; i < here; i++) square[i] += static_cast<double>(a[i]) * static_cast<double>(a[i]);
        }
        const double *weight = data.weight.data() + start;
        double sum = 0;
        if (data.is_rms) {
#pragma omp simd reduction(+ : sum)
            for (Index i = 0; i < here; i++) sum += weight[i] * square[i];
        } else {
#pragma omp simd reduction(+ : sum)
            for (Index i = 0; i < here; i++) sum += weight[i] * std::sqrt(square[i]);
        }
        total += sum;
    }
    return (data.is_rms ? std::sqrt(total) : total) * (1 - 4 * U);
}

double upper_bound(const Subset &subset, const Index *features, Index count, double beta) {
    const ScaledData &data = subset.data;
    static thread_local Doubles G;
    G = subset.G;
    for (Index k = 0; k + 1 < count; k++) add_gaps(data, features[k], G);
    double lambda_dis, lambda_dir;
    separation(data, G, features[count - 1], &lambda_dis, &lambda_dir);
    const double distance = larger(least_distance(subset, features, count), ON_CENTROID);
    const double bound = (lambda_dis + beta * lambda_dir) / (data.unit * distance) * SLACK;
    return bound == bound ? bound : HUGE_VAL;  // no number: it must be looked at
}

Components score_group(const Subset &subset, const Index *features, Index count) {
    Subset joined(subset);
    for (Index k = 0; k + 1 < count; k++) joined.add(features[k]);
    return joined.score(features[count - 1]);
}

}  // namespace

Index best_group(const Subset &subset, const Groups &groups, double alpha, double beta, Index n_threads,
                 Components *components) {
    const Index count = groups.count;
    const double n = static_cast<double>(subset.data.n), p = static_cast<double>(subset.data.p);
    const double n_members = static_cast<double>(groups.n_members());
    subset.data.tables(n_threads);  // the offsets
    Doubles bounds(count);
    parallel_for(count, useful_threads(COST_OF_ROOTS * n_members * n, n_threads), [&](Index first, Index last, Index) {
        for (Index k = first; k < last; k++) bounds[k] = upper_bound(subset, groups.begin(k), groups.size(k), beta);
    });
    Indices order(count);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](Index one, Index other) { return bounds[one] > bounds[other]; });
    // Several threads score some groups at a time.
    const Index threads = useful_threads(COST_OF_SCORE * n_members * n * p, n_threads), together = threads > 1 ? 4 * threads : 1;
    std::vector<Components> found(count);
    Index n_scored = 0;
    double best = -HUGE_VAL;
    while (n_scored < count && !(bounds[order[n_scored]] < best * (1 - EQUAL))) {
        const Index end = smaller(n_scored + together, count);
        parallel_for(end - n_scored, threads, [&](Index first, Index last, Index) {
            for (Index j = n_scored + first; j < n_scored + last; j++) {
                const Index k = order[j];
                found[k] = score_group(subset, groups.begin(k), groups.size(k));
            }
        });
        for (; n_scored < end; n_scored++) {
            const double sep = found[order[n_scored]].sep(alpha, beta);
            if (sep == sep) best = larger(best, sep);
        }
    }
    Index winner = Search::NO_NUMBER;
    for (Index j = 0; j < n_scored; j++) {
        const Index k = order[j];
        if (found[k].sep(alpha, beta) >= best * (1 - EQUAL) && (winner < 0 || k < winner)) winner = k;
    }
    if (winner >= 0) *components = found[winner];
    return winner;
}

}  // namespace s2fs
