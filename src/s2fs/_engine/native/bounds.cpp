// Steps 3 and 4: lower bounds of the compactness of all candidates, with the errors of step 8.

#include "state.hpp"

namespace s2fs {

namespace {

template <class Real>
void write(void *to, Index at, Doubles v) {
    Real *place = static_cast<Real *>(to) + at;
    for (int i = 0; i < N_DOUBLES; i++) place[i] = static_cast<Real>(v[i]);
}

template <class Real>
Doubles read(const void *from, Index at) {
    const Real *place = static_cast<const Real *>(from) + at;
    Doubles v;
    for (int i = 0; i < N_DOUBLES; i++) v[i] = place[i];
    return v;
}

// A chord ends at these multiples of an instance's own square and of the mean one; any end is right.
constexpr double OF_NEAR = 2, OF_TYPICAL = 8;

// Step 4 for the blocks of a thread, and the coefficients of step 3.
template <class Real>
void tangent_in(const Search &search, const Tangent &tangent, bool carry, Worker &worker) {
    const Table &t = *search.table;
    const State &s = *search.state;
    const Index p = t.n_classes;
    // The tangent touches where a candidate is like the features of the subset on average.
    double sum_G = 0, spread = 0, weights = ZERO;
    for (Index i = 0; i < p * p; i++) sum_G += s.G[i];
    for (Index i = worker.blocks.first * LANES; i < worker.blocks.last * LANES; i++)
        spread += t.weight[i] * s.near[i], weights += t.weight[i];
    const double size = s.size > 0 ? static_cast<double>(s.size) : 1.0;
    const double a2 = spread / weights / size, b2 = a2 + sum_G / static_cast<double>(p * p) / size;
    const bool caps = a2 > 0 && !t.is_sparse;  // sums of sparse columns are made of whole squares
    const Doubles least = all(ZERO), nought = {};
    double *S = worker.slopes_sum;
    for (Index i = 0; i < p * p; i++) S[i] = 0;
    for (Index i = 0; i < 2 * p; i++) worker.class_sums[i] = 0;
    Doubles distance = {}, constant = {};
    for (Index k = worker.blocks.first; k < worker.blocks.last && !stopped(search); k++) {
        for (int i = 0; i < LANES; i += N_DOUBLES) {
            const Index instance = k * LANES + i;
            const double *D = s.D + k * p * LANES + i, *P = s.P + k * p * LANES + i;
            const Doubles near = load(s.near + instance), weight = load(t.weight + instance);
            const Doubles home = root(near), u = near + a2;
            if (!carry) {
                Doubles most;  // above the squares of all offsets
                for (int j = 0; j < N_DOUBLES; j++) most[j] = t.reach[instance + j] + 8 * U_SINGLE;
                if (caps) most = smaller(most, OF_NEAR * near + OF_TYPICAL * a2);
                write<Real>(tangent.cap, instance, most);
            }
            const Doubles cap = read<Real>(tangent.cap, instance);
            distance = fma(weight, home, distance);
            write<Real>(tangent.near, instance, near);
            write<Real>(tangent.weight, instance, weight);
            write<Real>(tangent.chord, instance, weight / (root(near + cap) + home));

            double *slopes = worker.rows + i, *shares = slopes + p * LANES;
            Doubles memberships = {}, all_shares = {}, value = {};
            for (Index r = 0; r < p; r++) {
                const Doubles D_r = load(D + r * LANES), w = inverse_root(larger(D_r, least));
                const Doubles v = inverse_root(larger(D_r + b2, least)), v2 = v * v;
                const Doubles missing = larger(home * D_r * w - load(P + r * LANES), nought);
                const Doubles g = missing * v * v2, share = w * w / (D_r + 1.0);
                memberships = fma(w, w, memberships);
                all_shares += share;
                value += g;
                store(slopes + r * LANES, 1.5 * g * v2);
                store(shares + r * LANES, share);
            }
            // An instance on a centroid, where the sum is infinite, adds nothing to the bound.
            const Doubles once = memberships < 1 / (ZERO * 2) ? 1.0 / memberships : nought;
            const Doubles factor = weight * once / root(u) * (1.0 + once * all_shares * b2);
            value *= factor;
            Doubles rise = {}, risen = {};
            const Doubles less = value * once;
            for (Index r = 0; r < p; r++) {
                const Doubles slope = factor * load(slopes + r * LANES) - less * load(shares + r * LANES);
                const Doubles upwards = larger(slope, nought);
                rise += slope;
                risen += upwards;
                store(slopes + r * LANES, upwards);
            }
            const Doubles own_slope = 0.5 * value / larger(u, least);
            constant += value + rise * b2 + own_slope * a2;
            write<Real>(tangent.curvature, instance, own_slope + 2.0 * risen);
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
    for (int i = 0; i < 3; i++) worker.tangent_sums[i] = 0;
    for (int i = 0; i < LANES; i++) worker.shrunk[i] = 1;
    for (int i = 0; i < N_DOUBLES; i++) {
        worker.tangent_sums[0] += distance[i];
        worker.tangent_sums[1] += constant[i];
    }
}

// Σ chord min(a², cap) (or Σ weight √(near + a²)) and Σ curvature a² of some candidates over a chunk.
template <class Real, int N, Distance KIND>
void sums_over(const Tangent &tangent, Blocks blocks, const Real *const *offsets,
               double *const *sums) {
    constexpr int WIDTH = VECTOR_BYTES / sizeof(Real);
    const Index first = blocks.first * LANES, n = blocks.size() * LANES;
    const Real *curvature = static_cast<const Real *>(tangent.curvature) + first;
    const Real *slope = static_cast<const Real *>(tangent.chord) + first;
    const Real *weight = static_cast<const Real *>(tangent.weight) + first;
    const Real *near = static_cast<const Real *>(tangent.near) + first;
    const Real *cap = static_cast<const Real *>(tangent.cap) + first;
    Vector<Real> distance[N] = {}, penalty[N] = {};
    for (Index i = 0; i < n; i += WIDTH) {
        const Vector<Real> kappa = load(curvature + i), s = load(slope + i);
        const Vector<Real> share = load(weight + i), own = load(near + i), most = load(cap + i);
        for (int j = 0; j < N; j++) {
            const Vector<Real> a = load(offsets[j] + i), square = a * a;
            penalty[j] = fma(kappa, square, penalty[j]);
            if constexpr (KIND == Distance::CHORD)
                distance[j] = fma(s, smaller(square, most), distance[j]);
            else
                distance[j] = fma(share, root_from_below(own + square), distance[j]);
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

// Step 10: how much the chords of the blocks of a thread have shrunk since the step that is
// carried, and what larger curvatures add.
void compare_with_carried(const Table &t, const Tangent &tangent, const Carried &carried,
                          Worker &worker) {
    const float *chord = static_cast<const float *>(tangent.chord);
    const float *curvature = static_cast<const float *>(tangent.curvature);
    double grown = 0;
    for (Index k = worker.blocks.first * LANES; k < worker.blocks.last * LANES; k += LANES)
        for (int i = 0; i < LANES; i++) {
            // Where there was no chord, as for padding, nothing is carried.
            const float then = carried.chord[k + i], now = then > 0 ? chord[k + i] / then : 1.0f;
            worker.shrunk[i] = now < worker.shrunk[i] ? now : worker.shrunk[i];
            const float more = curvature[k + i] - carried.curvature[k + i];
            grown += more > 0 ? static_cast<double>(more) * t.reach[k + i] : 0.0;
        }
    worker.tangent_sums[2] = grown;
}

}  // namespace

void tangent_of(const Search &search, Workspace &ws, bool carry) {
    if (search.table->screens_in_single)
        tangent_in<float>(search, ws.tangent, carry, ws.worker);
    else
        tangent_in<double>(search, ws.tangent, carry, ws.worker);
    if (carry) compare_with_carried(*search.table, ws.tangent, ws.carried, ws.worker);
}

// Bring together what the threads found.
void join_tangents(const Search &search, Workspace &ws) {
    Tangent &tangent = ws.tangent;
    Worker &worker = ws.worker;
    const Index p = search.table->n_classes;
    tangent.distance = tangent.constant = tangent.sum_slopes = ws.carried.grown = 0;
    for (int i = 0; i < LANES; i++) ws.carried.shrunk[i] = 1;
    for (Index i = 0; i < p * p; i++) worker.H[i] = 0;  // room that is free now
    for (Index i = 0; i < 2 * p; i++) worker.all_class_sums[i] = 0;
    for (Index thread = 0; thread < search.n_threads; thread++) {
        const Worker other = lay_out(search, thread).worker;
        tangent.distance += other.tangent_sums[0];
        tangent.constant += other.tangent_sums[1];
        ws.carried.grown += other.tangent_sums[2];
        for (int i = 0; i < LANES; i++)
            if (other.shrunk[i] < ws.carried.shrunk[i]) ws.carried.shrunk[i] = other.shrunk[i];
        for (Index i = 0; i < 2 * p; i++) worker.all_class_sums[i] += other.class_sums[i];
        for (Index q = 0; q < p; q++)
            for (Index r = 0; r < p; r++)
                worker.H[q * p + r] += other.slopes_sum[q * p + r] + other.slopes_sum[r * p + q];
    }
    for (Index i = 0; i < p * p; i++) {
        tangent.sum_slopes += worker.H[i] / 2;
        worker.slopes[i] = static_cast<float>(worker.H[i] / 2);
    }
}

// From now on the sums of this step are carried.
void keep_tangent(Workspace &ws) {
    const Blocks blocks = ws.worker.blocks;
    const std::size_t at = static_cast<std::size_t>(blocks.first * LANES);
    const std::size_t size = static_cast<std::size_t>(blocks.size() * LANES) * sizeof(float);
    std::memcpy(ws.carried.chord + at, static_cast<float *>(ws.tangent.chord) + at, size);
    std::memcpy(ws.carried.curvature + at, static_cast<float *>(ws.tangent.curvature) + at, size);
}

// Two sums of each feature: Σ chord min(a², cap) or Σ weight √(near + a²), and Σ curvature a².
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

// The sums with chords of the neighbouring features from `first` on, kept by lanes.
void sums_to_carry(const Search &search, Workspace &ws, Index first, Index n, double *sums) {
    const Table &t = *search.table;
    const Index m = padded(t.n_features);
    const float *slope = static_cast<const float *>(ws.tangent.chord);
    const float *cap = static_cast<const float *>(ws.tangent.cap);
    const float *curvature = static_cast<const float *>(ws.tangent.curvature);
    for (Index j = 0; j < n; j++) {
        double chords[LANES] = {}, penalty = 0;
        for (Index number = 0; number < n_chunks(t) && !stopped(search); number++) {
            const Blocks blocks = chunk(t, number);
            const float *a = single_offsets(t, first + j, blocks, ws.worker.x, ws.worker.column);
            Floats chord[LANES / N_FLOATS] = {}, penalties[LANES / N_FLOATS] = {};
            for (Index i = blocks.first * LANES; i < blocks.last * LANES; i += LANES, a += LANES)
                for (int v = 0; v < LANES / N_FLOATS; v++) {
                    const Floats offset = load(a + v * N_FLOATS), square = offset * offset;
                    const Floats capped = smaller(square, load(cap + i + v * N_FLOATS));
                    chord[v] = fma(load(slope + i + v * N_FLOATS), capped, chord[v]);
                    penalties[v] = fma(load(curvature + i + v * N_FLOATS), square, penalties[v]);
                }
            for (int v = 0; v < LANES / N_FLOATS; v++) {
                for (int i = 0; i < N_FLOATS; i++) chords[v * N_FLOATS + i] += chord[v][i];
                penalty += total(penalties[v]);
            }
        }
        double distance = 0;
        for (int i = 0; i < LANES; i++) {
            ws.carried.chord_sums[i * m + first + j] = static_cast<float>(chords[i]);
            distance += chords[i];
        }
        ws.carried.curvature_sums[first + j] = static_cast<float>(penalty);
        sums[2 * j] = distance;
        sums[2 * j + 1] = penalty;
    }
}

// Bounds of the sums with chords of a tile of features, from those that are carried.
Sums carried_sums(const Search &search, const Workspace &ws, Index first) {
    const Index m = padded(search.table->n_features);
    const float *chords = ws.carried.chord_sums + first;
    Floats even = {}, odd = {};
    for (int i = 0; i < LANES; i += 2) {
        even = fma(all(ws.carried.shrunk[i]), load(chords + i * m), even);
        odd = fma(all(ws.carried.shrunk[i + 1]), load(chords + (i + 1) * m), odd);
    }
    const float grown = rounded_up(ws.carried.grown);
    return {even + odd, load(ws.carried.curvature_sums + first) + grown};
}

Room::Room(const Search &search, const Tangent &tangent) {
    const Table &t = *search.table;
    const double p = static_cast<double>(t.n_classes);
    const double u = t.screens_in_single ? U_SINGLE : U_DOUBLE, error = (CHUNK_BLOCKS + 64) * u;
    const double slack = static_cast<double>(search.state->size + t.n_blocks + 64) * 2 * U_DOUBLE;
    distance = tangent.distance * (1 - slack);
    by_chord = by_root = 1 - error;
    direction = tangent.constant - 16 * U_SINGLE * tangent.sum_slopes - slack;
    in_sums = 1 + error;
    in_form = 1 + (p * p + 16) * U_SINGLE;
}

}  // namespace s2fs
