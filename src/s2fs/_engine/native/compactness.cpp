// Steps 1, 2 and 6: the state of a subset, and how compact the classes are once a candidate joins.
//
// An array over instances and classes has the shape (blocks, classes, 16), so the innermost loop
// runs over neighbouring numbers. The result for a candidate does not depend on the others.

#include "state.hpp"

namespace s2fs {

namespace {

// Offsets of the values x from a centroid; what is rounding counts as 0.
Doubles offset(Doubles x, Doubles c, Doubles rounding) {
    const Doubles a = x - c;
    return magnitude(a) > rounding ? a : Doubles{};
}

}  // namespace

// Step 2: adds Θ_dis and Θ_dir of some blocks to `sums`; of the squares for the root mean square.
void compactness(const Table &t, const State &s, Index feature, Blocks blocks, double *x,
                 double *sums) {
    const Index p = t.n_classes;
    const double *c = t.centroids + feature * p;
    const Doubles rounding = all(t.on_centroid[feature]), zero = all(ZERO), nought = {};
    scaled_column(t, feature, blocks, x);
    double distance[LANES] = {}, direction[LANES] = {};
    for (Index k = blocks.first; k < blocks.last; k++, x += LANES)
        for (int i = 0; i < LANES; i += N_DOUBLES) {
            const Index instance = k * LANES + i;
            const double *D = s.D + k * p * LANES + i, *P = s.P + k * p * LANES + i;
            const Doubles z = load(x + i);
            const Doubles a = offset(z, gather(c, t.own + instance), rounding);
            const Doubles square = fma(a, a, load(s.near + instance)), length = root(square);
            const Doubles w_own = inverse_root(larger(square, zero));
            const Longs own = load_longs(t.own + instance);
            Doubles memberships = {}, turned = {};
            for (Index r = 0; r < p; r++) {
                const Doubles b = offset(z, all(c[r]), rounding);
                const Doubles w = inverse_root(larger(fma(b, b, load(D + r * LANES)), zero));
                const Doubles w2 = w * w;
                memberships += w2;
                // 1 − cos, which is 0 for the own class: rounding there must not count.
                const Doubles angle = 1.0 - fma(a, b, load(P + r * LANES)) * w * w_own;
                turned = fma(own == r ? nought : larger(angle, nought), w2, turned);
            }
            turned /= memberships;
            const Doubles weight = load(t.weight + instance);
            const Doubles size = t.rms ? square : length;
            store(distance + i, fma(weight, size, load(distance + i)));
            store(direction + i, fma(weight, square > 0 ? turned : nought, load(direction + i)));
        }
    for (int i = 0; i < LANES; i++) {
        sums[0] += distance[i];
        sums[1] += direction[i];
    }
}

namespace {

// Step 6 for some candidates: in single precision, with the part of the error of the direction
// that depends on the data as the third sum.
template <int N>
void compactness_of(const Table &t, const State &s, const Tangent &tangent, Blocks blocks,
                    const float *const *offsets, const float *const *c, const float *rounding,
                    double *const *sums) {
    const Index p = t.n_classes;
    const float *near = static_cast<const float *>(tangent.near);
    const float *weights = static_cast<const float *>(tangent.weight);
    const Floats zero = all(ZERO_SINGLE), nought = {}, two = all(2.0f);
    const Floats scale = all(static_cast<float>(24 * U_SINGLE));
    for (Index start = blocks.first; start < blocks.last; start += SINGLE_BLOCKS) {
        const Index end = start + SINGLE_BLOCKS < blocks.last ? start + SINGLE_BLOCKS : blocks.last;
        Floats distance[N] = {}, direction[N] = {}, error[N] = {};
        for (Index k = start; k < end; k++)
            for (int i = 0; i < LANES; i += N_FLOATS) {
                const Index instance = k * LANES + i;
                const double *D = s.D + k * p * LANES + i, *P = s.P + k * p * LANES + i;
                Floats a[N], x[N], memberships[N] = {}, pull[N] = {};
                for (int j = 0; j < N; j++) {
                    a[j] = load(offsets[j] + (k - blocks.first) * LANES + i);
                    x[j] = a[j] + gather(c[j], t.own + instance);
                }
                for (Index r = 0; r < p; r++) {
                    const Floats D_r = narrow(D + r * LANES), P_r = narrow(P + r * LANES);
                    for (int j = 0; j < N; j++) {
                        const Floats b = x[j] - all(c[j][r]);
                        const Floats w = inverse_root(larger(fma(b, b, D_r), zero));
                        const Floats w2 = w * w;
                        memberships[j] += w2;
                        pull[j] = fma(fma(a[j], b, P_r) * w, w2, pull[j]);
                    }
                }
                const Floats weight = load(weights + instance), own = load(near + instance);
                for (int j = 0; j < N; j++) {
                    const Floats square = fma(a[j], a[j], own);
                    const Floats length = root(larger(square, zero));
                    Floats turned = 1.0f - pull[j] / (memberships[j] * length);
                    turned = smaller(larger(turned, nought), two);
                    const auto apart = square >= zero;
                    distance[j] = fma(weight, apart ? length : nought, distance[j]);
                    direction[j] = fma(weight, apart ? turned : nought, direction[j]);
                    const Floats size = fma(all(1.5f), magnitude(x[j]), magnitude(a[j])) + rounding[j];
                    const Floats most = scale * size * root(memberships[j]);
                    error[j] = fma(weight, smaller(most, two), error[j]);
                }
            }
        for (int j = 0; j < N; j++) {
            sums[j][0] += total(distance[j]);
            sums[j][1] += total(direction[j]);
            sums[j][2] += total(error[j]);
        }
    }
}

}  // namespace

// The two sums of `features` and the error of the second one, one feature after the other.
void compactness_single(const Search &search, const Tangent &tangent, const Index *features,
                        Index n, Worker &worker, double *sums) {
    const Table &t = *search.table;
    const State &s = *search.state;
    const Index p = t.n_classes;
    for (Index i = 0; i < 3 * n; i++) sums[i] = 0;
    for (Index number = 0; number < n_chunks(t) && !stopped(search); number++) {
        const Blocks blocks = chunk(t, number);
        for (Index start = 0; start < n; start += TOGETHER) {
            const int here = static_cast<int>(least_of(n - start, TOGETHER));
            const float *offsets[TOGETHER], *c[TOGETHER];
            float rounding[TOGETHER];
            double *to[TOGETHER];
            for (int j = 0; j < here; j++) {
                const Index f = features[start + j];
                float *centroids = worker.pairs + j * p;
                for (Index r = 0; r < p; r++)
                    centroids[r] = static_cast<float>(t.centroids[f * p + r]);
                c[j] = centroids;
                offsets[j] = single_offsets(t, f, blocks, worker.x, worker.column + j * CHUNK);
                rounding[j] = static_cast<float>(t.on_centroid[f] / U_SINGLE);
                to[j] = sums + 3 * (start + j);
            }
            if (here == TOGETHER) {
                compactness_of<TOGETHER>(t, s, tangent, blocks, offsets, c, rounding, to);
                continue;
            }
            for (int j = 0; j < here; j++)
                compactness_of<1>(t, s, tangent, blocks, offsets + j, c + j, rounding + j, to + j);
        }
    }
    const double of_all = 160 + 4 * static_cast<double>(p);
    for (Index j = 0; j < n; j++) {
        double *to = sums + 3 * j;
        to[2] += U_SINGLE * (32 * to[1] + of_all * t.mass);
        if (t.rms) to[0] = s.spread + t.spread[features[j]];
    }
}

void compactness_double(const Search &search, Index feature, double *x, double *sums) {
    const Table &t = *search.table;
    sums[0] = sums[1] = sums[2] = 0;
    for (Index number = 0; number < n_chunks(t) && !stopped(search); number++) {
        double part[2] = {};
        compactness(t, *search.state, feature, chunk(t, number), x, part);
        sums[0] += part[0];
        sums[1] += part[1];
    }
}

// Step 1 for some blocks.
void add_to_instances(const Table &t, State &s, Index feature, Blocks blocks, double *x) {
    const Index p = t.n_classes;
    const double *c = t.centroids + feature * p;
    const Doubles rounding = all(t.on_centroid[feature]);
    scaled_column(t, feature, blocks, x);
    for (Index k = blocks.first; k < blocks.last; k++, x += LANES)
        for (int i = 0; i < LANES; i += N_DOUBLES) {
            const Index instance = k * LANES + i;
            double *D = s.D + k * p * LANES + i, *P = s.P + k * p * LANES + i;
            const Doubles z = load(x + i);
            const Doubles a = offset(z, gather(c, t.own + instance), rounding);
            for (Index r = 0; r < p; r++) {
                const Doubles b = offset(z, all(c[r]), rounding);
                store(D + r * LANES, fma(b, b, load(D + r * LANES)));
                store(P + r * LANES, fma(a, b, load(P + r * LANES)));
            }
            store(s.near + instance, fma(a, a, load(s.near + instance)));
        }
}

// Step 1 for the classes.
void add_to_classes(const Table &t, State &s, Index feature) {
    const Index p = t.n_classes;
    const double *c = t.centroids + feature * p, rounding = t.on_centroid[feature];
    for (Index q = 0; q < p; q++)
        for (Index r = 0; r < p; r++) {
            const double gap = c[q] - c[r];
            if (std::fabs(gap) > rounding) s.G[q * p + r] += gap * gap;
        }
    if (t.rms) s.spread += t.spread[feature];
    s.size++;
}

}  // namespace s2fs
