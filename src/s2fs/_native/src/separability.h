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

#include "large_floats.h"
#include "table.h"

namespace s2fs {

using Doubles = std::vector<double>;
using Floats = std::vector<float>;
using Indices = std::vector<Index>;

constexpr double EQUAL = 1e-10;        // scores that differ by less, relatively, are equal
constexpr double ON_CENTROID = 1e-12;  // as in criteria/separability.py
constexpr double ZERO_SQUARE = 1e-90;  // squared distances below this are zero
constexpr Index LANES = 16;            // the number of samples is a multiple of this
constexpr Index CHUNK = 512;           // samples, or features, that are worked on together
constexpr double U = 1.0 / (1 << 24);  // unit roundoff of single precision
// Relative error of a sum of CHUNK terms of one sign in single precision, whatever their order.
constexpr double SUM_ERROR = 1.0 / (1 << 15);

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

// How far a candidate has been refined, see forward_search.cpp.
enum Level : unsigned char { CARRIED, SUMS, ROOTS, SEPARATED, SCREENED, EXACT };

// The tangent of Θ at the subset, a lower bound for every candidate (compactness_bounds.cpp):
//     Θ_dis ≥ unit (distance + chord·a²),  Θ_dir ≥ direction − curvature·a² − S·g².
struct CompactnessTangent {
    double distance, direction;
    Floats chord, curvature;  // (n)
    Doubles S;                // (p, p)
};

// Squared distances h of all classes with a candidate, in single precision (separation_bounds.cpp).
struct RoundedDistances {
    double lambda_dis, bend;   // Λ_dis without its unit, and S·g², from above
    Floats h, w;               // (p, whole_eights(p)) and 1/√h
    Floats T;                  // (whole_eights(p)) Σ_s 1/h_qs
    std::vector<std::int32_t> nearest;  // (whole_eights(p)) the nearest class
    double rho;                // the largest error of a gap over a distance of two classes
    bool is_clear;             // whether the nearest classes are certain, and rho is small
    Floats deviations;         // what they are made of
    Floats memberships;        // (p, whole_eights(p)) in the nearest classes, of those that are known
    std::vector<char> has_memberships;
};

// What holds for all candidates of a step.
struct StepBounds {
    CompactnessTangent tangent;
    Floats D, P;                // (p, n) rounded
    Floats own_square, own_root, weight;  // (n) ‖φ(x_i) − c_own‖² and its root, rounded; the weights
    Floats G, S;                // (p, whole_eights(p)) rounded; no class is near to itself or to the padding
    double sum_S;
    std::vector<std::int32_t> nearest;  // (p, N_NEAREST) classes in the order of G
    Floats nearest_gap;         // (p, N_NEAREST) how much farther than the first they are
    Doubles nearest_root;       // (p) distance to the first
    double lambda_dis;          // of the subset
    double lambda_dir;          // no candidate has more
    Indices most_first;         // (p) classes by what each adds to Λ_dir at most
    Doubles most_of_rest;       // (p) and what each one and those behind it add together, at most
    Floats by_class;            // (p) S·g² ≤ by_class·e² for deviations e

    // What the first two levels are made of, for any alpha and beta, where is_carried says so of a chunk of features:
    //     Θ_dis + α Θ_dir ≥ theta_dis + max(theta_dis_more + α theta_dir, 0),  Λ_dis ≤ most_lambda_dis.
    std::vector<char> is_carried;
    double largest_chord, largest_curvature;  // in units of the weights
    double chord_ratio;                       // the least chord_i / reference_i
    Doubles theta_dis, theta_dis_more, theta_dir, most_lambda_dis;  // (m)
    Floats bend;                // (m) S·g²
};

constexpr Index N_NEAREST = 4;
// Farther than anything, as no feature has a range above 1: loops in single precision want finite numbers.
constexpr float FAR = 1e16f;

// A growing subset, empty at first.
class Subset {
  public:
    explicit Subset(const ScaledData &data_);
    // The same subset; what is known of candidates stays behind.
    Subset(const Subset &other);

    const ScaledData &data;
    Index size = 0;
    Doubles D, P;         // (p, n)
    Doubles own_square;   // (n) D[i, own(i)]
    Doubles G;            // (p, p)
    double within = 0;    // Σ weight D[i, own(i)]

    void add(Index feature);

    // components.cpp: all of it in double precision.
    struct RowSums {
        double distance, direction;  // Σ weight ‖V_own‖ (its square for the rms), Σ weight Σ_r μ (1 − cos)
    };
    RowSums row_sums(Index feature) const;
    const ClassDistances &class_distances(Index feature) const;
    void separation(Index feature, double *lambda_dis, double *lambda_dir) const;
    Components score(Index feature) const;

    // forward_search.cpp: for each weighting the candidate with the largest Sep, the smaller index among
    // equals; NO_NUMBER if no score is a number, and NONE_REACHES if none is at_least that large. What
    // becomes known of candidates is kept until a feature is added.
    static constexpr Index NO_NUMBER = -1, NONE_REACHES = -2;
    void best(const Index *candidates, Index count, const double *alphas, const double *betas, Index n_weightings,
              double at_least, Index n_threads, Index *features, Components *components);

    // The upper bounds of Sep, each refined to a level; for those who check them.
    void upper_bounds(const Index *candidates, Index count, double alpha, double beta, Level until,
                      double *found);

    std::vector<Level> level;       // (m)
    Indices exact;                  // the features of level EXACT
    std::vector<Components> known;  // (m) Θ from below and Λ from above, or exact
    Doubles curved;                 // (m) curvature·a² from above, of those with roots
    // Sums of an earlier step: carried ≤ Σ_i reference_i a_i². At first these are the weights of the samples.
    Floats reference;  // (n)
    Doubles carried;   // (m)
    StepBounds bounds;
    bool has_bounds = false;
    Index runners_up[2] = {-1, -1};  // the candidates that came next to the best
};

// A bound that is a sum, over all samples or classes or only so many that it rules the candidate out.
struct PartialBound {
    double value;
    bool is_complete;
};

// compactness_bounds.cpp
CompactnessTangent make_tangent(const Subset &, const FeatureTables &, Index n_threads);
void round_state(const Subset &, StepBounds &);
struct Roots {
    double distance, bend;  // Θ_dis less that of the subset, from below; curvature·a², from above
};
Roots sum_roots(const StepBounds &, const float *offsets, Index n);
PartialBound screen_direction(const ScaledData &, const FeatureTables &, const StepBounds &, Index feature,
                              const float *offsets, double large_enough);

// separation_bounds.cpp
void bound_direction(const Subset &, const FeatureTables &, StepBounds &);
void find_nearest(const Subset &, StepBounds &);
void round_pairs(const Subset &, StepBounds &);
void bound_by_classes(const ScaledData &, const FeatureTables &, const StepBounds &, Index first, Index last,
                      float *distance, float *bend);
void bound_distances(const ScaledData &, const FeatureTables &, const StepBounds &, Index feature, RoundedDistances &);
PartialBound bound_directions(const ScaledData &, const StepBounds &, double small_enough, RoundedDistances &);

}  // namespace s2fs

#endif
