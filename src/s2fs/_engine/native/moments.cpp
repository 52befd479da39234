// Counts, means and squares of the classes in one pass over the rows (step 11), and products of
// residuals.

#include <cmath>
#include <limits>

#include "pairs.h"

namespace {

using Index = std::int64_t;

constexpr Index ROWS = 128, TILE = S2FS_TILE;
constexpr double NONE = std::numeric_limits<double>::quiet_NaN();

// Some rows of some columns, and their moments; columns that are not there hold 0.
struct Tile {
    alignas(64) double x[ROWS][TILE];
    alignas(64) double lower[TILE], upper[TILE], squares[TILE];
    bool missing;

    template <class Value>
    void read(const S2fsRows &rows, Index first, Index last, Index start, Index width) {
        const Value *values = static_cast<const Value *>(rows.values);
        if (width < TILE)
            for (Index i = 0; i < last - first; i++)
                for (Index j = width; j < TILE; j++) x[i][j] = 0;
        if (rows.row_step == 1) {  // a column lies in one piece
            for (Index j = 0; j < width; j++) {
                const Value *from = values + first + (start + j) * rows.column_step;
                for (Index i = 0; i < last - first; i++) x[i][j] = static_cast<double>(from[i]);
            }
        } else {
            for (Index i = first; i < last; i++) {
                const Value *from = values + i * rows.row_step + start * rows.column_step;
                double *to = x[i - first];
                if (rows.column_step == 1)
                    for (Index j = 0; j < width; j++) to[j] = static_cast<double>(from[j]);
                else
                    for (Index j = 0; j < width; j++)
                        to[j] = static_cast<double>(from[j * rows.column_step]);
            }
        }
        range(last - first);
    }

    void range(Index n) {
        alignas(64) std::int64_t gaps[TILE];
        for (Index j = 0; j < TILE; j++) {
            lower[j] = upper[j] = NONE;
            gaps[j] = 0;
        }
        for (Index i = 0; i < n; i++)
            for (Index j = 0; j < TILE; j++) {
                const double value = x[i][j], low = lower[j], high = upper[j];
                const bool there = value == value;
                lower[j] = there & !(low <= value) ? value : low;
                upper[j] = there & !(high >= value) ? value : high;
                gaps[j] |= there ? 0 : 1;
            }
        missing = false;
        for (Index j = 0; j < TILE; j++) missing |= gaps[j] != 0;
    }

    // Sums of the classes, of values from the smallest one on; counts only if values are missing.
    template <bool Missing>
    void sum(const std::int32_t *codes, const double *weight, Index n, double *counts,
             double *mean) {
        alignas(64) double offset[TILE];
        for (Index j = 0; j < TILE; j++) {
            offset[j] = lower[j] == lower[j] ? lower[j] : 0.0;
            squares[j] = 0;
        }
        for (Index i = 0; i < n; i++) {
            double *count = counts + codes[i] * TILE, *total = mean + codes[i] * TILE;
            const double w = weight[i];
            for (Index j = 0; j < TILE; j++) {
                const double value = x[i][j] - offset[j];
                x[i][j] = value;
                const bool there = !Missing || value == value;
                if (Missing) count[j] += there ? w : 0.0;
                total[j] += there ? w * value : 0.0;
            }
        }
    }

    template <bool Missing>
    void square(const std::int32_t *codes, const double *weight, Index n, const double *mean) {
        for (Index i = 0; i < n; i++) {
            const double *centre = mean + codes[i] * TILE, w = weight[i];
            for (Index j = 0; j < TILE; j++) {
                const double apart = x[i][j] - centre[j];
                const bool there = !Missing || apart == apart;
                squares[j] += there ? w * apart * apart : 0.0;
            }
        }
    }
};

// The moments of two sets of rows together, one class and the columns of a tile.
inline void merge(const Tile &tile, const double *count, const double *mean, double *counts,
                  double *means, double *squares, Index width) {
    for (Index j = 0; j < width; j++) {
        const double both = counts[j] + count[j], total = both > 0 ? both : 1.0;
        const double offset = tile.lower[j] == tile.lower[j] ? tile.lower[j] : 0.0;
        const double shift = mean[j] + offset - means[j];
        squares[j] += shift * shift * counts[j] * count[j] / total;
        means[j] += shift * (count[j] / total);
        counts[j] = both;
    }
}

template <class Value>
void add_products(const S2fsRows &rows, const double *mean, const double *residual,
                  double *products, Index row, Index start, Index stop) {
    const double *centre = mean + rows.codes[row] * rows.n_features, r = residual[row];
    const Value *x = static_cast<const Value *>(rows.values) + row * rows.row_step;
    for (Index f = start; f < stop; f++) {
        const double apart = static_cast<double>(x[f * rows.column_step]) - centre[f];
        products[f] += apart == apart ? r * apart : 0.0;
    }
}

}  // namespace

void s2fs_residual_products(const S2fsRows *rows, const double *mean, const double *residual,
                            double *products, Index first, Index last, Index start, Index stop) {
    constexpr Index COLUMNS = 512;
    for (Index column = start; column < stop; column += COLUMNS) {
        const Index end = column + COLUMNS < stop ? column + COLUMNS : stop;
        for (Index row = first; row < last; row++)
            if (rows->is_single)
                add_products<float>(*rows, mean, residual, products, row, column, end);
            else
                add_products<double>(*rows, mean, residual, products, row, column, end);
    }
}

std::int32_t s2fs_moments(const S2fsRows *rows, const S2fsMoments *known, Index first, Index last,
                          Index start, Index stop) {
    const Index p = rows->n_classes, m = rows->n_features;
    double *counts = known->room, *mean = counts + p * TILE, *present = mean + p * TILE;
    bool missing = false;
    Tile tile;
    for (Index row = first; row < last; row += ROWS) {
        const Index end = row + ROWS < last ? row + ROWS : last, n = end - row;
        const std::int32_t *codes = rows->codes + row;
        const double *weight = rows->weight + row;
        double *total = present + p;
        for (Index q = 0; q < p; q++) present[q] = total[q] = 0;
        for (Index i = 0; i < n; i++) {
            present[codes[i]] = 1;
            total[codes[i]] += weight[i];
        }
        for (Index column = start; column < stop; column += TILE) {
            const Index width = column + TILE < stop ? TILE : stop - column;
            if (rows->is_single)
                tile.read<float>(*rows, row, end, column, width);
            else
                tile.read<double>(*rows, row, end, column, width);
            for (Index q = 0; q < p; q++)
                if (present[q])
                    for (Index j = 0; j < TILE; j++) {
                        counts[q * TILE + j] = tile.missing ? 0.0 : total[q];
                        mean[q * TILE + j] = 0;
                    }
            if (tile.missing)
                tile.sum<true>(codes, weight, n, counts, mean);
            else
                tile.sum<false>(codes, weight, n, counts, mean);
            for (Index q = 0; q < p; q++)
                if (present[q])
                    for (Index j = 0; j < TILE; j++) {
                        const double count = counts[q * TILE + j];
                        mean[q * TILE + j] /= count > 0 ? count : 1.0;
                    }
            if (tile.missing)
                tile.square<true>(codes, weight, n, mean);
            else
                tile.square<false>(codes, weight, n, mean);
            missing |= tile.missing;
            for (Index q = 0; q < p; q++)
                if (present[q])
                    merge(tile, counts + q * TILE, mean + q * TILE, known->counts + q * m + column,
                          known->mean + q * m + column, known->squares + column, width);
            for (Index j = 0; j < width; j++) {
                double *lower = known->lower + column, *upper = known->upper + column;
                known->squares[column + j] += tile.squares[j];
                lower[j] = std::fmin(lower[j], tile.lower[j]);
                upper[j] = std::fmax(upper[j], tile.upper[j]);
            }
        }
    }
    return missing;
}
