// The engine of S²FS: Sep (Eq. 23) of a growing subset of features, and the best feature to add.
//
// For a subset B the criterion needs three arrays, each a sum over the features of B:
//     D[i, r] = ‖φ(x_i) − c_r‖²,  P[i, r] = (c_own(i) − φ(x_i))·(c_r − φ(x_i)),  G[q, r] = ‖c_q − c_r‖².
// A candidate f with the offsets a_i = x_i − c_own(i) and b_ir = x_i − c_r and the gaps g_qr = c_q − c_r
// adds b², a·b and g² to them. Scoring one takes n·p + p² terms (components.cpp). Few candidates are
// scored: forward_search.cpp keeps an upper bound of Sep for each one and refines the largest bound
// until no bound reaches the best score. docs/engine.md has the bounds in numbered steps.
//
// Letters: n samples, m features, p classes; i is a sample, f a feature, q, r and s are classes, and
// a is the class whose centroid is nearest to that of q.

#ifndef S2FS_SEPARABILITY_H
#define S2FS_SEPARABILITY_H

#include <mutex>
#include <vector>

#include "costs.h"
#include "large_floats.h"
#include "limits.h"
#include "table.h"

namespace s2fs {

using Doubles = std::vector<double>;
using Floats = std::vector<float>;
using Indices = std::vector<Index>;

constexpr Index LANES = 16;            // the number of samples is a multiple of this
constexpr Index CHUNK = 512;           // samples, or features, that are worked on together

// Classes are padded to whole registers in the loops over pairs of them.
constexpr Index EIGHT = 8;
inline Index whole_eights(Index count) { return (count + EIGHT - 1) / EIGHT * EIGHT; }

// By value: with the references of std::min and std::max compilers do not vectorise minima.
template <class Real>
inline Real smaller(Real a, Real b) {
    return a < b ? a : b;
}
template <class Real>
inline Real larger(Real a, Real b) {
    return a > b ? a : b;
}

// Differences to a centroid up to the tolerance are rounding, and count as 0.
inline double beyond(double difference, double tolerance) {
    return (difference < 0 ? -difference : difference) > tolerance ? difference : 0.0;
}

// What the bounds need to know of all features; made before the first search.
struct FeatureTables {
    LargeFloats offsets;     // (m, n) a_i, of dense tables
    Floats deviations;       // (p, m) centroids from the feature's median centroid on
    Doubles median;          // (m) that median
    Floats gap_error;        // (m) how far |c_q − c_r| of the rounded deviations may be off
    Doubles within;          // (m) Σ weight a², the within-class variance
    Doubles sum_error;       // (m) its rounding error, for |v| ≤ weight
    Floats largest_square;   // (n) the largest a_i² of all features
    Doubles mean_square;     // (n) the mean a_i²
    Doubles largest_gap;     // (p, p) the largest g_qr² of all features
    Doubles mean_gap;        // (p, p) the mean g_qr²
    double largest_extent;   // squared: no b_ir² is larger
};

// Samples sorted by class, and what scales them; nothing of it changes during a search.
class ScaledData {
  public:
    ScaledData(const Table &table, const Index *codes, const double *weights, const double *lower,
               const double *width, const double *tolerances, const double *class_means,
               Index n_classes, double unit_, bool is_published_, bool is_rms_);

    Index n, m, p;                   // n includes samples of weight 0 that fill the last lanes
    std::vector<std::int32_t> own;   // (n) class of each sample
    Doubles weight;                  // (n) summing to 1
    Doubles tolerance;               // (m)
    Doubles centroids;               // (m, p) of the scaled features
    double unit;                     // what a distance of 1 stands for
    bool is_published;               // Eq. 20 as published, or normalised
    bool is_rms;                     // Θ_dis is the root mean square of the distances

    // The scaled values of a feature, in the order of the samples here.
    void read_column(Index feature, double *x) const;
    // Its offsets in single precision: of the table if it is there, otherwise made in the buffer.
    const float *offsets(Index feature, Floats &buffer) const;
    // Σ_i v_i a_i² and Σ_i w_i a_i² of some features; v and w have n numbers.
    void weighted_squares(const Floats &v, const Floats &w, const Index *features, Index count, double *by_v,
                          double *by_w) const;

    // Made once, by the first one who asks.
    const FeatureTables &tables(Index n_threads) const;

  private:
    void make_tables(Index n_threads) const;
    void make_offsets(Index first, Index last) const;
    void sum_squares_of_samples() const;
    void sum_within(Index n_threads) const;
    void bound_sum_errors() const;
    void place_centroids() const;
    void compare_classes() const;
    double scaled(double value, Index feature) const {
        return (value - lower_[feature]) / width_[feature];
    }

    Table table_;
    Doubles lower_, width_;
    std::vector<std::int32_t> row_;       // (n) where each sample is in the table
    std::vector<std::int32_t> position_;  // the inverse, for sparse tables
    mutable std::once_flag once_;
    mutable FeatureTables tables_;
};

struct Components {
    double theta_dis, theta_dir, lambda_dis, lambda_dir;

    double sep(double alpha, double beta) const {
        return (lambda_dis + beta * lambda_dir) / (theta_dis + alpha * theta_dir);
    }
};

// Squared distances of centroids, and the nearest of each.
struct ClassDistances {
    Doubles h;               // (p, p)
    Doubles least;           // (p) to the nearest class
    Indices near;            // (p) that class
    Doubles nearest, number, limit;  // (p) for the loops that find them
    double lambda_dis;
};

// A growing subset, empty at first: three arrays, each a sum over its features (components.cpp). All of it is in double
// precision. A copy takes all of it.
class Subset {
  public:
    explicit Subset(const ScaledData &data_);

    const ScaledData &data;
    Index size = 0;
    Doubles D, P;         // (p, n)
    Doubles own_square;   // (n) D[i, own(i)]
    Doubles G;            // (p, p)
    double within = 0;    // Σ weight D[i, own(i)]

    void add(Index feature);

    // Of the subset joined by a feature.
    struct RowSums {
        double distance, direction;  // Σ weight ‖V_own‖ (its square for the rms), Σ weight Σ_r μ (1 − cos)
    };
    RowSums row_sums(Index feature) const;
    void separation(Index feature, double *lambda_dis, double *lambda_dir) const;
    Components score(Index feature) const;
};

// What a feature adds to G, and Λ_dis and Λ_dir of a subset of which G is known, joined by a feature.
void add_gaps(const ScaledData &data, Index feature, Doubles &G);
void separation(const ScaledData &data, const Doubles &G, Index feature, double *lambda_dis, double *lambda_dir);

}  // namespace s2fs

#endif
