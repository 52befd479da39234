// Scaled columns, made of the input when they are needed, and their offsets from the own centroids.

#include "state.hpp"

namespace s2fs {

namespace {

template <class Value>
void dense_column(const Table &t, Index f, Blocks blocks, double *x) {
    const Value *column = static_cast<const Value *>(t.values) + f * t.column_step;
    const double lower = t.lower[f], width = t.width[f];
    const std::int32_t *row = t.row + blocks.first * LANES;
    for (Index i = 0; i < blocks.size() * LANES; i++)
        x[i] = (static_cast<double>(column[row[i] * t.row_step]) - lower) / width;
}

template <class Value, class Place>
void sparse_column(const Table &t, Index f, Blocks blocks, double *x) {
    const Value *values = static_cast<const Value *>(t.values);
    const Place *row_of = static_cast<const Place *>(t.row_of);
    const Place *start_of = static_cast<const Place *>(t.start_of);
    const double lower = t.lower[f], width = t.width[f], nothing = (0.0 - lower) / width;
    const Index first = blocks.first * LANES, last = blocks.last * LANES;
    for (Index i = 0; i < last - first; i++) x[i] = nothing;
    for (Place k = start_of[f]; k < start_of[f + 1]; k++) {
        const Index i = t.instance_of[row_of[k]];
        if (i >= first && i < last) x[i - first] = (static_cast<double>(values[k]) - lower) / width;
    }
}

}  // namespace

void scaled_column(const Table &t, Index feature, Blocks blocks, double *x) {
    if (!t.is_sparse)
        t.is_single ? dense_column<float>(t, feature, blocks, x)
                    : dense_column<double>(t, feature, blocks, x);
    else if (t.has_long_indices)
        t.is_single ? sparse_column<float, std::int64_t>(t, feature, blocks, x)
                    : sparse_column<double, std::int64_t>(t, feature, blocks, x);
    else
        t.is_single ? sparse_column<float, std::int32_t>(t, feature, blocks, x)
                    : sparse_column<double, std::int32_t>(t, feature, blocks, x);
}

// What counts as 0 in double precision is 0 here as well.
void offsets_of(const Table &t, Index feature, Blocks blocks, double *x, double *offsets) {
    scaled_column(t, feature, blocks, x);
    const double *c = t.centroids + feature * t.n_classes;
    const std::int32_t *own = t.own + blocks.first * LANES;
    const double rounding = t.on_centroid[feature];
    for (Index i = 0; i < blocks.size() * LANES; i++) {
        const double a = x[i] - c[own[i]];
        offsets[i] = std::fabs(a) > rounding ? a : 0.0;
    }
}

const float *single_offsets(const Table &t, Index feature, Blocks blocks, double *x, float *room) {
    if (t.offsets) return t.offsets + feature * t.n_samples + blocks.first * LANES;
    offsets_of(t, feature, blocks, x, x);
    for (Index i = 0; i < blocks.size() * LANES; i++) room[i] = static_cast<float>(x[i]);
    return room;
}

namespace {

template <class Value, class Place>
void sums_of_sparse(const Table &t, const float *chord, const float *curvature, Index f,
                    const double *class_sums, double *sums) {
    const Value *values = static_cast<const Value *>(t.values);
    const Place *row_of = static_cast<const Place *>(t.row_of);
    const Place *start_of = static_cast<const Place *>(t.start_of);
    const Index p = t.n_classes;
    const double *c = t.centroids + f * p;
    const double lower = t.lower[f], width = t.width[f], zero = (0.0 - lower) / width;
    // A column without zeros may have them outside its range, where they would eat the digits.
    const double nothing = zero < 0 ? 0.0 : zero > 1 ? 1.0 : zero;
    double distance = 0, penalty = 0;
    double all_chords = 0, all_curvatures = 0;
    for (Index q = 0; q < p; q++) {
        const double a = nothing - c[q];
        distance += class_sums[q] * a * a;
        penalty += class_sums[p + q] * a * a;
        all_chords += class_sums[q];
        all_curvatures += class_sums[p + q];
    }
    for (Place k = start_of[f]; k < start_of[f + 1]; k++) {
        const Index i = t.instance_of[row_of[k]];
        const double x = (static_cast<double>(values[k]) - lower) / width;
        const double more = (x - nothing) * (x + nothing - 2 * c[t.own[i]]);
        distance += static_cast<double>(chord[i]) * more;
        penalty += static_cast<double>(curvature[i]) * more;
    }
    // Each of the terms, of the size 2 at most, is rounded, and so are their sums.
    const double rounding = static_cast<double>(t.n_samples + p + 64) * 4 * U_DOUBLE;
    sums[0] = distance - rounding * all_chords;
    sums[1] = penalty + rounding * all_curvatures;
}

}  // namespace

// Σ chord a² and Σ curvature a² of a sparse column: as if it held nothing, and what its values add.
void sparse_sums(const Table &t, const Tangent &tangent, Index feature, const double *class_sums,
                 double *sums) {
    const float *chord = static_cast<const float *>(tangent.chord);
    const float *curvature = static_cast<const float *>(tangent.curvature);
    const auto of = [&](auto function) {
        function(t, chord, curvature, feature, class_sums, sums);
    };
    if (t.has_long_indices)
        of(t.is_single ? sums_of_sparse<float, std::int64_t>
                       : sums_of_sparse<double, std::int64_t>);
    else
        of(t.is_single ? sums_of_sparse<float, std::int32_t>
                       : sums_of_sparse<double, std::int32_t>);
}

namespace {

// The offsets of some blocks of all features, from rows as a table is mostly stored: PACKED if the
// values of a row follow each other.
template <class Value, bool PACKED>
void prepare_blocks(const Search &search, Blocks blocks) {
    const Table &t = *search.table;
    const Index step = PACKED ? 1 : t.column_step;
    constexpr Index TILE = 64;
    float tile[LANES][TILE];
    const Value *values = static_cast<const Value *>(t.values);
    const Index m = t.n_features, p = t.n_classes;
    for (Index start = 0; start < m && !stopped(search); start += TILE) {
        const Index n = m - start < TILE ? m - start : TILE;
        const double *lower = t.lower + start, *width = t.width + start;
        const double *rounding = t.on_centroid + start;
        double centre[TILE];
        std::int32_t owner = -1;
        for (Index k = blocks.first; k < blocks.last; k++) {
            for (int i = 0; i < LANES; i++) {
                const Index instance = k * LANES + i;
                if (t.own[instance] != owner) {
                    owner = t.own[instance];
                    for (Index j = 0; j < n; j++) centre[j] = t.centroids[(start + j) * p + owner];
                }
                const Value *x = values + t.row[instance] * t.row_step + start * step;
                for (Index j = 0; j < n; j++) {
                    const double value = static_cast<double>(x[j * step]);
                    const double a = (value - lower[j]) / width[j] - centre[j];
                    tile[i][j] = static_cast<float>(std::fabs(a) > rounding[j] ? a : 0.0);
                }
            }
            const Index n_here = least_of(LANES, t.n_samples - k * LANES);
            for (Index j = 0; j < n; j++) {
                float *to = t.offsets + (start + j) * t.n_samples + k * LANES;
                if (n_here == LANES)
                    for (int i = 0; i < LANES; i++) to[i] = tile[i][j];
                else
                    for (Index i = 0; i < n_here; i++) to[i] = tile[i][j];
            }
        }
    }
}

// Step 5: the largest gaps of all features; a gap has the error 4u.
void widest_gaps(const Table &t) {
    const Index p = t.n_classes, m = padded(t.n_features);
    for (Index q = 0; q < p; q++)
        for (Index r = 0; r <= q; r++) {
            const float *one = t.single_centroids + q * m, *other = t.single_centroids + r * m;
            Floats widest = {};
            for (Index f = 0; f < m; f += N_FLOATS)
                widest = larger(magnitude(load(one + f) - load(other + f)), widest);
            double most = 0;
            for (int i = 0; i < N_FLOATS; i++) most = widest[i] > most ? widest[i] : most;
            most += 4 * U_SINGLE;
            t.widest[q * p + r] = t.widest[r * p + q] = most * most;
        }
}

}  // namespace

}  // namespace s2fs

using namespace s2fs;

void s2fs_prepare(s2fs_search *search, std::int64_t thread) {
    const Table &t = *search->table;
    Worker w = lay_out(*search, thread).worker;
    for (Index k = w.blocks.first; k < w.blocks.last; k += CHUNK_BLOCKS) {
        const Blocks blocks = {k, least_of(k + CHUNK_BLOCKS, w.blocks.last)};
        if (t.offsets && t.row_step != 1 && t.column_step == 1)
            t.is_single ? prepare_blocks<float, true>(*search, blocks)
                        : prepare_blocks<double, true>(*search, blocks);
        else if (t.offsets && t.row_step != 1)
            t.is_single ? prepare_blocks<float, false>(*search, blocks)
                        : prepare_blocks<double, false>(*search, blocks);
        float *reach = t.reach + blocks.first * LANES;
        const Index n = least_of(blocks.size() * LANES, t.n_samples - blocks.first * LANES);
        for (Index i = 0; i < blocks.size() * LANES; i++) reach[i] = 0;
        for (Index f = 0; f < t.n_features && !stopped(*search); f++) {
            if (t.offsets && t.row_step == 1) {
                offsets_of(t, f, blocks, w.x, w.x);
                float *to = t.offsets + f * t.n_samples + blocks.first * LANES;
                for (Index i = 0; i < n; i++) to[i] = static_cast<float>(w.x[i]);
            }
            const float *a = single_offsets(t, f, blocks, w.x, w.column);
            for (Index i = 0; i < n; i++) {
                const float square = a[i] * a[i];
                reach[i] = square > reach[i] ? square : reach[i];
            }
        }
    }
    const Index step = padded(t.n_features), last = thread + 1 == search->n_threads ? step : w.last;
    for (Index q = 0; q < t.n_classes; q++)
        for (Index f = w.first; f < last; f++)
            t.single_centroids[q * step + f] =
                f < t.n_features ? static_cast<float>(t.centroids[f * t.n_classes + q]) : 0.0f;
    if (!all_here(*search)) return;
    if (thread == 0) widest_gaps(t);
    if (!t.rms) return;
    for (Index f = w.first; f < w.last; f++) {
        double sum = 0;
        for (Index number = 0; number < n_chunks(t); number++) {
            const Blocks blocks = chunk(t, number);
            if (stopped(*search)) return;
            offsets_of(t, f, blocks, w.x, w.column_double);
            const double *weight = t.weight + blocks.first * LANES;
            double part = 0;
            for (Index i = 0; i < blocks.size() * LANES; i++)
                part += weight[i] * w.column_double[i] * w.column_double[i];
            sum += part;
        }
        t.spread[f] = sum;
    }
}

void s2fs_class_sums(const s2fs_table *table, const double *centre, double *sums) {
    const Table &t = *table;
    const auto add = [&](const auto *values) {
        const Index m = t.n_features;
        const double *lower = t.lower;
        for (Index i = 0; i < t.n_samples; i++) {
            const auto *x = values + t.row[i] * t.row_step;
            const double *c = centre + t.own[i] * m, weight = t.weight[i];
            double *sum = sums + t.own[i] * m;
            for (Index f = 0; f < m; f++)
                sum[f] += weight * (static_cast<double>(x[f]) - lower[f] - c[f]);
        }
    };
    if (t.is_single)
        add(static_cast<const float *>(t.values));
    else
        add(static_cast<const double *>(t.values));
}
