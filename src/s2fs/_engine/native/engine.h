// The engine of S²FS as the caller sees it: plain structs of numbers and pointers to arrays of the
// caller, who keeps them alive. What is computed, and why it is right, is derived step by step in
// docs/engine.md; "step 3" in a comment is a step there.

#ifndef S2FS_ENGINE_H
#define S2FS_ENGINE_H

#include "s2fs.h"

// What stays fixed during a search. Instances are padded to whole blocks of 16 with the weight 0.
struct s2fs_table {
    std::int64_t n_samples, n_features, n_classes, n_blocks;

    // The input. A dense one has its value (i, f) at i * row_step + f * column_step; a sparse one
    // is stored by columns, with sorted rows, none twice.
    const void *values;
    std::int64_t row_step, column_step;
    const void *row_of;      // sparse: the row of each value
    const void *start_of;    // sparse: where in the values each column starts
    std::int32_t is_single;  // values are float32, not float64
    std::int32_t is_sparse;
    std::int32_t has_long_indices;  // row_of and start_of are int64, not int32

    std::int32_t printed;  // Eq. 20 is taken as printed, not normalised
    std::int32_t rms;      // Θ_dis is a root mean square, not a mean
    std::int32_t screens_in_single;

    const double *lower, *width;  // of each feature: it is shifted by one and divided by the other
    const double *centroids;      // (features, classes)
    const double *on_centroid;    // of each feature: offsets up to this size are 0
    // Of each instance; those of a class follow each other, padding has the weight 0.
    const double *weight;             // 1 in all
    const std::int32_t *own;          // its class
    const std::int32_t *row;          // its row in the input
    const std::int32_t *instance_of;  // sparse: the instance of each row
    double unit;                      // what a distance of 1 stands for
    double mass;                      // Σ weight: 1, or the share of a shard
    double distance_error;            // relative error of Θ_dis in single precision (step 6)

    // Made by s2fs_prepare.
    // (features, instances) from the own centroids, and 15 numbers at the end; none if made when
    // needed. Padding is not stored: in its place are the next numbers, which have the weight 0.
    float *offsets;
    float *single_centroids;  // (classes, features padded to an odd multiple of 16)
    float *reach;             // of each instance the square of its largest offset
    double *spread;           // of each feature Σ weight · offset²
    double *widest;           // (classes, classes) the largest squared gap of any feature
};

// A subset of the features (step 1).
struct s2fs_state {
    double *D, *P;  // (blocks, classes, 16)
    double *near;   // of each instance the squared distance to its own centroid
    double *G;      // (classes, classes)
    double spread;  // Σ weight · near
    std::int64_t size;
};

// One choice of a search, and the components of the subset it completes.
struct s2fs_step {
    std::int64_t feature;
    double sep, theta_dis, theta_dir, lambda_dis, lambda_dir;
};

// Work on candidates, shared by threads that call the same function with their number. Every
// function returns early, with nothing decided, once `stop` is not 0.
struct s2fs_search {
    const s2fs_table *table;
    s2fs_state *state;
    const double *weights;  // (pairs, 2) of alpha and beta
    std::int64_t n_pairs, n_best;
    const std::int64_t *candidates;  // features
    std::int64_t n_candidates;
    double *low, *high;  // (pairs, features): between what Sep is; high is -1 if ruled out
    double *out;         // (any, candidates)
    s2fs_step *steps;    // of a forward search
    std::int64_t n_steps, n_done;
    const volatile std::int32_t *stop;
    std::int64_t n_threads;
    char *workspace;
    std::int32_t n_waiting, round;  // of the threads; 0 at first
};

// The sizes of the structs above, so that a caller of another version is noticed.
S2FS_EXPORT std::int64_t s2fs_engine_layout();

// How many bytes of workspace a search takes.
S2FS_EXPORT std::int64_t s2fs_workspace(const s2fs_search *search);

// Fill in what of the table is made here; the candidates are all features.
S2FS_EXPORT void s2fs_prepare(s2fs_search *search, std::int64_t thread);

// Let a feature join the subset.
S2FS_EXPORT void s2fs_add(s2fs_search *search, std::int64_t feature, std::int64_t thread);

// Components of the subset joined by each candidate, in double precision: (4, candidates).
S2FS_EXPORT void s2fs_score(s2fs_search *search, std::int64_t thread);

// Upper bounds of Sep of the candidates, the first ones of a step: `high`.
S2FS_EXPORT void s2fs_most(s2fs_search *search, std::int64_t thread);

// Which candidates may be among the best: `low` and `high`.
S2FS_EXPORT void s2fs_shortlist(s2fs_search *search, std::int64_t thread);

// The forward search: `n_steps` times the best candidate joins and leaves the candidates.
S2FS_EXPORT void s2fs_forward(s2fs_search *search, std::int64_t thread);

// For the rows of one shard, what the compactness of each candidate is made of: lower bounds of
// both parts (2, candidates); both parts and the error of the second one (3, candidates), in single
// or in double precision, where the error is 0.
S2FS_EXPORT void s2fs_least(s2fs_search *search, std::int64_t thread);
S2FS_EXPORT void s2fs_compactness(s2fs_search *search, std::int64_t single, std::int64_t thread);

// The separation of each candidate (2, candidates), and upper bounds of it.
S2FS_EXPORT void s2fs_separation(s2fs_search *search, std::int64_t thread);
S2FS_EXPORT void s2fs_most_separation(s2fs_search *search, std::int64_t thread);

// Add the weighted differences of rows to `lower + centre` of their class to (classes, features).
S2FS_EXPORT void s2fs_class_sums(const s2fs_table *table, const double *centre, double *sums);

#endif
