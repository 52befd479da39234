// Nearest neighbours on the prefixes of a ranking.
//
// 1. The features of a prefix are those of the one before and some more, so squared distances grow by
//    one term per feature, and one row of them serves all sizes.
// 2. The samples that were nearest with fewer features give a bound: none of the nearest now is
//    further than the furthest of them.
// 3. Training samples are looked at in stretches, whose least distances are found while the distances
//    grow. One sample of each stretch is as near as that, so the least distances give a bound, too, and
//    most stretches hold nothing below both bounds.
// 4. Of training samples equally far, up to rounding, the earlier ones are nearer.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "border.h"

using namespace s2fs;

namespace {

constexpr Index STRETCH = 64;
// Test samples that share one walk over the training samples.
constexpr Index TOGETHER = 8;
constexpr double INFINITE = std::numeric_limits<double>::infinity();

struct Training {
    const double *values;  // (features, samples)
    const Index *codes;
    Index n_samples, n_classes, n_neighbors;
    double equal;  // distances that differ by less, relatively, are equal
};

// The least of distances that the term of one feature is added to.
inline double grow(double *distances, const double *train, double x, Index count) {
    double least = INFINITE;
#pragma omp simd reduction(min : least)
    for (Index j = 0; j < count; j++) {
        const double apart = x - train[j], grown = distances[j] + apart * apart;
        distances[j] = grown;
        least = grown < least ? grown : least;
    }
    return least;
}

// One test sample: its distances to the training samples, and the nearest of them, one more than vote.
class TestSample {
   public:
    TestSample(const Training &train, const double *values)
        : train_(train),
          values_(values),
          distances_(train.n_samples, 0.0),
          least_((train.n_samples + STRETCH - 1) / STRETCH),
          found_(train.n_neighbors + 1),
          nearest_(train.n_neighbors + 1, -1) {}

    // Steps 1 and 3: grow by the features from first to end, and find the nearest.
    void search(Index first, Index end) {
        const Index last = end - 1, n = train_.n_samples;
        for (Index f = first; f < last; f++)
            grow(distances_.data(), train_.values + f * n, values_[f], n);
        begin_search(bound(last));
        const double *values = train_.values + last * n;
        for (Index s = 0; s * STRETCH < n; s++) {
            const Index start = s * STRETCH, count = std::min(STRETCH, n - start);
            double *distances = &distances_[start];
            least_[s] = count == STRETCH  // a constant length is quicker
                            ? grow(distances, values + start, values_[last], STRETCH)
                            : grow(distances, values + start, values_[last], count);
            insert(least_[s], s);
        }
        const double limit = std::nextafter(found_.back(), INFINITE);
        begin_search(limit);
        for (Index s = 0; s * STRETCH < n; s++)
            if (least_[s] < limit) insert_stretch(s * STRETCH, limit);
    }

    // The class with most votes of the nearest, the first of equals.
    Index vote(std::vector<Index> &votes) const {
        std::fill(votes.begin(), votes.end(), 0);
        const Index k = train_.n_neighbors;
        const double low = found_[k - 1] * (1 - train_.equal);
        const double high = found_[k - 1] * (1 + train_.equal);
        if (found_[k] > high && nearest_[k - 1] >= 0) {
            for (Index place = 0; place < k; place++) votes[train_.codes[nearest_[place]]]++;
        } else {  // step 4
            Index left = k;
            for (Index j = 0; j < train_.n_samples; j++)
                if (distances_[j] < low) {
                    votes[train_.codes[j]]++;
                    left--;
                }
            for (Index j = 0; j < train_.n_samples && left > 0; j++)
                if (distances_[j] >= low && distances_[j] <= high) {
                    votes[train_.codes[j]]++;
                    left--;
                }
        }
        return std::max_element(votes.begin(), votes.end()) - votes.begin();
    }

   private:
    // Step 2, for the distances that feature f is about to grow.
    double bound(Index f) const {
        double furthest = -INFINITE;
        for (Index sample : nearest_) {
            if (sample < 0) return INFINITE;
            const double apart = values_[f] - train_.values[f * train_.n_samples + sample];
            furthest = std::max(furthest, distances_[sample] + apart * apart);
        }
        return std::nextafter(furthest, INFINITE);
    }

    // Nothing is found yet, and what is found is below the limit.
    void begin_search(double limit) {
        std::fill(found_.begin(), found_.end(), limit);
        std::fill(nearest_.begin(), nearest_.end(), -1);
    }

    // Insert the samples of a stretch below the limit. They are listed first, without a branch: which
    // of them are so cannot be foreseen.
    void insert_stretch(Index start, double limit) {
        Index listed[STRETCH], n_listed = 0;
        for (Index j = start; j < std::min(start + STRETCH, train_.n_samples); j++) {
            listed[n_listed] = j;
            n_listed += distances_[j] < limit;
        }
        for (Index i = 0; i < n_listed; i++) insert(distances_[listed[i]], listed[i]);
    }

    // Keep a distance, and where it was found, if it is one of the least.
    void insert(double distance, Index where) {
        Index place = train_.n_neighbors;
        if (!(distance < found_[place])) return;
        for (; place > 0 && distance < found_[place - 1]; place--) {
            found_[place] = found_[place - 1];
            nearest_[place] = nearest_[place - 1];
        }
        found_[place] = distance;
        nearest_[place] = where;
    }

    const Training &train_;
    const double *values_;
    std::vector<double> distances_;
    std::vector<double> least_;   // of each stretch
    std::vector<double> found_;   // distances of the nearest, sorted, the later of equal ones last
    std::vector<Index> nearest_;  // which they are, −1 where there are none yet
};

}  // namespace

// The predictions of the test samples from first to last, on the first sizes[0], sizes[1], … features.
S2FS_ENTRY(s2fs_nearest_neighbours,
           (const double *train, Index n_features, Index n_train, const Index *codes,
            const double *test, Index n_test, const Index *sizes, Index n_sizes, Index n_classes,
            Index n_neighbors, double equal, Index first, Index last, Index *predictions)) {
    return guarded([&] {
        require(1 <= n_neighbors && n_neighbors <= n_train, "there are too few training samples.");
        require(n_classes >= 1, "there are no classes.");
        require(0 <= first && first <= last && last <= n_test, "the part is not in the loop.");
        for (Index i = 0; i < n_train; i++)
            require(0 <= codes[i] && codes[i] < n_classes, "a class is out of range.");
        for (Index s = 0; s < n_sizes; s++)
            require((s == 0 ? 0 : sizes[s - 1]) < sizes[s] && sizes[s] <= n_features,
                    "the sizes must increase from 1 to the number of features.");
        const Training training{train, codes, n_train, n_classes, n_neighbors, equal};
        std::vector<Index> votes(n_classes);
        for (Index begin = first; begin < last; begin += TOGETHER) {
            std::vector<TestSample> samples;
            for (Index i = begin; i < std::min(begin + TOGETHER, last); i++)
                samples.emplace_back(training, test + i * n_features);
            Index done = 0;
            for (Index s = 0; s < n_sizes; s++) {
                for (std::size_t i = 0; i < samples.size(); i++) {
                    samples[i].search(done, sizes[s]);
                    predictions[s * n_test + begin + static_cast<Index>(i)] =
                        samples[i].vote(votes);
                }
                done = sizes[s];
            }
        }
    });
}
