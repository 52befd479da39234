// The samples × features table of the caller, dense or sparse, read where it is.

#ifndef S2FS_TABLE_H
#define S2FS_TABLE_H

#include "border.h"

namespace s2fs {

// The types of values, as in _native/table.py. Small integers are those of genotypes and counts: each is a double where
// it is read, so that no table of doubles is needed. Sparse tables have floats.
enum ValueType : Index { FLOAT64, FLOAT32, INT8, UINT8, INT16, N_TYPES };

// A dense table: value (i, f) stands at i * row_step + f * column_step, so
// either memory order and any slice will do. NaN is missing.
template <class Value>
struct DenseValues {
    const Value *values;
    Index row_step, column_step;

    double operator()(Index sample, Index feature) const {
        return static_cast<double>(values[sample * row_step + feature * column_step]);
    }

    // Asks for neighbouring features of a sample before they are read. In a table by rows the next sample
    // may be far away in memory, where the processor does not look for it on its own.
    void prefetch(Index sample, Index feature, Index count) const {
#if defined(__GNUC__)
        constexpr Index PER_LINE = 64 / sizeof(Value);
        const Value *first = values + sample * row_step + feature;
        for (Index j = 0; j < count; j += PER_LINE) __builtin_prefetch(first + j);
        __builtin_prefetch(first + count - 1);  // the first need not begin a line
#else
        (void)sample, (void)feature, (void)count;
#endif
    }
};

// A sparse table by columns (CSC): the stored values of feature f, and their samples, stand from
// starts[f] to starts[f + 1] - 1. All other values are 0. NaN is missing.
template <class Value, class Place>
struct SparseValues {
    const Value *values;
    const Place *samples, *starts;
};

struct Table {
    Index n_samples, n_features;
    bool is_sparse;
    ValueType type;
    bool has_long_indices;
    const void *values;
    Index row_step, column_step;     // dense
    const void *samples, *starts;    // sparse

    template <class Value>
    DenseValues<Value> dense() const {
        return {static_cast<const Value *>(values), row_step, column_step};
    }
    template <class Value, class Place>
    SparseValues<Value, Place> sparse() const {
        return {static_cast<const Value *>(values), static_cast<const Place *>(samples),
                static_cast<const Place *>(starts)};
    }

    // Calls visit with the values of a dense table in their own type.
    template <class Visit>
    void with_dense(const Visit &visit) const {
        switch (type) {
            case FLOAT32: return visit(dense<float>());
            case INT8: return visit(dense<std::int8_t>());
            case UINT8: return visit(dense<std::uint8_t>());
            case INT16: return visit(dense<std::int16_t>());
            default: return visit(dense<double>());
        }
    }

    // The same for a sparse one.
    template <class Visit>
    void with_sparse(const Visit &visit) const {
        const bool is_single = type == FLOAT32;
        if (is_single && has_long_indices)
            visit(sparse<float, std::int64_t>());
        else if (is_single)
            visit(sparse<float, std::int32_t>());
        else if (has_long_indices)
            visit(sparse<double, std::int64_t>());
        else
            visit(sparse<double, std::int32_t>());
    }
};

}  // namespace s2fs

#endif
