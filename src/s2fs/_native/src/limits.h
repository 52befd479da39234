// The numbers that decide what counts as equal, as zero and as too large, and why each is what it is.

#ifndef S2FS_LIMITS_H
#define S2FS_LIMITS_H

namespace s2fs {

// What is equal.
constexpr double EQUAL = 1e-10;          // scores that differ by less, relatively: far above rounding, far below a choice
constexpr double ON_CENTROID = 1e-12;    // of a range: a mean is only known up to rounding; criteria/separability.py has it
constexpr double SLACK = 1 + 1e-11;      // rounding of a score and of the constants of its bounds; below EQUAL

// Double precision, which reaches from 1e-308 to 1e308.
constexpr double ZERO_SQUARE = 1e-90;    // squared distances below this are 0: products of three inverses stay finite
constexpr double LEAST_LENGTH = 1e-150;  // the inverse of a length, squared, stays finite
constexpr double NO_DISTANCE = 1e300;    // farther than anything, and twice it is finite
constexpr double LEAST_DIVISOR = 1e-300; // divides in place of 0, where what is divided is 0, too
constexpr double NEAR_CLASSES = 1e-12;   // classes nearer than this, squared, have no useful bound of Λ_dir but 2

// Single precision, which reaches from 1e-38 to 3e38.
constexpr double U = 1.0 / (1 << 24);    // unit roundoff
constexpr double SUM_ERROR = 1.0 / (1 << 15);  // relative error of a sum of CHUNK terms of one sign, in any order: CHUNK U
constexpr float FAR = 1e16f;             // farther than anything, as no feature has a range above 1; its square is finite
constexpr double LARGEST = 1e30;         // times a square of the data, which is at most 1e4 or so, it is finite
constexpr double LARGEST_SLOPE = 1e28;   // a hundred of them add up to LARGEST
constexpr float LEAST_SQUARE = 1e-30f;   // of a distance: its inverse is 1e30, and a sum of these finite
constexpr float ON_OWN = 1e14f;          // an inverse distance above this may be that of a sample on its own centroid
constexpr float COINCIDE = 1e10f;        // an inverse distance above this may be that of classes that coincide
constexpr double LEAST_GAP_ERROR = 1e-18;       // so that its square is a number of single precision
constexpr float LARGEST_RHO = 1.0f / 8192;      // step 8: error terms of the second order are below those it has
constexpr double YOUNG = 4096;           // step 7: (|g| + ε)² ≤ (1 + 1/4096) g² + (1 + 4096) ε²; any number is right

}  // namespace s2fs

#endif
