// The correlations of one feature with all features, over all samples or inside the classes.
//
// With residuals r of feature g, one number for each sample, and units u, the correlation with
// feature f is
//     Σ_i r_i (x_i(f) − c_own(i)(f)) / u(f),    r_i = w_i (x_i(g) − c_own(i)(g)) / u(g),
// where c are the class means and w the weights. Values are taken from an offset of each feature on, so
// that a large one does not eat the digits of the means; a missing value counts as its class mean, so
// it adds nothing. With one class this is the correlation over all samples, with several the one
// inside the classes. The sums of parts of a table add up to those of the whole.
//
// Without missing values the class means need not be looked up for each sample. For any o(f),
//     Σ_i r_i (x_i − c_own(i)) = Σ_i r_i (x_i − o) − Σ_q R_q (c_q − o),  R_q = Σ_{i of class q} r_i.
// o is the mean of the first class, or 0 where no mean is so large that it takes digits. Of a whole table, R_q is 0 up
// to rounding; of a part of one, as on a cluster, it is not.

#include <algorithm>
#include <cmath>
#include <vector>

#include "costs.h"
#include "parallel_for.h"
#include "table.h"

using namespace s2fs;

namespace {

struct Residuals {
    const Table &table;
    const Index *codes;
    const double *means;    // (classes, features), of the values less the offsets
    const double *offsets;  // (features)
    Index n_classes;
    bool is_shifted;                 // whether o is a mean
    std::vector<double> r;           // (samples)
    std::vector<double> class_sums;  // R_q

    const double *class_mean(Index q) const { return means + q * table.n_features; }
    double first_mean(Index f) const { return offsets[f] + means[f]; }
};

// Σ_q R_q (c_q − o) of feature f, where o is as far from the offset of the feature as that.
double correction(const Residuals &of, Index f, double o_from_offset) {
    double sum = 0.0;
    for (Index q = 0; q < of.n_classes; q++)
        sum += of.class_sums[q] * (of.class_mean(q)[f] - o_from_offset);
    return sum;
}

// A dense table without missing values whose columns lie in one piece each.
template <class Value>
void add_columns(const Residuals &of, const DenseValues<Value> &values, Index first, Index last,
                 double *products) {
    const Index n = of.table.n_samples;
    const double *r = of.r.data();
    for (Index f = first; f < last; f++) {
        const Value *x = values.values + f * values.column_step;
        const double o = of.first_mean(f);
        double sum = 0.0;
#pragma omp simd reduction(+ : sum)
        for (Index i = 0; i < n; i++) sum += r[i] * (static_cast<double>(x[i]) - o);
        products[f] = sum - correction(of, f, of.means[f]);
    }
}

// Adds Σ r_i (x_i − o) of neighbouring features to their sums. Eight samples are taken at once, so that the sums are
// read and written less often. PACKED if the values of a sample lie in one piece.
template <bool PACKED, bool SHIFTED, class Value>
void add_samples(const std::vector<double> &r, const DenseValues<Value> &values, Index start, Index width,
                 const double *o, double *sums) {
    const Index n = static_cast<Index>(r.size()), step = PACKED ? 1 : values.column_step, row = values.row_step;
    const Value *x = values.values + start * step;
    Index i = 0;
    for (; i + 8 <= n; i += 8) {
        const Value *x0 = x + i * row, *x1 = x0 + row, *x2 = x1 + row, *x3 = x2 + row, *x4 = x3 + row;
        const Value *x5 = x4 + row, *x6 = x5 + row, *x7 = x6 + row;
        const double r0 = r[i], r1 = r[i + 1], r2 = r[i + 2], r3 = r[i + 3];
        const double r4 = r[i + 4], r5 = r[i + 5], r6 = r[i + 6], r7 = r[i + 7];
        const auto of = [&](const Value *of_sample, Index j) {
            return static_cast<double>(of_sample[j * step]) - (SHIFTED ? o[j] : 0.0);
        };
#pragma omp simd
        for (Index j = 0; j < width; j++)
            sums[j] += ((r0 * of(x0, j) + r1 * of(x1, j)) + (r2 * of(x2, j) + r3 * of(x3, j))) +
                       ((r4 * of(x4, j) + r5 * of(x5, j)) + (r6 * of(x6, j) + r7 * of(x7, j)));
    }
    for (; i < n; i++)
#pragma omp simd
        for (Index j = 0; j < width; j++)
            sums[j] += r[i] * (static_cast<double>(x[i * row + j * step]) - (SHIFTED ? o[j] : 0.0));
}

// A dense table without missing values of any other order.
template <bool PACKED, class Value>
void add_rows(const Residuals &of, const DenseValues<Value> &values, Index first, Index last,
              double *products) {
    constexpr Index COLUMNS = 256;  // sums that stay in the cache
    for (Index start = first; start < last; start += COLUMNS) {
        const Index width = std::min(COLUMNS, last - start);
        double sums[COLUMNS] = {}, o[COLUMNS];
        for (Index j = 0; j < width; j++) o[j] = of.is_shifted ? of.first_mean(start + j) : 0.0;
        if (of.is_shifted)
            add_samples<PACKED, true>(of.r, values, start, width, o, sums);
        else
            add_samples<PACKED, false>(of.r, values, start, width, o, sums);
        for (Index j = 0; j < width; j++)
            products[start + j] = sums[j] - correction(of, start + j, o[j] - of.offsets[start + j]);
    }
}

// A dense table with missing values.
template <class Value>
void add_known(const Residuals &of, const DenseValues<Value> &values, Index first, Index last,
               double *products) {
    std::fill(products + first, products + last, 0.0);
    for (Index i = 0; i < of.table.n_samples; i++) {
        const Value *x = values.values + i * values.row_step;
        const double *mean = of.class_mean(of.codes[i]), r = of.r[i];
        for (Index f = first; f < last; f++) {
            const double value = static_cast<double>(x[f * values.column_step]);
            const double residual = (value - of.offsets[f]) - mean[f];
            products[f] += residual == residual ? r * residual : 0.0;
        }
    }
}

// A sparse table: as if it held 0 everywhere, and what the stored values add to that. If all samples
// have a stored value, they are taken from a class mean on instead of 0.
template <class Value, class Place>
void add_stored(const Residuals &of, const SparseValues<Value, Place> &values, Index first,
                Index last, double *products) {
    for (Index f = first; f < last; f++) {
        const Index begin = values.starts[f], end = values.starts[f + 1];
        const bool is_full = end - begin == of.table.n_samples;
        const double o = is_full ? of.first_mean(f) : 0.0;
        double sum = 0.0;
        for (Index k = begin; k < end; k++) {
            const Index i = values.samples[k];
            const double x = static_cast<double>(values.values[k]);
            const double known = x == x ? x : of.offsets[f] + of.class_mean(of.codes[i])[f];
            sum += of.r[i] * (known - o);
        }
        products[f] = sum - correction(of, f, is_full ? of.means[f] : -of.offsets[f]);
    }
}

// One column in double precision.
std::vector<double> column_of(const Table &table, Index feature) {
    std::vector<double> column(table.n_samples, 0.0);
    if (table.is_sparse)
        table.with_sparse([&](const auto &values) {
            for (Index k = values.starts[feature]; k < values.starts[feature + 1]; k++)
                column[values.samples[k]] = static_cast<double>(values.values[k]);
        });
    else
        table.with_dense([&](const auto &values) {
            for (Index i = 0; i < table.n_samples; i++) column[i] = values(i, feature);
        });
    return column;
}

}  // namespace

// The correlations of a feature with the features from first to last.
S2FS_ENTRY(s2fs_correlations,
           (const Table *table, const Index *codes, const double *weight, const double *means,
            Index n_classes, const double *offsets, const double *units, Index has_missing, Index is_shifted, Index feature,
            Index first, Index last, Index n_threads, double *correlations)) {
    return guarded([&] {
        require(0 <= first && first <= last && last <= table->n_features && 0 <= feature &&
                    feature < table->n_features,
                "the features are not in the table.");
        Residuals of{*table, codes, means, offsets, n_classes, is_shifted != 0, column_of(*table, feature), {}};
        of.class_sums.assign(n_classes, 0.0);
        for (Index i = 0; i < table->n_samples; i++) {
            require(0 <= codes[i] && codes[i] < n_classes, "a class is out of range.");
            const double residual = (of.r[i] - offsets[feature]) - of.class_mean(codes[i])[feature];
            of.r[i] = residual == residual ? weight[i] * residual / units[feature] : 0.0;
            of.class_sums[codes[i]] += of.r[i];
        }
        const double operations = COST_OF_PRODUCT * static_cast<double>((last - first) * table->n_samples);
        const Index n_useful = table->is_sparse ? 1 : useful_threads(operations, n_threads);
        parallel_for(last - first, n_useful, [&](Index begin, Index end, Index) {
            begin += first;
            end += first;
            if (table->is_sparse)
                table->with_sparse(
                    [&](const auto &values) { add_stored(of, values, begin, end, correlations); });
            else
                table->with_dense([&](const auto &values) {
                    if (has_missing)
                        add_known(of, values, begin, end, correlations);
                    else if (values.row_step == 1)
                        add_columns(of, values, begin, end, correlations);
                    else if (values.column_step == 1)
                        add_rows<true>(of, values, begin, end, correlations);
                    else
                        add_rows<false>(of, values, begin, end, correlations);
                });
            for (Index f = begin; f < end; f++) correlations[f] /= units[f];
        });
    });
}

// The residuals of some features, w^½ (x − c_own) / u with 0 for missing values, of the samples from
// first on: (samples, features).
S2FS_ENTRY(s2fs_residuals,
           (const Table *table, const Index *codes, const double *weight, const double *means,
            Index n_classes, const double *units, const Index *features, Index n_chosen, Index first,
            Index n_block, double *residuals)) {
    return guarded([&] {
        const Index last = first + n_block, m = table->n_features;
        require(0 <= first && last <= table->n_samples, "the samples are not in the table.");
        // What is needed of the chosen features, side by side.
        std::vector<double> inverse_units(n_chosen), chosen_means(n_classes * n_chosen);
        for (Index k = 0; k < n_chosen; k++) {
            require(0 <= features[k] && features[k] < m, "the features are not in the table.");
            inverse_units[k] = 1 / units[features[k]];
            for (Index q = 0; q < n_classes; q++) chosen_means[q * n_chosen + k] = means[q * m + features[k]];
        }
        if (table->is_sparse)
            table->with_sparse([&](const auto &values) {
                std::fill_n(residuals, n_block * n_chosen, 0.0);
                for (Index k = 0; k < n_chosen; k++) {
                    const auto *end = values.samples + values.starts[features[k] + 1];
                    const auto *at = values.samples + values.starts[features[k]];
                    for (at = std::lower_bound(at, end, first); at < end && *at < last; at++)
                        residuals[(*at - first) * n_chosen + k] =
                            static_cast<double>(values.values[at - values.samples]);
                }
            });
        else
            table->with_dense([&](const auto &values) {
                // Along the memory, and of columns so many samples that the results stay in the cache.
                const Index some = values.column_step <= values.row_step ? 1 : 16;
                for (Index start = 0; start < n_block; start += some) {
                    const Index end = std::min(start + some, n_block), later = first + std::min(end, n_block - 1);
                    for (Index k = 0; k < n_chosen; k++) {
                        // The processor does not foresee features that are far apart.
                        if (values.column_step == 1) values.prefetch(later, features[k], 1);
                        for (Index i = start; i < end; i++)
                            residuals[i * n_chosen + k] = values(first + i, features[k]);
                    }
                }
            });
        for (Index i = 0; i < n_block; i++) {
            const Index q = codes[first + i];
            require(0 <= q && q < n_classes, "a class is out of range.");
            const double root = std::sqrt(weight[first + i]);
            const double *mean = &chosen_means[q * n_chosen];
            double *r = residuals + i * n_chosen;
#pragma omp simd
            for (Index k = 0; k < n_chosen; k++) {
                const double residual = r[k] - mean[k];
                r[k] = residual == residual ? root * residual * inverse_units[k] : 0.0;
            }
        }
    });
}
