// Pair cover as the caller sees it: plain structs of numbers and pointers to arrays of the caller,
// who keeps them alive. What is computed, and why it is right, is derived in the part on pair cover
// of docs/engine.md; "step 12" in a comment is a step there.

#ifndef S2FS_PAIRS_H
#define S2FS_PAIRS_H

#include "s2fs.h"

// A dense table: its value (i, f) is at i * row_step + f * column_step. NaN is missing.
struct S2fsRows {
    const void *values;  // none if there are no rows to look at
    std::int64_t row_step, column_step;
    std::int64_t n_samples, n_features, n_classes;
    const std::int32_t *codes;  // the class of each row
    const double *weight;       // how much each row counts
    std::int64_t is_single;     // values are float32, not float64
};

// What the rows seen so far tell; n_classes × n_features, or n_features.
struct S2fsMoments {
    double *counts, *mean;
    double *squares, *lower, *upper;
    double *room;  // 3 × n_classes × S2FS_TILE
};

// Columns that are taken together.
constexpr std::int64_t S2FS_TILE = 32;
// Candidates that are taken together.
constexpr std::int64_t S2FS_BLOCK = 16;

// Rows are padded to a multiple of this.
constexpr std::int64_t S2FS_PADDING = 32;

// Take in the columns from start to stop of the rows from first to last; returns if values are
// missing.
S2FS_EXPORT std::int32_t s2fs_moments(const S2fsRows *rows, const S2fsMoments *known,
                                      std::int64_t first, std::int64_t last, std::int64_t start,
                                      std::int64_t stop);

// Add to products, for the columns from start to stop, Σ residual (x − mean) over the rows from
// first to last; mean is n_classes × n_features.
S2FS_EXPORT void s2fs_residual_products(const S2fsRows *rows, const double *mean,
                                        const double *residual, double *products,
                                        std::int64_t first, std::int64_t last, std::int64_t start,
                                        std::int64_t stop);

// A subset of the features, and what there is to know of the others. Blocks are of S2FS_BLOCK
// features, the last one padded.
struct S2fsCover {
    S2fsRows rows;
    std::int64_t n_features, n_classes, n_pairs, n_blocks;
    double correlation;
    double equal;       // scores that differ by less, relatively, are equal
    double most_noise;  // of any pair and feature

    // Of each feature. A constant one has the spread 0.
    const double *mean;                      // (classes, features)
    const double *spread;                    // s
    const double *unit;                      // s √freedom: what residuals are divided by
    const double *counts;                    // (classes, features), with these steps
    std::int64_t class_step, feature_step;

    // Tables of all candidates, made by s2fs_cover_prepare.
    float *bounds;     // correlation 0: (blocks, pairs, 16) exp(−gap / 8)
    float *centres;    // above 0: (blocks, classes, 16) class means in units of s
    float *inverses;   // above 0, if values are missing: (blocks, classes, 16) 1 / counts
    float *reach;      // above 0: (blocks, 16) the largest |d|
    float *residuals;  // above 0, with rows: (blocks, samples, 16), made by s2fs_cover_residuals

    // The subset.
    double *J, *alone, *joint;  // of each pair
    double *cross;              // above 0: (blocks, classes, 16) Σ c(g) W(g, f)
    double *exact;              // with rows: (features, classes) the same from all digits, over
    std::int32_t *seen;         // with rows: that many of the chosen features, for each candidate
    double *joined;             // with rows: (capacity, padded samples) their residuals
    double *joined_centres;     // with rows: (capacity, classes)
    std::int64_t *chosen;       // with rows: (capacity)
    std::int64_t size;          // with rows: how many they are
    double cross_error;         // of a difference of two numbers of cross

    // A step of the search.
    float *left;          // (blocks, 16) 0, or NaN for features that are no candidates
    void *pairs;          // (pairs) what a candidate is scored by: S2FS_PAIR_BYTES each
    double *separations;  // (2, pairs) of the subset, and of a candidate
    double *lines;        // (4, classes)
    float *lanes;         // (classes, 16)
    double *column;       // with rows: (padded samples)
    float *single_column; // with rows: (samples)
    std::int64_t *found;  // (features) candidates that may be the best, n_found of them
    double *totals;       // (3, features) the least and the most their sums may be, and scores
    std::int64_t n_found;
    std::int64_t seed;    // a candidate to begin with, or −1
    double nearest;       // the least separation of the subset
    double best, limit;   // the largest score, and the largest sum that may equal it
};

constexpr std::int64_t S2FS_PAIR_BYTES = 48;

// The sizes of the structs and constants of above, to be compared with the caller's.
S2FS_EXPORT std::int64_t s2fs_cover_layout();

// Make the tables of the blocks from start to stop.
S2FS_EXPORT void s2fs_cover_prepare(S2fsCover *of, std::int64_t start, std::int64_t stop);
S2FS_EXPORT void s2fs_cover_residuals(S2fsCover *of, std::int64_t start, std::int64_t stop);

// Find the best candidates: begin, scan all blocks, decide. Then `found` holds those with the
// largest score, or equal it.
S2FS_EXPORT void s2fs_cover_begin(S2fsCover *of);
S2FS_EXPORT void s2fs_cover_scan(S2fsCover *of, std::int64_t start, std::int64_t stop);
S2FS_EXPORT void s2fs_cover_decide(S2fsCover *of);

// The scores of the candidates from start to stop, and the separations of their closest pairs.
S2FS_EXPORT void s2fs_cover_score(S2fsCover *of, const std::int64_t *candidates, double *scores,
                                  double *closest, std::int64_t start, std::int64_t stop);

// Let a feature join, and write the separations of all pairs then. Above correlation 0,
// s2fs_cover_correlate must follow for all blocks, with the correlations of the feature with all
// features, or none if there are rows.
S2FS_EXPORT void s2fs_cover_add(S2fsCover *of, std::int64_t feature, double *separations);
S2FS_EXPORT void s2fs_cover_correlate(S2fsCover *of, std::int64_t feature, const double *products,
                                      std::int64_t start, std::int64_t stop);

// What tells features that may be copies of one another: a copy has the same share of its variance
// between the classes, up to rounding.
struct S2fsShares {
    const double *of_feature;    // (features)
    const std::int64_t *before;  // (n_before) the features of the subset before a run
    std::int64_t n_before;
    double rounding;
};

// Let the best candidate join, n_steps times. Returns how many have joined; fewer if the next one
// may be a copy of one before, which is then in `features`, or if no candidate is left that has a
// number for a score, which is -1 there. Without shares every feature is one of its own.
S2FS_EXPORT std::int64_t s2fs_cover_run(S2fsCover *of, std::int64_t n_steps,
                                        std::int64_t *features, double *scores, double *closest,
                                        double *separations, const S2fsShares *shares);

#endif
