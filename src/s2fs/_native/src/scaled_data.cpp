// Scaled columns of a dense or sparse table, and what the bounds need to know of all of them.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "parallel_for.h"
#include "separability.h"

namespace s2fs {

ScaledData::ScaledData(const Table &table, const Index *codes, const double *weights, const double *lower,
                       const double *width, const double *tolerances, const double *class_means,
                       Index n_classes, double unit_, bool is_published_, bool is_rms_)
    : n(table.n_samples),
      m(table.n_features),
      p(n_classes),
      tolerance(tolerances, tolerances + m),
      centroids(class_means, class_means + m * p),
      unit(unit_),
      is_published(is_published_),
      is_rms(is_rms_),
      table_(table),
      lower_(lower, lower + m),
      width_(width, width + m) {
    require(n > 0 && p > 0, "there are no samples or no classes.");
    require(n < INT32_MAX - LANES, "there are more samples than 32 bits can count.");
    for (Index i = 0; i < n; i++) require(codes[i] >= 0 && codes[i] < p, "a class is out of range.");
    row_.resize(n);
    for (Index i = 0; i < n; i++) row_[i] = static_cast<std::int32_t>(i);
    std::stable_sort(row_.begin(), row_.end(),
                     [&](std::int32_t one, std::int32_t other) { return codes[one] < codes[other]; });
    if (table.is_sparse) {
        position_.resize(n);
        for (Index i = 0; i < n; i++) position_[row_[i]] = static_cast<std::int32_t>(i);
    }
    for (Index i = 0; i < n; i++) weight.push_back(weights[row_[i]]);
    // Whole registers: copies of the last sample that do not count.
    while (row_.size() % LANES) {
        row_.push_back(row_.back());
        weight.push_back(0);
    }
    n = static_cast<Index>(row_.size());
    for (std::int32_t row : row_) own.push_back(static_cast<std::int32_t>(codes[row]));
}

void ScaledData::read_column(Index feature, double *x) const {
    const double lower = lower_[feature], width = width_[feature];
    if (!table_.is_sparse) {
        table_.with_dense([&](const auto &values) {
            for (Index i = 0; i < n; i++) x[i] = (values(row_[i], feature) - lower) / width;
        });
        return;
    }
    std::fill(x, x + n, (0 - lower) / width);
    table_.with_sparse([&](const auto &stored) {
        for (Index k = stored.starts[feature]; k < stored.starts[feature + 1]; k++)
            x[position_[stored.samples[k]]] = (static_cast<double>(stored.values[k]) - lower) / width;
    });
    // The samples that fill the last lanes are copies of the last one.
    for (Index i = table_.n_samples; i < n; i++) x[i] = x[table_.n_samples - 1];
}

const float *ScaledData::offsets(Index feature, Floats &buffer) const {
    if (!table_.is_sparse) return tables_.offsets.get() + feature * n;
    Doubles x(n);
    read_column(feature, x.data());
    buffer.resize(n);
    const double *c = centroids.data() + feature * p;
    for (Index i = 0; i < n; i++)
        buffer[i] = static_cast<float>(beyond(x[i] - c[own[i]], tolerance[feature]));
    return buffer.data();
}

namespace {

// Σ v a² and Σ w a² of four features at once, which keeps the registers busy.
void four_weighted_squares(const float *v, const float *w, const float *const a[4], Index n, double by_v[4],
                           double by_w[4]) {
    const float *a0 = a[0], *a1 = a[1], *a2 = a[2], *a3 = a[3];
    for (int j = 0; j < 4; j++) by_v[j] = by_w[j] = 0;
    for (Index start = 0; start < n; start += CHUNK) {
        const Index end = smaller(start + CHUNK, n);
        float v0 = 0, v1 = 0, v2 = 0, v3 = 0, w0 = 0, w1 = 0, w2 = 0, w3 = 0;
#pragma omp simd reduction(+ : v0, v1, v2, v3, w0, w1, w2, w3)
        for (Index i = start; i < end; i++) {
            const float s0 = a0[i] * a0[i], s1 = a1[i] * a1[i], s2 = a2[i] * a2[i], s3 = a3[i] * a3[i];
            v0 += v[i] * s0, v1 += v[i] * s1, v2 += v[i] * s2, v3 += v[i] * s3;
            w0 += w[i] * s0, w1 += w[i] * s1, w2 += w[i] * s2, w3 += w[i] * s3;
        }
        by_v[0] += static_cast<double>(v0), by_v[1] += static_cast<double>(v1);
        by_v[2] += static_cast<double>(v2), by_v[3] += static_cast<double>(v3);
        by_w[0] += static_cast<double>(w0), by_w[1] += static_cast<double>(w1);
        by_w[2] += static_cast<double>(w2), by_w[3] += static_cast<double>(w3);
    }
}

}  // namespace

void ScaledData::weighted_squares(const Floats &v, const Floats &w, const Index *features, Index count, double *by_v,
                                  double *by_w) const {
    if (!table_.is_sparse) {
        for (Index k = 0; k < count; k += 4) {
            const float *four[4];
            double of_v[4], of_w[4];
            for (Index j = 0; j < 4; j++) four[j] = tables_.offsets.get() + features[smaller(k + j, count - 1)] * n;
            four_weighted_squares(v.data(), w.data(), four, n, of_v, of_w);
            for (Index j = 0; j < 4 && k + j < count; j++) by_v[k + j] = of_v[j], by_w[k + j] = of_w[j];
        }
        return;
    }
    // What is stored, and for the rest of each class an empty sample: linear in the stored values.
    Doubles v_of_class(p, 0.0), w_of_class(p, 0.0), v_left(p), w_left(p), empty(p);
    for (Index i = 0; i < n; i++) {
        v_of_class[own[i]] += static_cast<double>(v[i]);
        w_of_class[own[i]] += static_cast<double>(w[i]);
    }
    table_.with_sparse([&](const auto &stored) {
        for (Index k = 0; k < count; k++) {
            const Index f = features[k];
            const double *c = centroids.data() + f * p, zero = scaled(0, f), limit = tolerance[f];
            for (Index q = 0; q < p; q++) {
                const double a = beyond(zero - c[q], limit);
                empty[q] = a * a;
            }
            v_left = v_of_class, w_left = w_of_class;
            double sum_v = 0, sum_w = 0;
            for (Index s = stored.starts[f]; s < stored.starts[f + 1]; s++) {
                const Index i = position_[stored.samples[s]], q = own[i];
                const double a = beyond(scaled(static_cast<double>(stored.values[s]), f) - c[q], limit);
                sum_v += static_cast<double>(v[i]) * a * a;
                sum_w += static_cast<double>(w[i]) * a * a;
                v_left[q] -= static_cast<double>(v[i]);
                w_left[q] -= static_cast<double>(w[i]);
            }
            for (Index q = 0; q < p; q++) sum_v += v_left[q] * empty[q], sum_w += w_left[q] * empty[q];
            by_v[k] = sum_v, by_w[k] = sum_w;
        }
    });
}

const FeatureTables &ScaledData::tables(Index n_threads) const {
    std::call_once(once_, [&] { make_tables(n_threads); });
    return tables_;
}

// The offsets of a block of features. Dense tables are read in tiles that stay in the cache, whatever their memory order.
void ScaledData::make_offsets(Index first, Index last) const {
    constexpr Index ROWS = LANES, COLUMNS = 32;
    table_.with_dense([&](const auto &values) {
        double x[ROWS][COLUMNS] = {};
        float a[ROWS][COLUMNS];
        Doubles c(p * COLUMNS);
        for (Index f0 = first; f0 < last; f0 += COLUMNS) {
            const Index columns = smaller(COLUMNS, last - f0);
            double lower[COLUMNS] = {}, width[COLUMNS], limit[COLUMNS] = {};
            std::fill(width, width + COLUMNS, 1.0);
            for (Index f = 0; f < columns; f++) {
                lower[f] = lower_[f0 + f], width[f] = width_[f0 + f], limit[f] = tolerance[f0 + f];
                for (Index q = 0; q < p; q++) c[q * COLUMNS + f] = centroids[(f0 + f) * p + q];
            }
            for (Index i0 = 0; i0 < n; i0 += ROWS) {  // n is a multiple of ROWS
                if (table_.column_step == 1)
                    for (Index i = 0; i < ROWS; i++) {
                        if (i0 + ROWS + i < n) values.prefetch(row_[i0 + ROWS + i], f0, columns);
                        for (Index f = 0; f < columns; f++) x[i][f] = values(row_[i0 + i], f0 + f);
                    }
                else
                    for (Index f = 0; f < columns; f++)
                        for (Index i = 0; i < ROWS; i++) x[i][f] = values(row_[i0 + i], f0 + f);
                for (Index i = 0; i < ROWS; i++) {
                    const double *c_own = c.data() + own[i0 + i] * COLUMNS;
#pragma omp simd
                    for (Index f = 0; f < COLUMNS; f++)
                        a[i][f] = static_cast<float>(beyond((x[i][f] - lower[f]) / width[f] - c_own[f], limit[f]));
                }
                for (Index f = 0; f < columns; f++) {
                    float *to = tables_.offsets.get() + (f0 + f) * n + i0;
                    for (Index i = 0; i < ROWS; i++) to[i] = a[i][f];
                }
            }
        }
    });
}

void ScaledData::make_tables(Index n_threads) const {
    if (!table_.is_sparse) {
        tables_.offsets = make_large_floats(m * n);
        const double n_operations = COST_OF_OFFSET * static_cast<double>(m) * static_cast<double>(n);
        parallel_for(m, useful_threads(n_operations, n_threads),
                     [&](Index first, Index last, Index) { make_offsets(first, last); });
    }
    sum_squares_of_samples();
    sum_within(n_threads);
    bound_sum_errors();
    place_centroids();
    compare_classes();
}

// The largest and the mean a_i² of each sample. Sparse: of an empty sample, then of what is stored.
void ScaledData::sum_squares_of_samples() const {
    Doubles largest(n, 0.0), total(n, 0.0);
    if (table_.is_sparse) {
        Doubles empty_largest(p, 0.0), empty_total(p, 0.0);
        for (Index f = 0; f < m; f++)
            for (Index q = 0; q < p; q++) {
                const double a = beyond(scaled(0, f) - centroids[f * p + q], tolerance[f]);
                empty_largest[q] = larger(empty_largest[q], a * a);
                empty_total[q] += a * a;
            }
        for (Index i = 0; i < n; i++) largest[i] = empty_largest[own[i]], total[i] = empty_total[own[i]];
        table_.with_sparse([&](const auto &stored) {
            for (Index f = 0; f < m; f++)
                for (Index k = stored.starts[f]; k < stored.starts[f + 1]; k++) {
                    const Index i = position_[stored.samples[k]];
                    const double c = centroids[f * p + own[i]];
                    const double a = beyond(scaled(static_cast<double>(stored.values[k]), f) - c, tolerance[f]);
                    const double empty = beyond(scaled(0, f) - c, tolerance[f]);
                    largest[i] = larger(largest[i], a * a);
                    total[i] += a * a - empty * empty;
                }
        });
    } else {
        constexpr Index BLOCK = 4096;  // samples whose sums stay in the cache
        Floats most(BLOCK), sum(BLOCK);
        for (Index start = 0; start < n; start += BLOCK) {
            const Index here = smaller(BLOCK, n - start);
            std::fill(most.begin(), most.end(), 0.0f), std::fill(sum.begin(), sum.end(), 0.0f);
            float *largest_here = most.data(), *sum_here = sum.data();
            for (Index f = 0; f < m; f++) {
                const float *a = tables_.offsets.get() + f * n + start;
#pragma omp simd
                for (Index i = 0; i < here; i++) {
                    const float square = a[i] * a[i];
                    largest_here[i] = larger(largest_here[i], square);
                    sum_here[i] += square;
                }
            }
            for (Index i = 0; i < here; i++) {
                largest[start + i] = static_cast<double>(most[i]) * (1 + 4 * U);
                total[start + i] = static_cast<double>(sum[i]);
            }
        }
    }
    tables_.largest_square.resize(n), tables_.mean_square.resize(n);
    for (Index i = 0; i < n; i++) {
        tables_.largest_square[i] = static_cast<float>(largest[i] * (1 + 4 * U));
        tables_.mean_square[i] = larger(total[i], 0.0) / static_cast<double>(m);
    }
}

// The variance inside the classes of each feature.
void ScaledData::sum_within(Index n_threads) const {
    tables_.within.resize(m);
    const Floats single_weight(weight.begin(), weight.end());
    const double n_operations = COST_OF_OFFSET * static_cast<double>(m) * static_cast<double>(n);
    parallel_for(m, useful_threads(n_operations, n_threads), [&](Index first, Index last, Index) {
        Doubles again(last - first);
        Indices features(last - first);
        std::iota(features.begin(), features.end(), first);
        weighted_squares(single_weight, single_weight, features.data(), last - first, tables_.within.data() + first,
                         again.data());
    });
}

// Sums of sparse columns are differences: what is left of a class is known up to the rounding of its sum.
void ScaledData::bound_sum_errors() const {
    tables_.sum_error.assign(m, 0.0);
    if (!table_.is_sparse) return;
    Doubles class_weight(p, 0.0);
    for (Index i = 0; i < n; i++) class_weight[own[i]] += weight[i];
    const double rounding = static_cast<double>(n + 64) * 0x1p-51;
    for (Index f = 0; f < m; f++)
        for (Index q = 0; q < p; q++) {
            const double a = beyond(scaled(0, f) - centroids[f * p + q], tolerance[f]);
            tables_.sum_error[f] += rounding * class_weight[q] * a * a;
        }
}

// Centroids from the median on: their differences then keep their digits in single precision, even where one class is
// far from all others.
void ScaledData::place_centroids() const {
    tables_.deviations.resize(p * m), tables_.gap_error.resize(m), tables_.median.resize(m);
    double extent = 0;
    Doubles sorted(p);
    for (Index f = 0; f < m; f++) {
        const double *c = centroids.data() + f * p;
        sorted.assign(c, c + p);
        std::nth_element(sorted.begin(), sorted.begin() + p / 2, sorted.end());
        const double median = tables_.median[f] = sorted[p / 2];
        double most = 0;
        for (Index q = 0; q < p; q++) {
            tables_.deviations[q * m + f] = static_cast<float>(c[q] - median);
            most = larger(most, std::fabs(c[q] - median));
        }
        tables_.gap_error[f] = static_cast<float>(larger(4 * U * most, LEAST_GAP_ERROR));
        extent = larger(extent, tolerance[f] / ON_CENTROID);
    }
    tables_.largest_extent = extent * extent;
}

// The largest and the mean g_qr² of every two classes.
void ScaledData::compare_classes() const {
    tables_.largest_gap.assign(p * p, 0.0), tables_.mean_gap.assign(p * p, 0.0);
    for (Index q = 0; q < p; q++)
        for (Index r = 0; r < q; r++) {
            const float *one = tables_.deviations.data() + q * m, *other = tables_.deviations.data() + r * m;
            const float *error = tables_.gap_error.data();
            float most = 0, sum = 0;
#pragma omp simd reduction(max : most) reduction(+ : sum)
            for (Index f = 0; f < m; f++) {
                const float gap = std::fabs(one[f] - other[f]);
                most = larger(most, gap + error[f]);
                sum += gap * gap;
            }
            const double far = static_cast<double>(most) * (1 + 4 * U), mean = static_cast<double>(sum) / static_cast<double>(m);
            tables_.largest_gap[q * p + r] = tables_.largest_gap[r * p + q] = far * far;
            tables_.mean_gap[q * p + r] = tables_.mean_gap[r * p + q] = mean;
        }
}

}  // namespace s2fs
