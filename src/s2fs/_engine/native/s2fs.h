// What the native library exports. The interface is plain C: structs of numbers and pointers to
// arrays of NumPy, so that one library serves every version of Python.
//
// The sources are C++17 without its run-time library: no exceptions, no run-time types, no
// containers that allocate. Memory is the caller's, so that a call cannot fail.

#ifndef S2FS_H
#define S2FS_H

#include <cstdint>

// Numbers that loops take side by side, whatever the width of the registers: sums of that many
// lanes come out alike on every machine.
constexpr std::int64_t S2FS_LANES = 8;
// Test rows of the nearest neighbours that share one walk over the training rows.
constexpr std::int64_t S2FS_TOGETHER = 8;
// Candidates that share one walk over an n × n table: the table is the larger, read it less.
constexpr std::int64_t S2FS_CANDIDATES = 8;

#ifdef _WIN32
#define S2FS_EXPORT extern "C" __declspec(dllexport)
#else
#define S2FS_EXPORT extern "C" __attribute__((visibility("default")))
#endif

// The widest instruction set of this processor and its operating system that a library is made
// for: 0 for the baseline of the architecture, 1 for AVX2, 2 for AVX-512.
S2FS_EXPORT std::int32_t s2fs_instruction_set();

// ---- neighbours.cpp ---------------------------------------------------------------------------

// Nearest neighbours on the first 1, 2, … features. Arrays over training rows have room for
// n_padded of them, n_train rounded up to a multiple of S2FS_LANES.
struct S2fsNeighbours {
    const double *train;        // n_features × n_padded, padded by any number
    const double *test;         // n_test × n_features
    const std::int64_t *codes;  // class of each training row
    const std::int64_t *sizes;  // n_sizes numbers of first features, increasing
    std::int64_t n_train, n_padded, n_test, n_features, n_classes, n_sizes;
    std::int64_t n_neighbors;   // n_train at most
    double equal;               // distances that differ by less, relatively, are equal
    std::int64_t *predictions;  // n_sizes × n_test
    double *distances;          // room: S2FS_TOGETHER × n_padded
    std::int64_t *near;         // room: S2FS_TOGETHER × (n_neighbors + 1)
    double *found;              // room: n_neighbors + 1
    std::int64_t *votes;        // room: n_classes
};

// Write the predictions of the test rows from start to stop, at every size.
S2FS_EXPORT void s2fs_neighbours(const S2fsNeighbours *of, std::int64_t start, std::int64_t stop);

// ---- baselines.cpp ----------------------------------------------------------------------------
//
// Data come as columns: one contiguous row of n_samples numbers per feature. A call does the part
// from start to stop of an outermost loop, so that the caller can be interrupted in between.

// How far features tell pairs of instances apart: min(1, |difference| / width), or
// 1 − exp(−½ (difference / width)²) where gaussian.
struct S2fsPairs {
    const double *columns;
    const double *widths;          // of each feature
    const std::int32_t *left, *right;
    std::int64_t n_samples, n_pairs;
    std::int32_t gaussian;
};

// out[c] = Σ over pairs of S(satisfied, discerned by candidate c), where the s-norm S is the
// maximum if largest, else the bounded sum.
S2FS_EXPORT void s2fs_satisfaction(const S2fsPairs *of, const double *satisfied,
                                   std::int32_t largest, const std::int64_t *candidates,
                                   double *out, std::int64_t start, std::int64_t stop);

// satisfied = S(satisfied, discerned by the feature).
S2FS_EXPORT void s2fs_satisfy(const S2fsPairs *of, std::int64_t feature, std::int32_t largest,
                              double *satisfied);

// out[c] = Σ of the weights of the pairs that candidate c discerns to the threshold or beyond.
S2FS_EXPORT void s2fs_settled_weight(const S2fsPairs *of, const double *threshold,
                                     const double *weight, const std::int64_t *candidates,
                                     double *out, std::int64_t start, std::int64_t stop);

// out[p] = whether the feature discerns pair p to the threshold or beyond.
S2FS_EXPORT void s2fs_settled(const S2fsPairs *of, std::int64_t feature, const double *threshold,
                              std::uint8_t *out);

// A relation of instances in class order, joined by candidates. similarities[i] are those of
// instance i to the instances who[i], class by class (class q from bounds[q] to bounds[q + 1] − 1)
// and the largest first in each class. A difference above the radius leaves no similarity.
struct S2fsRelation {
    const double *columns;
    const double *similarities;
    const std::int32_t *who;
    const std::int64_t *bounds;
    const std::int64_t *candidates;
    std::int64_t n_samples, n_classes, n_candidates;
    double radius;
};

// For the instances i from start to stop: nearest[c, i], the largest similarity to any other class
// with candidate c, and reach[c, q], to which that of i to class q is added if q is another.
S2FS_EXPORT void s2fs_nearest_others(const S2fsRelation *of, double *nearest, double *reach,
                                     std::int64_t start, std::int64_t stop);

// For the instances i from start to stop: first[c, i], the largest similarity to any class,
// where[c, i], that class, and second[c, i], the largest to any other.
S2FS_EXPORT void s2fs_two_nearest(const S2fsRelation *of, double *first, double *second,
                                  std::int64_t *where, std::int64_t start, std::int64_t stop);

// Join a feature x to the rows from start to stop of the relation, by the minimum.
S2FS_EXPORT void s2fs_intersect(const double *x, std::int64_t n_samples, double radius,
                                double *relation, std::int64_t start, std::int64_t stop);

// The lower and upper approximations of fuzzy classes in a relation joined by candidates.
struct S2fsApproximation {
    const double *columns;
    const double *relation;  // n_samples × n_samples
    const double *decision;  // n_classes × n_samples: memberships
    const std::int64_t *candidates;
    std::int64_t n_samples, n_classes, n_candidates;
    double radius;
    // Room for n_samples, rounded up to a multiple of S2FS_LANES:
    std::int64_t *who;
    double *similarities, *near;
    double *memberships;     // n_classes times as much
};

// Add those of the instances from start to stop to lower and upper, n_candidates × n_classes.
S2FS_EXPORT void s2fs_approximation_sizes(const S2fsApproximation *of, double *lower,
                                          double *upper, std::int64_t start, std::int64_t stop);

// The largest differences of instances in a set of features joined by candidates. The instances are
// in class order, and class q takes the places bounds[q] to bounds[q + 1] − 1.
struct S2fsDifferences {
    const double *columns;   // n_candidates × n_samples
    const double *furthest;  // n_samples × n_samples: largest difference in the set
    const std::int64_t *bounds;
    std::int64_t n_samples, n_classes;
    double *sums;            // room: S2FS_CANDIDATES × n_samples
};

// Their sums over the own class of each instance and over all, for the candidates from start to
// stop: rows of own and every.
S2FS_EXPORT void s2fs_largest_difference_sums(const S2fsDifferences *of, double *own,
                                              double *every, std::int64_t start,
                                              std::int64_t stop);

// Granules of a set of features joined by candidates, the instances in class order as above.
struct S2fsGranules {
    const double *columns;    // n_candidates × n_samples
    const double *furthest;   // n_samples × n_samples: largest difference in the set
    const double *relation;   // n_samples × n_samples: similarity in the set
    const double *weights;    // n_samples
    const std::int64_t *bounds;
    std::int64_t n_samples, n_classes;
    double scale;             // the relation is exp(−scale · difference²)
    std::int64_t *changed;    // room: n_samples
};

// Change the granule sizes of the set, own and every, to those with each candidate from start to
// stop added.
S2FS_EXPORT void s2fs_gaussian_changes(const S2fsGranules *of, double *own, double *every,
                                       std::int64_t start, std::int64_t stop);

// Memberships of instances in their own class, by the distances to all class centres.
struct S2fsCentres {
    const double *columns;      // n_candidates × n_samples
    const double *centres;      // n_candidates × n_classes
    const double *squares;      // n_samples × n_classes: squared distances in the set so far
    const std::int64_t *codes;  // n_samples
    std::int64_t n_samples, n_classes;
    double power;               // exponent of a ratio of squared distances
    double floor;               // no squared distance is taken for less
};

// out[c] = the sum of them with candidate c, for the candidates from start to stop.
S2FS_EXPORT void s2fs_aggregation(const S2fsCentres *of, double *out, std::int64_t start,
                                  std::int64_t stop);

#endif
