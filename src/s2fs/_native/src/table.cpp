#include "table.h"

#include <memory>

using namespace s2fs;

namespace {

// Indices outside the table would be read, and written to, outside of all arrays.
template <class Place>
void check_places(const void *samples, const void *starts, Index n_samples, Index n_features,
                  Index n_stored) {
    const Place *sample = static_cast<const Place *>(samples);
    const Place *start = static_cast<const Place *>(starts);
    require(start[0] == 0 && start[n_features] == n_stored,
            "the sparse table has column starts that do not fit its stored values.");
    for (Index f = 0; f < n_features; f++) {
        require(start[f] <= start[f + 1], "the sparse table has column starts that decrease.");
        Index last = -1;  // increasing samples, so that none is stored twice
        for (Index k = start[f]; k < start[f + 1]; k++) {
            require(sample[k] > last && sample[k] < n_samples,
                    "the sparse table has a sample outside of the table, twice or unsorted.");
            last = sample[k];
        }
    }
}

}  // namespace

S2FS_ENTRY(s2fs_table_dense, (const void *values, Index n_samples, Index n_features, Index row_step,
                              Index column_step, Index type, Table **made)) {
    return guarded([&] {
        require(0 <= type && type < N_TYPES, "the table has values of an unknown type.");
        *made = new Table{n_samples, n_features, false,       static_cast<ValueType>(type), false,
                          values,    row_step,   column_step, nullptr,                      nullptr};
    });
}

S2FS_ENTRY(s2fs_table_sparse,
           (const void *values, const void *samples, const void *starts, Index n_samples,
            Index n_features, Index n_stored, Index is_single, Index has_long_indices,
            Table **made)) {
    return guarded([&] {
        if (has_long_indices)
            check_places<std::int64_t>(samples, starts, n_samples, n_features, n_stored);
        else
            check_places<std::int32_t>(samples, starts, n_samples, n_features, n_stored);
        *made = new Table{n_samples, n_features, true, is_single ? FLOAT32 : FLOAT64, has_long_indices != 0,
                          values,    0,          0,    samples,                       starts};
    });
}

S2FS_ENTRY(s2fs_table_free, (Table *table)) {
    return guarded([&] { delete table; });
}
