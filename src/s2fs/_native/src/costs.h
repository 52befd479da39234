// How long things take: operations of about the time of an addition. They decide how many threads are started, and
// nothing of a result.

#ifndef S2FS_COSTS_H
#define S2FS_COSTS_H

namespace s2fs {

// S²FS, for one candidate.
constexpr double COST_OF_CARRYING = 8;    // times classes
constexpr double COST_OF_LOOKING = 8;     // whether its bound reaches the best score
constexpr double COST_OF_SUMS = 0.25;     // times samples, as for all of the next four that say so
constexpr double COST_OF_ROOTS = 1;       // samples
constexpr double COST_OF_SEPARATION = 10; // times classes squared
constexpr double COST_OF_SCREEN = 8;      // samples and classes
constexpr double COST_OF_SCORE = 30;      // samples and classes
// S²FS, for a step.
constexpr double COST_OF_TANGENT = 20;    // times samples and classes
// What the bounds know of all features: for a value of the table.
constexpr double COST_OF_OFFSET = 4;
// PairCover, for a candidate and a pair of classes.
constexpr double COST_OF_PAIR_SCREEN = 20;
constexpr double COST_OF_PAIR_SCORE = 30;
// One pass over the table, for a value.
constexpr double COST_OF_PRODUCT = 2;
constexpr double COST_OF_CLASS_SUMS = 4;
constexpr double COST_OF_MOMENTS = 10;

}  // namespace s2fs

#endif
