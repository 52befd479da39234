// Steps 3 and 4: lower bounds of the compactness of all candidates, with the errors of step 8.

#include "state.hpp"

namespace s2fs {

namespace {

template <class Real>
void write(void *to, Index at, Doubles v) {
    Real *place = static_cast<Real *>(to) + at;
    for (int i = 0; i < N_DOUBLES; i++) place[i] = static_cast<Real>(v[i]);
}

// Step 4 for the blocks of a thread, and the coefficients of step 3.
template <class Real>
void tangent_in(const Table &t, const State &s, Tangent &tangent, Worker &worker) {
    const Index p = t.n_classes;
    // The tangent touches where a candidate is like the features of the subset on average.
    double sum_G = 0, spread = 0, weights = ZERO;
    for (Index i = 0; i < p * p; i++) sum_G += s.G[i];
    for (Index i = worker.blocks.first * LANES; i < worker.blocks.last * LANES; i++)
        spread += t.weight[i] * s.near[i], weights += t.weight[i];
    const double size = s.size > 0 ? static_cast<double>(s.size) : 1.0;
    const double a2 = spread / weights / size, b2 = a2 + sum_G / static_cast<double>(p * p) / size;
    const Doubles least = all(ZERO), nought = {};
    double *S = worker.slopes_sum;
    for (Index i = 0; i < p * p; i++) S[i] = 0;
    for (Index i = 0; i < 2 * p; i++) worker.class_sums[i] = 0;
    Doubles distance = {}, constant = {};
    for (Index k = worker.blocks.first; k < worker.blocks.last; k++) {
        for (int i = 0; i < LANES; i += N_DOUBLES) {
            const Index instance = k * LANES + i;
            const double *D = s.D + k * p * LANES + i, *P = s.P + k * p * LANES + i;
            const Doubles near = load(s.near + instance), weight = load(t.weight + instance);
            const Doubles home = root(near), u = near + a2;
            Doubles most;  // above the squares of all offsets; a chord to farther off is lower
            for (int j = 0; j < N_DOUBLES; j++) most[j] = t.reach[instance + j] + 8 * U_SINGLE;
            distance = fma(weight, home, distance);
            write<Real>(tangent.near, instance, near);
            write<Real>(tangent.weight, instance, weight);
            write<Real>(tangent.chord, instance, weight / (root(near + most) + home));

            Doubles memberships = {};
            for (Index r = 0; r < p; r++) memberships += 1.0 / load(D + r * LANES);
            // An instance on a centroid, where the sum is infinite, adds nothing to the bound.
            const Doubles factor = memberships < INF ? weight / (memberships * root(u)) : nought;
            Doubles value = {}, rise = {};
            for (Index r = 0; r < p; r++) {
                const Doubles D_r = load(D + r * LANES);
                const Doubles inverse = 1.0 / larger(D_r + b2, least);
                const Doubles missing = larger(home * root(D_r) - load(P + r * LANES), nought);
                const Doubles g = factor * missing * (inverse * root(inverse));
                const Doubles slope = 1.5 * g * inverse;
                value += g;
                rise += slope;
                store(worker.rows + r * LANES + i, slope);
            }
            const Doubles own_slope = 0.5 * value / larger(u, least);
            constant += value + rise * b2 + own_slope * a2;
            write<Real>(tangent.curvature, instance, own_slope + 2.0 * rise);
        }
        // Instances of a class follow each other, so a block has few classes.
        const std::int32_t *own = t.own + k * LANES;
        for (int i = 0; i < LANES;) {
            int end = i + 1;
            while (end < LANES && own[end] == own[i]) end++;
            for (Index r = 0; r < p; r++) {
                double sum = 0;
                for (int j = i; j < end; j++) sum += worker.rows[r * LANES + j];
                S[own[i] * p + r] += 2 * sum;
            }
            for (Index j = k * LANES + i; j < k * LANES + end; j++) {
                worker.class_sums[own[i]] += static_cast<const Real *>(tangent.chord)[j];
                worker.class_sums[p + own[i]] += static_cast<const Real *>(tangent.curvature)[j];
            }
            i = end;
        }
    }
    worker.tangent_sums[0] = worker.tangent_sums[1] = 0;
    for (int i = 0; i < N_DOUBLES; i++) {
        worker.tangent_sums[0] += distance[i];
        worker.tangent_sums[1] += constant[i];
    }
}

// Σ chord a² (or Σ weight √(near + a²)) and Σ curvature a² of some candidates over a chunk.
template <class Real, int N, Distance KIND>
void sums_over(const Tangent &tangent, Blocks blocks, const Real *const *offsets,
               double *const *sums) {
    constexpr int WIDTH = VECTOR_BYTES / sizeof(Real);
    const Index first = blocks.first * LANES, n = blocks.size() * LANES;
    const Real *curvature = static_cast<const Real *>(tangent.curvature) + first;
    const Real *slope = static_cast<const Real *>(tangent.chord) + first;
    const Real *weight = static_cast<const Real *>(tangent.weight) + first;
    const Real *near = static_cast<const Real *>(tangent.near) + first;
    Vector<Real> distance[N] = {}, penalty[N] = {};
    for (Index i = 0; i < n; i += WIDTH) {
        const Vector<Real> kappa = load(curvature + i), s = load(slope + i);
        const Vector<Real> share = load(weight + i), own = load(near + i);
        for (int j = 0; j < N; j++) {
            const Vector<Real> a = load(offsets[j] + i), square = a * a;
            penalty[j] = fma(kappa, square, penalty[j]);
            if constexpr (KIND == Distance::CHORD)
                distance[j] = fma(s, square, distance[j]);
            else
                distance[j] = fma(share, root(own + square), distance[j]);
        }
    }
    for (int j = 0; j < N; j++) {
        double one = 0, two = 0;
        if constexpr (sizeof(Real) == sizeof(float)) {
            one = total(distance[j]);
            two = total(penalty[j]);
        } else
            for (int i = 0; i < WIDTH; i++) {
                one += distance[j][i];
                two += penalty[j][i];
            }
        sums[j][0] += one;
        sums[j][1] += two;
    }
}

template <class Real, Distance KIND>
void sums_in(const Search &search, const Tangent &tangent, const Index *features, Index n,
             Worker &worker, double *sums) {
    const Table &t = *search.table;
    constexpr bool SINGLE = sizeof(Real) == sizeof(float);
    if (SINGLE && t.is_sparse && KIND == Distance::CHORD) {
        for (Index j = 0; j < n && !stopped(search); j++)
            sparse_sums(t, tangent, features[j], worker.all_class_sums, sums + 2 * j);
        return;
    }
    for (Index i = 0; i < 2 * n; i++) sums[i] = 0;
    for (Index number = 0; number < n_chunks(t) && !stopped(search); number++) {
        const Blocks blocks = chunk(t, number);
        Index start = 0;
        if constexpr (SINGLE) {
            for (; start + TOGETHER <= n; start += TOGETHER) {
                const float *offsets[TOGETHER];
                double *to[TOGETHER];
                for (int j = 0; j < TOGETHER; j++) {
                    offsets[j] = single_offsets(t, features[start + j], blocks, worker.x,
                                                worker.column + j * CHUNK);
                    to[j] = sums + 2 * (start + j);
                }
                sums_over<float, TOGETHER, KIND>(tangent, blocks, offsets, to);
            }
        }
        for (; start < n; start++) {
            const Real *offsets;
            double *to = sums + 2 * start;
            if constexpr (SINGLE)
                offsets = single_offsets(t, features[start], blocks, worker.x, worker.column);
            else {
                offsets_of(t, features[start], blocks, worker.x, worker.column_double);
                offsets = worker.column_double;
            }
            sums_over<Real, 1, KIND>(tangent, blocks, &offsets, &to);
        }
    }
}

}  // namespace

void tangent_of(const Table &t, const State &s, Tangent &tangent, Worker &worker) {
    if (t.screens_in_single)
        tangent_in<float>(t, s, tangent, worker);
    else
        tangent_in<double>(t, s, tangent, worker);
}

// Bring together what the threads found.
void join_tangents(const Search &search, Tangent &tangent, Worker &worker) {
    const Index p = search.table->n_classes;
    tangent.distance = tangent.constant = tangent.sum_slopes = 0;
    for (Index i = 0; i < p * p; i++) worker.slopes[i] = 0;
    for (Index i = 0; i < 2 * p; i++) worker.all_class_sums[i] = 0;
    for (Index thread = 0; thread < search.n_threads; thread++) {
        const Worker other = lay_out(search, thread).worker;
        tangent.distance += other.tangent_sums[0];
        tangent.constant += other.tangent_sums[1];
        for (Index i = 0; i < 2 * p; i++) worker.all_class_sums[i] += other.class_sums[i];
        for (Index q = 0; q < p; q++)
            for (Index r = 0; r < p; r++)
                worker.slopes[q * p + r] += other.slopes_sum[q * p + r] + other.slopes_sum[r * p + q];
    }
    for (Index i = 0; i < p * p; i++) {
        tangent.sum_slopes += worker.slopes[i] / 2;
        worker.slopes_single[i] = static_cast<float>(worker.slopes[i] / 2);
    }
}

// Two sums of each feature: Σ chord a² or Σ weight √(near + a²), and Σ curvature a².
void least_sums(const Search &search, const Tangent &tangent, Distance distance,
                const Index *features, Index n, Worker &worker, double *sums) {
    const auto sum = [&](auto function) { function(search, tangent, features, n, worker, sums); };
    if (search.table->screens_in_single)
        sum(distance == Distance::CHORD ? sums_in<float, Distance::CHORD>
                                        : sums_in<float, Distance::ROOT>);
    else
        sum(distance == Distance::CHORD ? sums_in<double, Distance::CHORD>
                                        : sums_in<double, Distance::ROOT>);
}

// Lower bounds of what Θ_dis and Θ_dir are made of, from these sums and Σ S g².
Least least_compactness(const Search &search, const Tangent &tangent, Distance distance,
                        Index feature, const double *sums, double form) {
    const Table &t = *search.table;
    const State &s = *search.state;
    const double p = static_cast<double>(t.n_classes);
    const double u = t.screens_in_single ? U_SINGLE : U_DOUBLE;
    const double in_sums = (CHUNK_BLOCKS + 32) * u, in_form = (p * p + 16) * U_SINGLE;
    const double slack = static_cast<double>(s.size + t.n_blocks + 64) * 2 * U_DOUBLE;
    const double room = tangent.constant - 16 * U_SINGLE * tangent.sum_slopes - slack;
    const double direction = room - sums[1] * (1 + in_sums) - form * (1 + in_form);
    const double by_sum = sums[0] * (1 - in_sums);
    Least least;
    if (t.rms)
        least.theta_dis = s.spread + t.spread[feature];
    else
        least.theta_dis = distance == Distance::CHORD ? tangent.distance * (1 - slack) + by_sum : by_sum;
    least.theta_dir = direction > 0 ? direction : 0.0;
    return least;
}

}  // namespace s2fs
