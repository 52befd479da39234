// Nearest neighbours on the prefixes of a ranking.
//
// 1. The features of a prefix are those of the one before and some more, so squared distances grow
//    by one term per feature, and one row of them serves all sizes.
// 2. The rows that were nearest with fewer features give a bound: none of the nearest now is
//    further than the furthest of them.
// 3. Training rows are looked at in stretches. The least distance of a stretch is found while the
//    distances grow, and most stretches hold nothing near.
// 4. Of training rows equally far, up to rounding, the earlier ones are nearer.

#include <cmath>
#include <limits>

#include "lanes.hpp"

namespace {

using Index = std::int64_t;

constexpr Index STRETCH = 64;
constexpr double INFINITE = std::numeric_limits<double>::infinity();

// The least of distances that the term of one feature is added to.
inline double grow(double *distances, const double *train, double x, Index count) {
    Lanes least(INFINITE);
    for (Index j = 0; j < count; j += S2FS_LANES)
        for (Index r = 0; r < REGISTERS; r++) {
            const Index at = j + r * REGISTER;
            const Register apart = x - load(train + at);
            const Register grown = load(distances + at) + apart * apart;
            store(distances + at, grown);
            least.at[r] = smaller(grown, least.at[r]);
        }
    return least.least();
}

// One test row: its distances to the training rows, and the nearest of them, one more than vote.
struct Row {
    const S2fsNeighbours &of;
    const double *test;
    double *distances;
    double *found;  // distances of the nearest, sorted, the later of equal ones last
    Index *near;    // which they are, −1 where there are none yet

    // Step 2, for the distances that the feature f is about to grow.
    double bound(Index f) const {
        double furthest = -INFINITE;
        for (Index place = 0; place <= of.n_neighbors; place++) {
            const Index row = near[place];
            if (row < 0) return INFINITE;
            const double apart = test[f] - of.train[f * of.n_padded + row];
            const double d = distances[row] + apart * apart;
            furthest = larger(furthest, d);
        }
        return std::nextafter(furthest, INFINITE);
    }

    // Steps 1 and 3: grow by the features from first to end, and find the nearest.
    void search(Index first, Index end) {
        const Index last = end - 1, k = of.n_neighbors;
        for (Index f = first; f < last; f++)
            grow(distances, of.train + f * of.n_padded, test[f], of.n_padded);
        const double limit = bound(last);
        for (Index place = 0; place <= k; place++) {
            found[place] = limit;
            near[place] = -1;
        }
        const double *train = of.train + last * of.n_padded;
        for (Index start = 0; start < of.n_padded; start += STRETCH) {
            const Index stop = start + STRETCH < of.n_padded ? start + STRETCH : of.n_padded;
            const double least = grow(distances + start, train + start, test[last], stop - start);
            if (least >= found[k]) continue;
            for (Index j = start; j < stop; j++)
                if (distances[j] < found[k]) insert(j);
        }
    }

    void insert(Index row) {
        const double d = distances[row];
        Index place = of.n_neighbors;
        for (; place > 0 && d < found[place - 1]; place--) {
            found[place] = found[place - 1];
            near[place] = near[place - 1];
        }
        found[place] = d;
        near[place] = row;
    }

    // The class with most votes of the nearest, the first of equals.
    Index vote() const {
        for (Index q = 0; q < of.n_classes; q++) of.votes[q] = 0;
        const Index k = of.n_neighbors;
        const double low = found[k - 1] * (1 - of.equal), high = found[k - 1] * (1 + of.equal);
        if (found[k] > high) {
            for (Index place = 0; place < k; place++) of.votes[of.codes[near[place]]]++;
        } else {  // step 4
            Index left = k;
            for (Index j = 0; j < of.n_train; j++)
                if (distances[j] < low) {
                    of.votes[of.codes[j]]++;
                    left--;
                }
            for (Index j = 0; j < of.n_train && left > 0; j++)
                if (distances[j] >= low && distances[j] <= high) {
                    of.votes[of.codes[j]]++;
                    left--;
                }
        }
        Index winner = 0;
        for (Index q = 1; q < of.n_classes; q++)
            if (of.votes[q] > of.votes[winner]) winner = q;
        return winner;
    }
};

}  // namespace

void s2fs_neighbours(const S2fsNeighbours *of, Index start, Index stop) {
    const Index slots = of->n_neighbors + 1;
    for (Index begin = start; begin < stop; begin += S2FS_TOGETHER) {
        const Index count = stop - begin < S2FS_TOGETHER ? stop - begin : S2FS_TOGETHER;
        for (Index i = 0; i < count; i++) {
            double *distances = of->distances + i * of->n_padded;
            for (Index j = 0; j < of->n_padded; j++)
                distances[j] = j < of->n_train ? 0.0 : INFINITE;
            for (Index place = 0; place < slots; place++) of->near[i * slots + place] = -1;
        }
        Index done = 0;
        for (Index s = 0; s < of->n_sizes; s++) {
            for (Index i = 0; i < count; i++) {
                Row row{*of, of->test + (begin + i) * of->n_features,
                        of->distances + i * of->n_padded, of->found, of->near + i * slots};
                row.search(done, of->sizes[s]);
                of->predictions[s * of->n_test + begin + i] = row.vote();
            }
            done = of->sizes[s];
        }
    }
}
