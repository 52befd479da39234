// What the loops share: constants, the workspace of a search, and the threads that work on it.

#ifndef S2FS_STATE_HPP
#define S2FS_STATE_HPP

#include "engine.h"
#include "simd.hpp"

namespace s2fs {

using Index = std::int64_t;
using Table = s2fs_table;
using State = s2fs_state;
using Search = s2fs_search;

inline constexpr int LANES = 16;
// Instances are taken by chunks of this many blocks; sums over chunks are in double precision and
// in a fixed order, whatever the number of threads.
inline constexpr Index CHUNK_BLOCKS = 64;
inline constexpr Index CHUNK = CHUNK_BLOCKS * LANES;
// So many blocks are summed in single precision before double precision takes over (step 6).
inline constexpr Index SINGLE_BLOCKS = 16;
// So many candidates share what is loaded of the state.
inline constexpr int TOGETHER = VECTOR_BYTES == 64 ? 4 : 2;

inline constexpr double U_SINGLE = 1.0 / (1 << 24);
inline constexpr double U_DOUBLE = U_SINGLE / (1 << 29);
// Two quantities that differ by less than this, relatively, are equal, as in the criterion.
inline constexpr double EQUAL = 1e-10;
// Squared distances below this are zero; offsets that matter are far larger.
inline constexpr double ZERO = 1e-90;
inline constexpr float ZERO_SINGLE = 1e-30f;
// As in criterion.py.
inline constexpr double ON_CENTROID = 1e-12;
inline constexpr double INF = __builtin_inf();

inline Index least_of(Index a, Index b) {
    return a < b ? a : b;
}
inline Index most_of(Index a, Index b) {
    return a > b ? a : b;
}
inline double most_of(double a, double b) {
    return a > b ? a : b;
}
// Rounded up to single precision, and down if positive.
inline float rounded_up(double x) {
    return static_cast<float>(x * (1 + 2 * U_SINGLE)) + 1e-37f;
}
inline float rounded_down(double x) {
    return static_cast<float>(x * (1 - 2 * U_SINGLE));
}
// The length of a row of n numbers: an odd number of blocks, as the same column of many rows would
// fall on few lines of the cache if it were a power of two.
inline Index padded(Index n) {
    return ((n + LANES - 1) / LANES | 1) * LANES;
}

// Some neighbouring blocks of instances.
struct Blocks {
    Index first, last;
    Index size() const { return last - first; }
};

inline Index n_chunks(const Table &t) {
    return (t.n_blocks + CHUNK_BLOCKS - 1) / CHUNK_BLOCKS;
}
inline Blocks chunk(const Table &t, Index number) {
    return {number * CHUNK_BLOCKS, least_of((number + 1) * CHUNK_BLOCKS, t.n_blocks)};
}

// What bounds the compactness of all candidates from below (steps 3 and 4), as arrays over
// instances and numbers of the whole.
struct Tangent {
    void *near, *weight, *chord, *cap, *curvature;  // float or double, as the screen is
    double distance;                          // Σ weight √near
    double constant, sum_slopes;              // of the bound of Θ_dir
};

// What an earlier step tells of the sums of a later one (step 10).
struct Carried {
    float *chord, *curvature;         // of each instance at that step
    float *chord_sums;                // (16, features): Σ chord a² of that step, by lanes
    float *curvature_sums;            // (features): Σ curvature a² of that step
    alignas(64) float shrunk[LANES];  // the least ratio of the chords now and then
    double grown;                     // what the larger curvatures now add at most
    float *losses;     // (classes, features), with many classes: what a candidate took of Σ 1/G
    float *forms;      // (features), likewise: Σ S g²
    float *widest;     // (features), likewise: their largest g²
    Index losses_at;   // the size of the subset then, -1 if there are none
};

// What a thread has to itself.
struct Worker {
    Index thread;
    Blocks blocks;             // its share of the instances, in whole chunks
    Index first, last;         // its share of the features, in whole blocks of 16
    double *x;                 // (CHUNK) a scaled column
    float *column;             // (TOGETHER, CHUNK) offsets made when needed
    double *column_double;     // (CHUNK) likewise
    double *rows;              // (2, classes, 16) of a block, for the tangent
    double *tangent_sums;      // (3) of its instances
    float *shrunk;             // (16) of its instances
    double *class_sums;        // (2, classes) of chord and curvature, of its instances
    double *all_class_sums;    // (2, classes) of all instances
    double *slopes_sum;        // (classes, classes) of its instances
    double *H, *norm, *lines;  // (classes, classes) twice, (4, classes), for the separation
    float *G;                  // (classes, classes) of the state, infinite on the diagonal
    float *slopes;             // (classes, classes) half of those of all instances, symmetric
    // With many classes, of each class and the others, the nearest first (step 5):
    std::int32_t *order;       // (classes, classes) which they are; the class itself is the last
    float *ordered;            // (classes, classes) their squared distances G
    float *inverses;           // (classes, classes) 1/G
    float *least_T, *most_T;   // (classes) Σ 1/G, rounded down and up
    float *slopes_then;        // (classes, classes) slopes of the step whose losses are carried
    double *angles;            // (4, classes, classes padded to a multiple of 16)
    float *coefficients;       // (classes, classes, 3) of bounds of the angles, in order
    float clear;               // relative error of a squared distance, or infinite
    float most_dir;            // with few classes: an upper bound of Λ_dir of any candidate
    float grown_slopes;        // what the larger slopes now add for gaps of 1
    float *lanes;              // (classes, N_FLOATS) centroids of several candidates
    float *pairs;              // (6, classes, N_FLOATS) for their separation
    Index *list;               // features
    Index *screened;           // features, and their number in front
    double *sums;              // (3, features)
    double *largest;           // (features)
};

// What is known of the separation of a candidate: nothing but bounds, what rough inverses tell, what
// single precision tells while it is not clear which classes are the nearest, all that matters.
enum class Separation : std::int32_t { UNKNOWN, ROUGHLY, UNSURE, KNOWN };

// The workspace of a search, laid out anew by every thread from the same sizes.
struct Workspace {
    Tangent tangent;
    Carried carried;
    Index *open;         // (threads): how many candidates the first bound left
    float *most;         // (pairs, features): upper bound of Sep, -1 if no candidate any more
    float *before;       // (features): lower bound of Sep in the step before, -1 if not screened
    float *upper;        // (3, features): upper bounds of Λ_dis / unit and Λ_dir, and Σ S g²
    float *least;        // (3, features): lower bounds of what Θ_dis and Θ_dir are made of, and
                         // Σ curvature a² of those bounded by roots
    double *lambdas;     // (4, features): between what Λ_dis and Λ_dir are
    Separation *known;   // (features): how well they are known
    double *chunk_sums;  // (tasks, 2)
    Index *contenders;   // features, and their number in front
    std::int32_t *is_candidate;  // (features) -1, or 0 for those that are not
    std::uint64_t *reached;      // (pairs): Sep that n_best candidates are known to reach, as bits
    Worker worker;
    Index bytes;
};

Workspace lay_out(const Search &search, Index thread);

// Wait for all threads; false if the work is to be stopped.
bool all_here(Search &search);
inline bool stopped(const Search &search) {
    return *search.stop != 0;
}

// columns.cpp: scaled columns of the input
void scaled_column(const Table &t, Index feature, Blocks blocks, double *x);
void offsets_of(const Table &t, Index feature, Blocks blocks, double *x, double *offsets);
const float *single_offsets(const Table &t, Index feature, Blocks blocks, double *x, float *room);
void sparse_sums(const Table &t, const Tangent &tangent, Index feature, const double *class_sums,
                 double *sums);

// compactness.cpp
void compactness(const Table &t, const State &s, Index feature, Blocks blocks, double *x,
                 double *sums);
void compactness_single(const Search &search, const Tangent &tangent, const Index *features,
                        Index n, Worker &worker, double *sums);
void compactness_double(const Search &search, Index feature, double *x, double *sums);
void add_to_instances(const Table &t, State &s, Index feature, Blocks blocks, double *x);
void add_to_classes(const Table &t, State &s, Index feature);

// separation.cpp
void separation(const Table &t, const State &s, Index feature, Worker &worker, double *parts);

// Between what Λ_dis and Λ_dir of a candidate in each lane are, and its Σ S g² (step 4). Where it is
// unclear which classes are the nearest, Λ_dir may be anything between far bounds.
struct Between {
    Floats low_dis, high_dis, low_dir, high_dir, form;
    Ints unclear;
};
Between separation_between(const Table &t, Worker &worker, bool directed, const float *centroids,
                           Index step);
void prepare_separation(const Table &t, const State &s, Worker &worker);

// With up to this many classes one bound of Λ_dir serves all candidates.
inline constexpr Index FEW_CLASSES = 8;
// Upper bounds of Λ_dis / unit and Λ_dir of a candidate in each lane, and of its Σ S g².
struct Most {
    Floats dis, dir, form;
};
void prepare_most(const Search &search, Workspace &ws, bool directed);
void most_separation(const Search &search, const Workspace &ws, bool directed, const Index *first,
                     Most *found);
// With many classes: tighter bounds of Λ_dir and Σ S g² in `upper` for up to N_FLOATS features.
void tighten_direction(const Search &search, Workspace &ws, const Index *features, Index n);

// bounds.cpp
void tangent_of(const Search &search, Workspace &ws, bool carry);
void join_tangents(const Search &search, Workspace &ws);
void keep_tangent(Workspace &ws);
enum class Distance { CHORD, ROOT };
void least_sums(const Search &search, const Tangent &tangent, Distance distance,
                const Index *features, Index n, Worker &worker, double *sums);
void sums_to_carry(const Search &search, Workspace &ws, Index first, Index n, double *sums);
// Lower bounds of Σ chord a², upper bounds of Σ curvature a², of a candidate in each lane.
struct Sums {
    Floats chord, curvature;
};
Sums carried_sums(const Search &search, const Workspace &ws, Index first);

// How sums over the instances make lower bounds of what Θ_dis and Θ_dir are made of (step 8).
struct Room {
    double distance, by_chord, by_root, direction, in_sums, in_form;
    Room(const Search &search, const Tangent &tangent);
    double theta_dis(double sum, Distance kind) const {
        return kind == Distance::CHORD ? distance + sum * by_chord : sum * by_root;
    }
    double theta_dir(double sum, double form) const {
        const double least = direction - sum * in_sums - form * in_form;
        return least > 0 ? least : 0.0;
    }
};

// Θ_dis from the sum over the instances; below ON_CENTROID it is rounding.
inline double theta_dis(const Table &t, double sum) {
    const double distance = t.rms ? std::sqrt(sum) : sum;
    return t.unit * (distance > ON_CENTROID ? distance : ON_CENTROID);
}

}  // namespace s2fs

#endif
