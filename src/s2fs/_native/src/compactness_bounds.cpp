// Lower bounds of Θ for every candidate of a step. Compiled with -ffast-math: there are no NaN and no
// infinities here, and every result is a bound that covers rounding in any order.

#include <cmath>

#include "parallel_for.h"
#include "forward_search.h"

namespace s2fs {

namespace {

// Contributions of a chunk of samples to the tangent; chunks are added in their order.
struct TangentSums {
    double distance = 0, direction = 0;
    Doubles S;
};

// Step 3, the distance: √ is concave, so √(D + a²) ≥ √D + a² / (√(D + M) + √D) for a² up to M.
//
// Step 4, the direction. The term of sample i and class r ≠ own is
//     t_r = (√(D_o D_r) − P_r) / (√D_o D_r^{3/2} Z),  Z = Σ_s 1/D_s,  o = own.
// A candidate leaves the numerator at least as large (Cauchy: √(D'_o D'_r) ≥ √(D_o D_r) + ab). And
// ln(Z'/Z) = ln Σ_s π_s D_s/D'_s ≤ −Σ_s π_s b_s²/(D_s + b_s²) ≤ −z, z = Σ_s d_s b_s², with the memberships
// π and d_s = π_s / (D_s + the largest b²). So, with x = a²/D_o and y = b_r²/D_r,
//     t'_r ≥ t_r (1 + x)^{−1/2} (1 + y)^{−3/2} e^z.
// The right side is e to a convex function of (x, y, z), hence convex, and lies above its tangent at
// the x, y and z of a usual candidate. There e^z ≥ 1 + z: a smaller factor only lowers what is positive,
// and t' is never negative. The tangent is linear in a² and in each b_r². Where the coefficient of b_r² is
// negative, b = a + g gives b² ≤ (1 + ε) a² + (1 + 1/ε) g² (Young); where it is positive, b² ≥ 0.
void tangent_of_chunk(const Subset &subset, const FeatureTables &tables, Index start,
                      CompactnessTangent &tangent, TangentSums &sums) {
    const ScaledData &data = subset.data;
    const Index n = data.n, p = data.p, here = smaller(CHUNK, n - start);
    const std::int32_t *own = data.own.data() + start;
    const double *own_square = subset.own_square.data() + start;
    const double *usual = tables.mean_square.data() + start, most = tables.largest_extent;
    static thread_local Doubles terms, loosening;
    terms.resize(p * CHUNK), loosening.resize(p * CHUNK);
    double Z[CHUNK], own_class[CHUNK], sum_terms[CHUNK], value[CHUNK], bend[CHUNK], z0[CHUNK], bend_usual[CHUNK];
    for (Index i = 0; i < here; i++) {
        own_class[i] = static_cast<double>(own[i]);
        Z[i] = sum_terms[i] = value[i] = bend[i] = z0[i] = bend_usual[i] = 0;
    }
    for (Index r = 0; r < p; r++) {
        const double *D = subset.D.data() + r * n + start;
#pragma omp simd
        for (Index i = 0; i < here; i++) Z[i] += 1 / larger(D[i], ZERO_SQUARE);
    }
    for (Index r = 0; r < p; r++) {
        const double *D = subset.D.data() + r * n + start, *P = subset.P.data() + r * n + start;
        const double number = static_cast<double>(r);
        double gap[CHUNK], *term = terms.data() + r * CHUNK, *loose = loosening.data() + r * CHUNK;
        for (Index i = 0; i < here; i++) gap[i] = tables.mean_gap[r * p + own[i]];
#pragma omp simd
        for (Index i = 0; i < here; i++) {
            const double d = larger(D[i], ZERO_SQUARE), o = larger(own_square[i], ZERO_SQUARE);
            const double x0 = usual[i] / o, y0 = (usual[i] + gap[i]) / d;
            const double root = std::sqrt(d * o), t = (root - P[i]) / (d * root * Z[i]);
            const double f0 = 1 / (std::sqrt((1 + x0) * (1 + y0)) * (1 + y0));
            const double counted = own_class[i] != number && own_square[i] > 0 && t > 0 ? t * f0 : 0.0;
            term[i] = counted;
            loose[i] = 1 / (d * Z[i] * (d + most));  // d_r
            sum_terms[i] += counted;
            value[i] += counted * (1 + 0.5 * x0 / (1 + x0) + 1.5 * y0 / (1 + y0));
            z0[i] += loose[i] * (usual[i] + gap[i]);
        }
    }
    for (Index i = 0; i < here; i++) {
        value[i] = (value[i] - z0[i] * sum_terms[i]) * (1 + z0[i]);
        sum_terms[i] *= 1 + z0[i];
        bend[i] = 0.5 * sum_terms[i] / (larger(own_square[i], ZERO_SQUARE) + usual[i]);
    }
    for (Index r = 0; r < p; r++) {
        const double *D = subset.D.data() + r * n + start, number = static_cast<double>(r);
        double gap[CHUNK], *term = terms.data() + r * CHUNK, *loose = loosening.data() + r * CHUNK;
        for (Index i = 0; i < here; i++) gap[i] = tables.mean_gap[r * p + own[i]];
#pragma omp simd
        for (Index i = 0; i < here; i++) {
            const double d = larger(D[i], ZERO_SQUARE), square = usual[i] + gap[i];
            const double k = 1.5 * term[i] * (1 + z0[i]) / (d + square) - loose[i] * sum_terms[i];
            const double epsilon = std::sqrt((gap[i] + 1e-12 * square + 1e-200) / (usual[i] + 1e-12 * square + 1e-200));
            const double of_a = own_class[i] == number ? -loose[i] * sum_terms[i] : larger(k, 0.0) * (1 + epsilon);
            const double of_gap = own_class[i] == number ? 0.0 : larger(k, 0.0) * (1 + 1 / epsilon);
            bend[i] += of_a;
            bend_usual[i] += of_gap * gap[i];
            term[i] = of_gap;  // what S is made of
        }
    }
    for (Index i = 0; i < here; i++) {
        const Index at = start + i;
        const double weight = data.weight[at], o = own_square[i], root = std::sqrt(o);
        const double M = static_cast<double>(tables.largest_square[at]);
        const double chord = M > 0 && !data.is_rms ? weight / (std::sqrt(o + M) + root) : 0.0;
        // Where a usual candidate bends the tangent below 0, 0 is the better bound.
        const bool counts = value[i] > bend[i] * usual[i] + bend_usual[i] && value[i] < LARGEST &&
                            std::fabs(bend[i]) < LARGEST && bend_usual[i] < LARGEST;
        sums.distance += weight * root;
        sums.direction += counts ? weight * value[i] : 0.0;
        tangent.chord[at] = static_cast<float>(smaller(chord, LARGEST) * (1 - 4 * U));
        tangent.curvature[at] = static_cast<float>(counts ? weight * bend[i] : 0.0);
        double *S = sums.S.data() + own[i] * p;
        for (Index r = 0; r < p && counts; r++) S[r] += weight * terms[r * CHUNK + i];
    }
}

}  // namespace

CompactnessTangent make_tangent(const Subset &subset, const FeatureTables &tables, Index n_threads) {
    const Index n = subset.data.n, p = subset.data.p, n_chunks = (n + CHUNK - 1) / CHUNK;
    CompactnessTangent tangent{0, 0, Floats(n), Floats(n), Doubles(p * p, 0.0)};
    // Parts of a fixed number, so that the sums do not depend on the threads.
    const Index n_parts = smaller<Index>(n_chunks, 64);
    std::vector<TangentSums> parts(n_parts);
    const double n_operations = COST_OF_TANGENT * static_cast<double>(n) * static_cast<double>(p);
    parallel_for(n_parts, useful_threads(n_operations, n_threads), [&](Index first, Index last, Index) {
        for (Index part = first; part < last; part++) {
            parts[part].S.assign(p * p, 0.0);
            for (Index chunk = part * n_chunks / n_parts; chunk < (part + 1) * n_chunks / n_parts; chunk++)
                tangent_of_chunk(subset, tables, chunk * CHUNK, tangent, parts[part]);
        }
    });
    for (const TangentSums &part : parts) {
        tangent.distance += part.distance;
        tangent.direction += part.direction;
        for (Index k = 0; k < p * p; k++) tangent.S[k] += part.S[k];
    }
    return tangent;
}

void round_state(const Subset &subset, StepBounds &bounds) {
    const ScaledData &data = subset.data;
    bounds.D.assign(subset.D.begin(), subset.D.end());
    bounds.P.assign(subset.P.begin(), subset.P.end());
    bounds.own_square.assign(subset.own_square.begin(), subset.own_square.end());
    bounds.own_root.resize(data.n);
    for (Index i = 0; i < data.n; i++) bounds.own_root[i] = static_cast<float>(std::sqrt(subset.own_square[i]));
    bounds.weight.assign(data.weight.begin(), data.weight.end());
}

// Step 5: Σ weight (√(D + a²) − √D) itself. The differences are a² / (√(D + a²) + √D), so that their
// rounding errors are relative to what the candidate adds, not to what is there.
Roots sum_roots(const StepBounds &bounds, const float *offsets, Index n) {
    const float *square = bounds.own_square.data(), *root = bounds.own_root.data();
    const float *weight = bounds.weight.data(), *curvature = bounds.tangent.curvature.data();
    Roots sums{0, 0};
    for (Index start = 0; start < n; start += CHUNK) {
        const Index end = smaller(start + CHUNK, n);
        float added = 0, bend = 0, bend_size = 0;
#pragma omp simd reduction(+ : added, bend, bend_size)
        for (Index i = start; i < end; i++) {
            const float a = offsets[i] * offsets[i];
            added += weight[i] * a / (std::sqrt(square[i] + a) + root[i] + LEAST_SQUARE);
            const float term = curvature[i] * a;
            bend += term;
            bend_size += std::fabs(term);
        }
        sums.distance += static_cast<double>(added);
        sums.bend += static_cast<double>(bend) + SUM_ERROR * static_cast<double>(bend_size);
    }
    sums.distance *= 1 - SUM_ERROR;
    return sums;
}

// Step 9: Θ_dir in single precision, less the largest rounding error it may have. Values are taken from the median
// centroid on: where an outlier makes the range, all others may be near its other end. No term is negative, so a sum
// over some samples is a bound as well, and it ends as soon as the bound is large enough.
PartialBound screen_direction(const ScaledData &data, const FeatureTables &tables, const StepBounds &bounds, Index feature,
                              const float *offsets, double large_enough) {
    constexpr Index SAMPLES_PER_LOOK = 128;
    const Index n = data.n, p = data.p;
    const double *c = data.centroids.data() + feature * p, median = tables.median[feature];
    static thread_local Floats deviations;
    deviations.resize(p);
    for (Index q = 0; q < p; q++) deviations[q] = static_cast<float>(c[q] - median);
    const float *e = deviations.data();
    const float rounding = static_cast<float>(data.tolerance[feature] / U), u = static_cast<float>(U);
    const float of_all = 160 + 4 * static_cast<float>(p);
    double least = 0;
    for (Index start = 0; start < n; start += SAMPLES_PER_LOOK) {
        const Index here = smaller(SAMPLES_PER_LOOK, n - start);
        const float *a = offsets + start, *square = bounds.own_square.data() + start;
        const float *weight = bounds.weight.data() + start;
        float x[SAMPLES_PER_LOOK], w_own[SAMPLES_PER_LOOK], all[SAMPLES_PER_LOOK], turned[SAMPLES_PER_LOOK];
        for (Index i = 0; i < here; i++) x[i] = a[i] + e[data.own[start + i]];
#pragma omp simd
        for (Index i = 0; i < here; i++) {
            w_own[i] = 1 / std::sqrt(larger(square[i] + a[i] * a[i], LEAST_SQUARE));
            all[i] = turned[i] = 0;
        }
        for (Index r = 0; r < p; r++) {
            const float *D = bounds.D.data() + r * n + start, *P = bounds.P.data() + r * n + start;
            const float e_r = e[r];
#pragma omp simd
            for (Index i = 0; i < here; i++) {
                const float b = x[i] - e_r, w = 1 / std::sqrt(larger(D[i] + b * b, LEAST_SQUARE));
                const float share = w * w;
                all[i] += share;
                turned[i] += (1 - (P[i] + a[i] * b) * (w * w_own[i])) * share;
            }
        }
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (Index i = 0; i < here; i++) {
            const float y = 1.5f * std::fabs(x[i]) + std::fabs(a[i]) + rounding, t = turned[i] / all[i];
            const float error = u * (24 * y * std::sqrt(all[i]) + 32 * t + of_all);
            // What may be on its own centroid counts as 0.
            sum += w_own[i] < ON_OWN ? weight[i] * larger(t - error, 0.0f) : 0.0f;
        }
        least += static_cast<double>(sum) * (1 - SUM_ERROR);
        if (least > large_enough && start + here < n) return {least, false};
    }
    return {least, true};
}

}  // namespace s2fs
