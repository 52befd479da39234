// What _native/separability.py calls.

#include <algorithm>
#include <vector>

#include "forward_search.h"
#include "parallel_for.h"

using namespace s2fs;

namespace {

void check_features(const Index *features, Index count, Index m) {
    for (Index k = 0; k < count; k++) require(features[k] >= 0 && features[k] < m, "a feature is out of range.");
}

void write_score(const Components &found, double alpha, double beta, double *score) {
    const double numbers[5] = {found.sep(alpha, beta), found.theta_dis, found.theta_dir, found.lambda_dis,
                               found.lambda_dir};
    std::copy(numbers, numbers + 5, score);
}

// For each weighting the best candidate, its Sep and its four components.
void find_best(Search &search, const Index *candidates, Index n_candidates, const double *alphas, const double *betas,
               Index n_weightings, double at_least, Index n_threads, Index *features, double *scores) {
    std::vector<Components> components(n_weightings, Components{0, 0, 0, 0});
    std::fill(features, features + n_weightings, Search::NO_NUMBER);
    if (n_candidates > 0)
        search.best(candidates, n_candidates, alphas, betas, n_weightings, at_least, n_threads, features,
                    components.data());
    for (Index k = 0; k < n_weightings; k++) write_score(components[k], alphas[k], betas[k], scores + 5 * k);
}

}  // namespace

S2FS_ENTRY(s2fs_scaled_data_new,
           (const Table *table, const Index *codes, const double *weight, const double *lower,
            const double *width, const double *tolerance, const double *centroids, Index n_classes,
            double unit, Index is_published, Index is_rms, ScaledData **made)) {
    return guarded([&] {
        *made = new ScaledData(*table, codes, weight, lower, width, tolerance, centroids, n_classes, unit,
                               is_published != 0, is_rms != 0);
    });
}

S2FS_ENTRY(s2fs_scaled_data_free, (ScaledData *data)) {
    return guarded([&] { delete data; });
}

S2FS_ENTRY(s2fs_search_new, (const ScaledData *data, Search **made)) {
    return guarded([&] { *made = new Search(*data); });
}

// The data are those of the subset: Python keeps them alive as long as the copy.
S2FS_ENTRY(s2fs_search_copy, (Search *search, const ScaledData *data, Search **made)) {
    return guarded([&] {
        require(&search->subset.data == data, "the search is of other data.");
        *made = new Search(*search);
    });
}

S2FS_ENTRY(s2fs_search_free, (Search *search)) {
    return guarded([&] { delete search; });
}

S2FS_ENTRY(s2fs_search_add, (Search *search, Index feature)) {
    return guarded([&] {
        check_features(&feature, 1, search->subset.data.m);
        search->add(feature);
    });
}

// For each weighting the best candidate, its Sep and its four components; −1 if no score is a number, −2 if none
// is at_least that large.
S2FS_ENTRY(s2fs_search_best,
           (Search *search, const Index *candidates, Index n_candidates, const double *alphas,
            const double *betas, Index n_weightings, double at_least, Index n_threads, Index *features,
            double *scores)) {
    return guarded([&] {
        check_features(candidates, n_candidates, search->subset.data.m);
        find_best(*search, candidates, n_candidates, alphas, betas, n_weightings, at_least, n_threads, features, scores);
    });
}

// The same for one weighting; the best candidate joins the subset.
S2FS_ENTRY(s2fs_search_add_best,
           (Search *search, const Index *candidates, Index n_candidates, double alpha, double beta,
            Index n_threads, Index *feature, double *score)) {
    return guarded([&] {
        check_features(candidates, n_candidates, search->subset.data.m);
        find_best(*search, candidates, n_candidates, &alpha, &beta, 1, 0, n_threads, feature, score);
        if (*feature >= 0) search->add(*feature);
    });
}

// The group with the largest Sep of the subset joined by all of it, its Sep and its four components; −1 if no score is
// a number. Group k has the members from starts[k] to starts[k + 1] - 1.
S2FS_ENTRY(s2fs_search_best_group,
           (const Search *search, const Index *members, Index n_members, const Index *starts, Index n_starts,
            double alpha, double beta, Index n_threads, Index *group, double *score)) {
    return guarded([&] {
        const Groups groups = check_groups(members, n_members, starts, n_starts, search->subset.data.m);
        Components found{0, 0, 0, 0};
        *group = best_group(search->subset, groups, alpha, beta, n_threads, &found);
        write_score(found, alpha, beta, score);
    });
}

// The four components of the subset joined by each candidate: (4, n_candidates).
S2FS_ENTRY(s2fs_search_score, (Search *search, const Index *candidates, Index n_candidates,
                               Index n_threads, double *components)) {
    return guarded([&] {
        check_features(candidates, n_candidates, search->subset.data.m);
        const double n_operations = COST_OF_SCORE * static_cast<double>(search->subset.data.n) *
                                    static_cast<double>(search->subset.data.p) * static_cast<double>(n_candidates);
        parallel_for(n_candidates, useful_threads(n_operations, n_threads), [&](Index first, Index last, Index) {
            for (Index k = first; k < last; k++) {
                const Components found = search->score(candidates[k]);
                components[k] = found.theta_dis;
                components[n_candidates + k] = found.theta_dir;
                components[2 * n_candidates + k] = found.lambda_dis;
                components[3 * n_candidates + k] = found.lambda_dir;
            }
        });
    });
}

// The parts of Θ that are sums over the samples, for tables in several pieces: (2, n_candidates).
S2FS_ENTRY(s2fs_search_row_sums, (Search *search, const Index *candidates, Index n_candidates,
                                  Index n_threads, double *sums)) {
    return guarded([&] {
        check_features(candidates, n_candidates, search->subset.data.m);
        const double n_operations = COST_OF_SCORE * static_cast<double>(search->subset.data.n) *
                                    static_cast<double>(search->subset.data.p) * static_cast<double>(n_candidates);
        parallel_for(n_candidates, useful_threads(n_operations, n_threads), [&](Index first, Index last, Index) {
            for (Index k = first; k < last; k++) {
                const Subset::RowSums found = search->subset.row_sums(candidates[k]);
                sums[k] = found.distance;
                sums[n_candidates + k] = found.direction;
            }
        });
    });
}

// Λ_dis and Λ_dir, which need the centroids alone: (2, n_candidates).
S2FS_ENTRY(s2fs_search_separation, (Search *search, const Index *candidates, Index n_candidates,
                                    double *lambdas)) {
    return guarded([&] {
        check_features(candidates, n_candidates, search->subset.data.m);
        for (Index k = 0; k < n_candidates; k++)
            search->subset.separation(candidates[k], lambdas + k, lambdas + n_candidates + k);
    });
}

// Leave out a level of bounds, for those who measure what it saves.
S2FS_ENTRY(s2fs_search_skip, (Search *search, Index level)) {
    return guarded([&] {
        require(level >= CARRIED && level <= SCREENED, "there is no such level.");
        search->skip(static_cast<Level>(level));
    });
}

// Upper bounds of Sep for all candidates, refined to a level; for those who check them.
S2FS_ENTRY(s2fs_search_bounds, (Search *search, const Index *candidates, Index n_candidates, double alpha,
                                double beta, Index level, double *bounds)) {
    return guarded([&] {
        check_features(candidates, n_candidates, search->subset.data.m);
        require(level >= CARRIED && level <= SCREENED, "there is no such level.");
        search->upper_bounds(candidates, n_candidates, alpha, beta, static_cast<Level>(level), bounds);
    });
}
