// What one pass over the samples tells about every class and feature: counts, means, and the sum of
// squared differences to the own class mean, each sample with its weight; smallest and largest
// values; and which features have missing values (NaN), which count for nothing.
//
// Two rules keep the digits. Values are summed from one of them on, not from 0: a large offset that
// all values share would leave few digits for their differences. And squares are taken about the
// means once these are known: the difference of two large sums would cancel.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "costs.h"
#include "dense_tiles.h"
#include "parallel_for.h"

using namespace s2fs;

namespace {

// Features that are summed side by side.
constexpr Index WIDTH = DenseTiles<double>::WIDTH;
constexpr double NONE = std::numeric_limits<double>::quiet_NaN();

struct Samples {
    const Table &table;
    const Index *codes;    // the class of each sample
    const double *weight;  // how much it counts
    Index n_classes;
};

// Where the results go: (classes, features) or (features).
struct Moments {
    double *counts, *means, *squares, *lower, *upper;
    std::uint8_t *has_missing;
};

// The moments of up to WIDTH features of a dense table.
template <class Value>
class DenseBlock {
   public:
    DenseBlock(const Samples &samples, const DenseValues<Value> &values, DenseTiles<Value> &tiles,
               Index feature, Index n_features)
        : samples_(samples),
          values_(values),
          feature_(feature),
          n_features_(n_features),
          tiles_(tiles),
          sums_(samples.n_classes * WIDTH, 0.0),
          counts_(samples.n_classes * WIDTH, 0.0) {
        tiles_.move_to(feature, n_features);
        std::fill_n(lower_, WIDTH, NONE);
        std::fill_n(upper_, WIDTH, NONE);
    }

    void compute(const double *class_weight, const Moments &to) {
        for (Index j = 0; j < n_features_; j++) offset_[j] = first_known(feature_ + j);
        tiles_.for_each_sample([&](Index i, const double *x) { add_value(i, x); });
        const bool any_missing = std::any_of(missing_, missing_ + WIDTH, [](Index n) { return n > 0; });
        if (any_missing)
            tiles_.for_each_sample([&](Index i, const double *x) { count_value(i, x); });
        else
            for (Index q = 0; q < samples_.n_classes; q++)
                std::fill_n(&counts_[q * WIDTH], WIDTH, class_weight[q]);
        for (std::size_t k = 0; k < sums_.size(); k++)
            sums_[k] /= counts_[k] > 0 ? counts_[k] : 1.0;  // they are means from here on
        tiles_.for_each_sample([&](Index i, const double *x) { add_square(i, x); });
        write(to);
    }

   private:
    // A value inside the range of a feature; 0 if it has none.
    double first_known(Index feature) const {
        for (Index i = 0; i < samples_.table.n_samples; i++) {
            const double x = values_(i, feature);
            if (x == x) return x;
        }
        return 0.0;
    }

    void add_value(Index i, const double *x) {
        double *sum = &sums_[samples_.codes[i] * WIDTH];
        const double w = samples_.weight[i];
#pragma omp simd
        for (Index j = 0; j < WIDTH; j++) {
            const bool known = x[j] == x[j];
            sum[j] += known ? w * (x[j] - offset_[j]) : 0.0;
            lower_[j] = known & !(lower_[j] <= x[j]) ? x[j] : lower_[j];
            upper_[j] = known & !(upper_[j] >= x[j]) ? x[j] : upper_[j];
            missing_[j] += known ? 0 : 1;
        }
    }

    void count_value(Index i, const double *x) {
        double *count = &counts_[samples_.codes[i] * WIDTH];
        const double w = samples_.weight[i];
#pragma omp simd
        for (Index j = 0; j < WIDTH; j++) count[j] += x[j] == x[j] ? w : 0.0;
    }

    void add_square(Index i, const double *x) {
        const double *mean = &sums_[samples_.codes[i] * WIDTH];
        const double w = samples_.weight[i];
#pragma omp simd
        for (Index j = 0; j < WIDTH; j++) {
            const double residual = (x[j] - offset_[j]) - mean[j];
            squares_[j] += residual == residual ? w * residual * residual : 0.0;
        }
    }

    void write(const Moments &to) const {
        const Index m = samples_.table.n_features;
        for (Index q = 0; q < samples_.n_classes; q++)
            for (Index j = 0; j < n_features_; j++) {
                to.counts[q * m + feature_ + j] = counts_[q * WIDTH + j];
                to.means[q * m + feature_ + j] = sums_[q * WIDTH + j] + offset_[j];
            }
        for (Index j = 0; j < n_features_; j++) {
            to.squares[feature_ + j] = squares_[j];
            to.lower[feature_ + j] = lower_[j];
            to.upper[feature_ + j] = upper_[j];
            to.has_missing[feature_ + j] = missing_[j] > 0;
        }
    }

    const Samples &samples_;
    const DenseValues<Value> values_;
    const Index feature_, n_features_;
    DenseTiles<Value> &tiles_;
    std::vector<double> sums_, counts_;  // (classes, WIDTH)
    alignas(64) double offset_[WIDTH] = {}, squares_[WIDTH] = {};
    alignas(64) double lower_[WIDTH], upper_[WIDTH];
    alignas(64) Index missing_[WIDTH] = {};
};

// The moments of one feature of a sparse table: only stored values are looked at. What is not stored
// is 0, so values are summed from 0 on, unless every sample has a stored value.
template <class Value, class Place>
void sparse_moments(const Samples &samples, const SparseValues<Value, Place> &values, Index f,
                    const double *class_weight, const Moments &to) {
    const Index p = samples.n_classes, m = samples.table.n_features;
    const Index begin = values.starts[f], end = values.starts[f + 1];
    const bool has_zeros = end - begin < samples.table.n_samples;
    const auto value = [&](Index k) { return static_cast<double>(values.values[k]); };
    double offset = 0.0;
    if (!has_zeros)
        for (Index k = end; k-- > begin;)
            if (value(k) == value(k)) offset = value(k);
    std::vector<double> sums(p, 0.0), known(p, 0.0), missing(p, 0.0);  // weights, of stored values
    double lower = has_zeros ? 0.0 : NONE, upper = lower;
    for (Index k = begin; k < end; k++) {
        const Index q = samples.codes[values.samples[k]];
        const double x = value(k), w = samples.weight[values.samples[k]];
        if (x != x) {
            missing[q] += w;
            continue;
        }
        known[q] += w;
        sums[q] += w * (x - offset);
        lower = lower <= x ? lower : x;
        upper = upper >= x ? upper : x;
    }
    double squares = 0.0;
    for (Index q = 0; q < p; q++) {
        const double count = class_weight[q] - missing[q];
        sums[q] /= count > 0 ? count : 1.0;  // a mean from here on
        // A difference of rounded sums must not make squares negative.
        const double zeros = has_zeros ? std::max(count - known[q], 0.0) : 0.0;
        squares += zeros * sums[q] * sums[q];
        to.counts[q * m + f] = count;
        to.means[q * m + f] = sums[q] + offset;
    }
    bool any_missing = false;
    for (Index k = begin; k < end; k++) {
        const Index i = values.samples[k];
        const double residual = (value(k) - offset) - sums[samples.codes[i]];
        any_missing |= value(k) != value(k);
        squares += residual == residual ? samples.weight[i] * residual * residual : 0.0;
    }
    to.squares[f] = squares;
    to.lower[f] = lower;
    to.upper[f] = upper;
    to.has_missing[f] = any_missing;
}

}  // namespace

// The moments of the features from first to last.
S2FS_ENTRY(s2fs_class_moments,
           (const Table *table, const Index *codes, const double *weight, Index n_classes,
            Index first, Index last, Index n_threads, double *counts, double *means,
            double *squares, double *lower, double *upper, std::uint8_t *has_missing)) {
    return guarded([&] {
        require(0 <= first && first <= last && last <= table->n_features,
                "the features are not in the table.");
        std::vector<double> class_weight(n_classes, 0.0);
        for (Index i = 0; i < table->n_samples; i++) {
            require(0 <= codes[i] && codes[i] < n_classes, "a class is out of range.");
            class_weight[codes[i]] += weight[i];
        }
        const Samples samples{*table, codes, weight, n_classes};
        const Moments to{counts, means, squares, lower, upper, has_missing};
        const double operations = COST_OF_MOMENTS * static_cast<double>((last - first) * table->n_samples);
        const Index n_useful = useful_threads(operations, n_threads);
        if (table->is_sparse) {
            parallel_for(last - first, n_useful, [&](Index begin, Index end, Index) {
                table->with_sparse([&](const auto &values) {
                    for (Index f = first + begin; f < first + end; f++)
                        sparse_moments(samples, values, f, class_weight.data(), to);
                });
            });
            return;
        }
        const Index n_blocks = (last - first + WIDTH - 1) / WIDTH;
        parallel_for(n_blocks, n_useful, [&](Index begin, Index end, Index) {
            table->with_dense([&](const auto &values) {
                using Value = std::remove_const_t<std::remove_pointer_t<decltype(values.values)>>;
                DenseTiles<Value> tiles(values, table->n_samples);
                for (Index block = begin; block < end; block++) {
                    const Index feature = first + block * WIDTH;
                    DenseBlock<Value> moments(samples, values, tiles, feature,
                                              std::min(WIDTH, last - feature));
                    moments.compute(class_weight.data(), to);
                }
            });
        });
    });
}
