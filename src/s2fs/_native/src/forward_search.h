// The search for the feature, or the group of features, to add: a subset, and what becomes known of the candidates on the way.
//
// Who forgets what:
//
//                                           add         copy        best
//     level, exact, known, curved, bounds   forgotten   forgotten   refined; made anew after an add
//     reference, carried                    kept        copied      renewed if most candidates are summed
//     runners_up                            kept        copied      renewed
//
// upper_bounds forgets the first row, and begins anew.

#ifndef S2FS_FORWARD_SEARCH_H
#define S2FS_FORWARD_SEARCH_H

#include "feature_groups.h"
#include "separability.h"

namespace s2fs {

// How far a candidate has been refined, in this order (forward_search.cpp).
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

class Search {
  public:
    explicit Search(const ScaledData &data) : subset(data) {}
    Search(const Search &other)
        : subset(other.subset),
          reference(other.reference),
          carried(other.carried),
          runners_up{other.runners_up[0], other.runners_up[1]},
          skipped(other.skipped) {}

    Subset subset;

    void add(Index feature) {
        subset.add(feature);
        has_bounds = false;
    }

    // The score of the subset joined by a feature; it may be known.
    Components score(Index feature) const {
        return has_bounds && level[feature] == EXACT ? known[feature] : subset.score(feature);
    }

    // For each weighting the candidate with the largest Sep, the smaller index among equals; NO_NUMBER if no score is a
    // number, and NONE_REACHES if none is at_least that large.
    static constexpr Index NO_NUMBER = -1, NONE_REACHES = -2;
    void best(const Index *candidates, Index count, const double *alphas, const double *betas, Index n_weightings,
              double at_least, Index n_threads, Index *features, Components *components);

    // The upper bounds of Sep, each refined to a level; for those who check them.
    void upper_bounds(const Index *candidates, Index count, double alpha, double beta, Level until,
                      double *found);

    // Leave out a level, for those who measure what it saves: candidates go on to the next one as they are.
    void skip(Level some) { skipped |= 1u << some; }
    bool skips(Level some) const { return skipped >> some & 1u; }

    // Of the subset as it is, if it has bounds.
    bool has_bounds = false;
    std::vector<Level> level;       // (m)
    Indices exact;                  // the features of level EXACT
    std::vector<Components> known;  // (m) Θ from below and Λ from above, or exact
    Doubles curved;                 // (m) curvature·a² from above, of those with roots
    StepBounds bounds;
    // Of an earlier subset: carried ≤ Σ_i reference_i a_i². At first these are the weights of the samples.
    Floats reference;  // (n)
    Doubles carried;   // (m)
    Index runners_up[2] = {-1, -1};  // the candidates that came next to the best
    unsigned skipped = 0;  // a bit for each level
};

// feature_groups.cpp: the group with the largest Sep of the subset joined by it, the first one among equals; NO_NUMBER
// if no score is a number.
Index best_group(const Subset &subset, const Groups &groups, double alpha, double beta, Index n_threads,
                 Components *components);

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
