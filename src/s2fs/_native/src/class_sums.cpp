// Smallest and largest values of features, and sums over the classes, which the scaling of S²FS and
// its centroids are made of.

#include <algorithm>
#include <vector>

#include "parallel_for.h"
#include "table.h"

using namespace s2fs;

namespace {

// Features that are summed side by side, and samples that are read at once: they stay in the cache.
constexpr Index WIDTH = 32, HEIGHT = 64;

// Calls visit(sample, values of WIDTH features) for all samples of a dense table, whatever its memory
// order. Features that are not there repeat the last one.
template <class Value, class Visit>
void for_each_sample(const DenseValues<Value> &values, Index n_samples, Index feature, Index n_features,
                     const Visit &visit) {
    double tile[HEIGHT][WIDTH];
    for (Index first = 0; first < n_samples; first += HEIGHT) {
        const Index height = std::min(HEIGHT, n_samples - first);
        if (values.row_step < values.column_step) {
            for (Index j = 0; j < WIDTH; j++)
                for (Index i = 0; i < height; i++)
                    tile[i][j] = values(first + i, feature + std::min(j, n_features - 1));
        } else {
            for (Index i = 0; i < height; i++)
                for (Index j = 0; j < WIDTH; j++)
                    tile[i][j] = values(first + i, feature + std::min(j, n_features - 1));
        }
        for (Index i = 0; i < height; i++) visit(first + i, tile[i]);
    }
}

}  // namespace

// The smallest and the largest value of each feature; 0 is a value of every sparse column that does not
// store all samples.
S2FS_ENTRY(s2fs_value_range, (const Table *table, Index n_threads, double *lower, double *upper)) {
    return guarded([&] {
        const Index n = table->n_samples, m = table->n_features;
        require(n > 0, "there are no samples.");
        const double n_operations = static_cast<double>(n) * static_cast<double>(m);
        if (table->is_sparse) {
            table->with_sparse([&](const auto &stored) {
                for (Index f = 0; f < m; f++) {
                    const Index begin = stored.starts[f], end = stored.starts[f + 1];
                    const bool has_zeros = end - begin < n;
                    lower[f] = upper[f] = has_zeros ? 0.0 : static_cast<double>(stored.values[begin]);
                    for (Index k = begin; k < end; k++) {
                        const double x = static_cast<double>(stored.values[k]);
                        lower[f] = x < lower[f] ? x : lower[f];
                        upper[f] = x > upper[f] ? x : upper[f];
                    }
                }
            });
            return;
        }
        parallel_for((m + WIDTH - 1) / WIDTH, useful_threads(n_operations, n_threads), [&](Index first, Index last, Index) {
            table->with_dense([&](const auto &values) {
                for (Index feature = first * WIDTH; feature < std::min(last * WIDTH, m); feature += WIDTH) {
                    const Index count = std::min(WIDTH, m - feature);
                    double least[WIDTH], most[WIDTH];
                    for (Index j = 0; j < WIDTH; j++) least[j] = most[j] = values(0, feature + std::min(j, count - 1));
                    for_each_sample(values, n, feature, count, [&](Index, const double *x) {
#pragma omp simd
                        for (Index j = 0; j < WIDTH; j++) {
                            least[j] = x[j] < least[j] ? x[j] : least[j];
                            most[j] = x[j] > most[j] ? x[j] : most[j];
                        }
                    });
                    std::copy(least, least + count, lower + feature);
                    std::copy(most, most + count, upper + feature);
                }
            });
        });
    });
}

// Weighted sums over each class of the differences to lower + centre: (n_classes, n_features).
S2FS_ENTRY(s2fs_class_sums,
           (const Table *table, const Index *codes, const double *weight, const double *lower,
            const double *centre, Index n_classes, Index n_threads, double *sums)) {
    return guarded([&] {
        const Index n = table->n_samples, m = table->n_features, p = n_classes;
        std::vector<double> class_weight(p, 0.0);
        for (Index i = 0; i < n; i++) {
            require(codes[i] >= 0 && codes[i] < p, "a class is out of range.");
            class_weight[codes[i]] += weight[i];
        }
        const double n_operations = 2 * static_cast<double>(n) * static_cast<double>(m);
        if (table->is_sparse) {
            // What is stored, and as many zeros as each class has.
            table->with_sparse([&](const auto &stored) {
                std::vector<double> stored_weight(p);
                for (Index f = 0; f < m; f++) {
                    std::fill(stored_weight.begin(), stored_weight.end(), 0.0);
                    for (Index q = 0; q < p; q++) sums[q * m + f] = 0;
                    for (Index k = stored.starts[f]; k < stored.starts[f + 1]; k++) {
                        const Index i = stored.samples[k], q = codes[i];
                        const double x = static_cast<double>(stored.values[k]);
                        sums[q * m + f] += weight[i] * ((x - lower[f]) - centre[q * m + f]);
                        stored_weight[q] += weight[i];
                    }
                    for (Index q = 0; q < p; q++)
                        sums[q * m + f] +=
                            std::max(class_weight[q] - stored_weight[q], 0.0) * ((0 - lower[f]) - centre[q * m + f]);
                }
            });
            return;
        }
        parallel_for((m + WIDTH - 1) / WIDTH, useful_threads(n_operations, n_threads), [&](Index first, Index last, Index) {
            std::vector<double> sum(p * WIDTH), from(p * WIDTH);
            table->with_dense([&](const auto &values) {
                for (Index feature = first * WIDTH; feature < std::min(last * WIDTH, m); feature += WIDTH) {
                    const Index count = std::min(WIDTH, m - feature);
                    double start[WIDTH];
                    for (Index j = 0; j < WIDTH; j++) {
                        const Index f = feature + std::min(j, count - 1);
                        start[j] = lower[f];
                        for (Index q = 0; q < p; q++) from[q * WIDTH + j] = centre[q * m + f];
                    }
                    std::fill(sum.begin(), sum.end(), 0.0);
                    for_each_sample(values, n, feature, count, [&](Index i, const double *x) {
                        double *to = sum.data() + codes[i] * WIDTH;
                        const double *mean = from.data() + codes[i] * WIDTH, w = weight[i];
#pragma omp simd
                        for (Index j = 0; j < WIDTH; j++) to[j] += w * ((x[j] - start[j]) - mean[j]);
                    });
                    for (Index q = 0; q < p; q++)
                        std::copy(&sum[q * WIDTH], &sum[q * WIDTH] + count, sums + q * m + feature);
                }
            });
        });
    });
}

// Weighted sums over all samples of a dense table of the squared differences to lower + centre, in
// units of the extent: no square is lost.
S2FS_ENTRY(s2fs_sum_of_squares, (const Table *table, const double *weight, const double *lower,
                                 const double *centre, const double *extent, double *squares)) {
    return guarded([&] {
        require(!table->is_sparse, "the table is sparse.");
        const Index n = table->n_samples, m = table->n_features;
        table->with_dense([&](const auto &values) {
            for (Index feature = 0; feature < m; feature += WIDTH) {
                const Index count = std::min(WIDTH, m - feature);
                double start[WIDTH], from[WIDTH], unit[WIDTH], sum[WIDTH] = {};
                for (Index j = 0; j < WIDTH; j++) {
                    const Index f = feature + std::min(j, count - 1);
                    start[j] = lower[f], from[j] = centre[f], unit[j] = extent[f];
                }
                for_each_sample(values, n, feature, count, [&](Index i, const double *x) {
                    const double w = weight[i];
#pragma omp simd
                    for (Index j = 0; j < WIDTH; j++) {
                        const double difference = ((x[j] - start[j]) - from[j]) / unit[j];
                        sum[j] += w * difference * difference;
                    }
                });
                std::copy(sum, sum + count, squares + feature);
            }
        });
    });
}
