// Smallest and largest values of features, and sums over the classes, which the scaling of S²FS and
// its centroids are made of.

#include <algorithm>
#include <vector>

#include "costs.h"
#include "dense_tiles.h"
#include "parallel_for.h"

using namespace s2fs;

namespace {

// Features that are summed side by side.
constexpr Index WIDTH = DenseTiles<double>::WIDTH;

using Block = double[WIDTH];

// Some neighbouring features of a table. Sums have WIDTH numbers for each class; those of features that
// are not there repeat the last one.
template <class Values>
struct Features;

template <class Value>
struct Features<DenseValues<Value>> {
    const DenseValues<Value> &values;
    Index n_samples, first = 0, count = 0;
    DenseTiles<Value> tiles{values, n_samples};

    void move_to(Index first_feature, Index n_features) {
        first = first_feature, count = n_features;
        tiles.move_to(first, count);
    }

    void find_range(Block lower, Block upper) {
        for (Index j = 0; j < WIDTH; j++) lower[j] = upper[j] = values(0, first + std::min(j, count - 1));
        tiles.for_each_sample([&](Index, const double *x) {
#pragma omp simd
            for (Index j = 0; j < WIDTH; j++) {
                lower[j] = x[j] < lower[j] ? x[j] : lower[j];
                upper[j] = x[j] > upper[j] ? x[j] : upper[j];
            }
        });
    }

    // Weighted sums over each class of the differences to lower + centre.
    void sum(const Index *codes, const double *weight, const std::vector<double> &, const double *lower,
             const std::vector<double> &centre, std::vector<double> &sums) {
        std::fill(sums.begin(), sums.end(), 0.0);
        tiles.for_each_sample([&](Index i, const double *x) {
            double *to = sums.data() + codes[i] * WIDTH;
            const double *from = centre.data() + codes[i] * WIDTH, w = weight[i];
#pragma omp simd
            for (Index j = 0; j < WIDTH; j++) to[j] += w * ((x[j] - lower[j]) - from[j]);
        });
    }

    // Weighted sums over all samples of the squared differences to lower + centre, in units of the
    // extent: no square is lost.
    void sum_squares(const double *weight, double, const Block lower, const Block centre, const Block extent,
                     Block squares) {
        std::fill(squares, squares + WIDTH, 0.0);
        tiles.for_each_sample([&](Index i, const double *x) {
            const double w = weight[i];
#pragma omp simd
            for (Index j = 0; j < WIDTH; j++) {
                const double difference = ((x[j] - lower[j]) - centre[j]) / extent[j];
                squares[j] += w * difference * difference;
            }
        });
    }
};

// The same of a sparse table: what is stored, and as many zeros as each class has.
template <class Value, class Place>
struct Features<SparseValues<Value, Place>> {
    const SparseValues<Value, Place> &values;
    Index n_samples, first = 0, count = 0;

    void move_to(Index first_feature, Index n_features) { first = first_feature, count = n_features; }

    // Calls visit(feature of the block, sample, value) for all that is stored.
    template <class Visit>
    void for_each_stored(const Visit &visit) const {
        for (Index j = 0; j < count; j++)
            for (Index k = values.starts[first + j]; k < values.starts[first + j + 1]; k++)
                visit(j, static_cast<Index>(values.samples[k]), static_cast<double>(values.values[k]));
    }

    void find_range(Block lower, Block upper) const {
        for (Index j = 0; j < count; j++) {
            const Index begin = values.starts[first + j], n_stored = values.starts[first + j + 1] - begin;
            lower[j] = upper[j] = n_stored < n_samples ? 0.0 : static_cast<double>(values.values[begin]);
        }
        for_each_stored([&](Index j, Index, double x) {
            lower[j] = x < lower[j] ? x : lower[j];
            upper[j] = x > upper[j] ? x : upper[j];
        });
    }

    void sum(const Index *codes, const double *weight, const std::vector<double> &class_weight, const double *lower,
             const std::vector<double> &centre, std::vector<double> &sums) const {
        const Index p = static_cast<Index>(class_weight.size());
        std::vector<double> stored_weight(p * WIDTH, 0.0);
        std::fill(sums.begin(), sums.end(), 0.0);
        for_each_stored([&](Index j, Index i, double x) {
            const Index at = codes[i] * WIDTH + j;
            sums[at] += weight[i] * ((x - lower[j]) - centre[at]);
            stored_weight[at] += weight[i];
        });
        for (Index q = 0; q < p; q++)
            for (Index j = 0; j < count; j++) {
                const Index at = q * WIDTH + j;
                sums[at] += std::max(class_weight[q] - stored_weight[at], 0.0) * ((0 - lower[j]) - centre[at]);
            }
    }

    void sum_squares(const double *weight, double total_weight, const Block lower, const Block centre,
                     const Block extent, Block squares) const {
        double stored_weight[WIDTH] = {};
        std::fill(squares, squares + WIDTH, 0.0);
        const auto square = [&](Index j, double x) {
            const double difference = ((x - lower[j]) - centre[j]) / extent[j];
            return difference * difference;
        };
        for_each_stored([&](Index j, Index i, double x) {
            squares[j] += weight[i] * square(j, x);
            stored_weight[j] += weight[i];
        });
        for (Index j = 0; j < count; j++)
            squares[j] += std::max(total_weight - stored_weight[j], 0.0) * square(j, 0.0);
    }
};

// Calls visit with the features of each block of a table.
template <class Visit>
void for_each_block(const Table &table, Index n_threads, const Visit &visit) {
    const Index n = table.n_samples, m = table.n_features;
    const double n_operations = COST_OF_CLASS_SUMS * static_cast<double>(n) * static_cast<double>(m);
    const Index n_useful = table.is_sparse ? 1 : useful_threads(n_operations, n_threads);
    const auto visit_some = [&](const auto &values, Index first, Index last) {
        using Values = std::decay_t<decltype(values)>;
        Features<Values> block{values, n};
        for (Index feature = first * WIDTH; feature < std::min(last * WIDTH, m); feature += WIDTH) {
            block.move_to(feature, std::min(WIDTH, m - feature));
            visit(block);
        }
    };
    parallel_for((m + WIDTH - 1) / WIDTH, n_useful, [&](Index first, Index last, Index) {
        if (table.is_sparse)
            table.with_sparse([&](const auto &values) { visit_some(values, first, last); });
        else
            table.with_dense([&](const auto &values) { visit_some(values, first, last); });
    });
}

void check_codes(const Index *codes, Index n_samples, Index n_classes) {
    for (Index i = 0; i < n_samples; i++)
        require(codes[i] >= 0 && codes[i] < n_classes, "a class is out of range.");
}

}  // namespace

// Weighted sums over each class of the differences to lower + centre: (n_classes, n_features).
S2FS_ENTRY(s2fs_class_sums,
           (const Table *table, const Index *codes, const double *weight, const double *lower,
            const double *centre, Index n_classes, Index n_threads, double *sums)) {
    return guarded([&] {
        const Index m = table->n_features, p = n_classes;
        check_codes(codes, table->n_samples, p);
        std::vector<double> class_weight(p, 0.0);
        for (Index i = 0; i < table->n_samples; i++) class_weight[codes[i]] += weight[i];
        for_each_block(*table, n_threads, [&](auto &block) {
            std::vector<double> sum(p * WIDTH), from(p * WIDTH);
            Block start;
            for (Index j = 0; j < WIDTH; j++) {
                const Index f = block.first + std::min(j, block.count - 1);
                start[j] = lower[f];
                for (Index q = 0; q < p; q++) from[q * WIDTH + j] = centre[q * m + f];
            }
            block.sum(codes, weight, class_weight, start, from, sum);
            for (Index q = 0; q < p; q++)
                std::copy(&sum[q * WIDTH], &sum[q * WIDTH] + block.count, sums + q * m + block.first);
        });
    });
}

// All that the scaling of a whole table needs, while a block of features is in the cache: the smallest and
// the largest values, class means of what is above the smallest, (n_classes, n_features), and the sums of
// squared differences to the mean of all samples, in units of the range, or of 1 for a constant feature.
// With a second pass over what is left the mean of equal values is exactly that value.
S2FS_ENTRY(s2fs_class_means,
           (const Table *table, const Index *codes, const double *weight, const double *weight_of_class,
            Index n_classes, Index n_threads, double *lower, double *upper, double *means, double *squares)) {
    return guarded([&] {
        const Index m = table->n_features, p = n_classes;
        require(table->n_samples > 0, "there are no samples.");
        check_codes(codes, table->n_samples, p);
        const std::vector<double> class_weight(weight_of_class, weight_of_class + p);
        double total = 0;
        for (double w : class_weight) total += w;
        for_each_block(*table, n_threads, [&](auto &block) {
            Block least, most, centre = {}, extent, square;
            std::vector<double> mean(p * WIDTH, 0.0), sum(p * WIDTH);
            block.find_range(least, most);
            for (int pass = 0; pass < 2; pass++) {
                block.sum(codes, weight, class_weight, least, mean, sum);
                for (Index k = 0; k < p * WIDTH; k++) mean[k] += sum[k] / class_weight[k / WIDTH];
            }
            for (Index j = 0; j < WIDTH; j++) {
                for (Index q = 0; q < p; q++) centre[j] += class_weight[q] * mean[q * WIDTH + j];
                centre[j] /= total;
                extent[j] = most[j] > least[j] ? most[j] - least[j] : 1.0;
            }
            block.sum_squares(weight, total, least, centre, extent, square);
            std::copy(least, least + block.count, lower + block.first);
            std::copy(most, most + block.count, upper + block.first);
            std::copy(square, square + block.count, squares + block.first);
            for (Index q = 0; q < p; q++)
                std::copy(&mean[q * WIDTH], &mean[q * WIDTH] + block.count, means + q * m + block.first);
        });
    });
}
