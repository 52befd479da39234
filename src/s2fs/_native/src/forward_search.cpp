// One step of the forward search: the candidate with the largest Sep.
//
// Each candidate has an upper bound of Sep, from a lower bound of Θ and an upper bound of Λ. The
// largest bound is refined, level by level, until none reaches the best score in double precision:
//
//     CARRIED   Θ by the sums of an earlier step, Λ by sums over the classes
//     SUMS      Θ by a weighted sum of a_i²: one product of the table with a vector
//     ROOTS     Θ_dis itself
//     SEPARATED Λ itself, and what bends Θ_dir, in single precision
//     SCREENED  Θ_dir itself, in single precision
//     EXACT     the score in double precision
//
// Whatever order this takes, every candidate whose score may reach the best one is scored, so the
// choice is that of double precision, for any number of threads.

#include <algorithm>
#include <cmath>
#include <iterator>

#include "forward_search.h"
#include "parallel_for.h"

namespace s2fs {

namespace {

constexpr Index MANY = 4;            // one candidate in so many

struct Candidate {
    double bound;
    Index feature;
    bool operator<(const Candidate &other) const { return bound < other.bound; }
};

class Step {
  public:
    Step(Search &search, const Index *candidates, Index count, Index n_threads)
        : search_(search), subset_(search.subset), data_(subset_.data), bounds_(search.bounds), candidates_(candidates),
          count_(count), n_threads_(n_threads), tables_(data_.tables(n_threads)) {
        if (!search.has_bounds) make_bounds();
        carry_candidates();
    }

    // For one weighting, then for the next.
    Index best(double alpha, double beta, double at_least, Components *components);
    void bounds(double alpha, double beta, Level level, double *found);

  private:
    void make_bounds();
    void carry_candidates();
    void carry_features(Index first, Index last);
    void sum_features(const Index *features, Index count);
    void bound_features(Index first, Index last, double *found) const;
    bool sum_candidates(const std::vector<Candidate> &alive);
    double refine(Index feature);
    void refine_all(std::vector<Candidate> &alive, Level until, double n_operations_of_one);
    void drop(std::vector<Candidate> &alive) const;
    void score(Index feature);
    void add_score(Index feature);
    void score_promising();
    void find_alive_in(Index chunk, std::vector<Candidate> &found) const;
    std::vector<Candidate> find_alive() const;
    void score_largest_first(std::vector<Candidate> &alive);
    Index find_winner() const;
    void remember_runners_up(Index winner);

    double bound(const Components &known) const {
        const double theta = known.theta_dis + alpha_ * known.theta_dir;
        return (known.lambda_dis + beta_ * known.lambda_dir) / theta * SLACK;
    }
    // The Λ_dir below which, and the Θ_dir above which, a candidate is beaten whose other components are known.
    double beaten_lambda_dir(const Components &known) const {
        const double theta = known.theta_dis + alpha_ * known.theta_dir;
        return beta_ > 0 ? (best_ * (1 - EQUAL) / SLACK * theta - known.lambda_dis) / beta_ : 0.0;
    }
    double beaten_theta_dir(const Components &known) const {
        const double lambda = known.lambda_dis + beta_ * known.lambda_dir;
        return alpha_ > 0 ? (lambda * SLACK / (best_ * (1 - EQUAL)) - known.theta_dis) / alpha_ : HUGE_VAL;
    }
    // Σ weight a², from below.
    double least_within(Index f) const {
        return larger(tables_.within[f] * (1 - SUM_ERROR) - tables_.sum_error[f], 0.0);
    }
    double floor_distance(double distance) const { return data_.unit * larger(distance, ON_CENTROID); }
    // What reaches the best score, or is not a number and must be looked at.
    bool reaches(double bound) const { return !(bound < best_ * (1 - EQUAL)); }

    Search &search_;
    const Subset &subset_;
    const ScaledData &data_;
    StepBounds &bounds_;
    const Index *candidates_;
    Index count_;
    Index n_threads_;
    const FeatureTables &tables_;
    std::vector<char> is_candidate_;  // (m)
    std::vector<char> has_candidate_;  // one for each chunk of features
    double alpha_ = 0, beta_ = 0;
    double best_ = 0;  // the best score so far, or what it has to reach
    Indices scored_;
};

// What holds for all candidates, whatever alpha and beta.
void Step::make_bounds() {
    bounds_.tangent = make_tangent(subset_, tables_, n_threads_);
    round_state(subset_, bounds_);
    find_nearest(subset_, bounds_);
    round_pairs(subset_, bounds_);
    bound_direction(subset_, tables_, bounds_);
    const Index m = data_.m;
    bounds_.is_carried.assign((m + CHUNK - 1) / CHUNK, 0);
    for (Doubles *numbers : {&bounds_.theta_dis, &bounds_.theta_dis_more, &bounds_.theta_dir, &bounds_.most_lambda_dis})
        numbers->resize(m);
    bounds_.bend.resize(m);
    if (search_.carried.empty()) {
        search_.reference.assign(data_.weight.begin(), data_.weight.end());
        search_.carried.resize(m);
        for (Index f = 0; f < m; f++) search_.carried[f] = least_within(f);
    }
    bounds_.largest_chord = bounds_.largest_curvature = 0;
    bounds_.chord_ratio = HUGE_VAL;
    for (Index i = 0; i < data_.n; i++) {
        if (!(data_.weight[i] > 0)) continue;
        const double chord = static_cast<double>(bounds_.tangent.chord[i]);
        const double curvature = std::fabs(static_cast<double>(bounds_.tangent.curvature[i]));
        const double reference = static_cast<double>(search_.reference[i]);
        bounds_.largest_chord = larger(bounds_.largest_chord, chord / data_.weight[i]);
        bounds_.largest_curvature = larger(bounds_.largest_curvature, curvature / data_.weight[i]);
        if (reference > 0) bounds_.chord_ratio = smaller(bounds_.chord_ratio, chord / reference);
    }
    if (!(bounds_.chord_ratio < HUGE_VAL)) bounds_.chord_ratio = 0;
    search_.level.assign(m, CARRIED), search_.known.resize(m), search_.curved.resize(m);
    search_.exact.clear();
    search_.has_bounds = true;
}

// Level CARRIED of the features from first to last: no sample is looked at. Σ chord a² is at least the same sum with
// the weights of an earlier step, times the least ratio of the weights; and Σ curvature a² is at most the largest
// curvature times the within-class variance.
void Step::carry_features(Index first, Index last) {
    float distance[CHUNK];
    bound_by_classes(data_, tables_, bounds_, first, last, distance, bounds_.bend.data() + first);
    for (Index f = first; f < last; f++) {
        const double most_within = tables_.within[f] * (1 + SUM_ERROR) + tables_.sum_error[f];
        const double least = data_.is_rms ? std::sqrt(subset_.within + least_within(f)) : bounds_.tangent.distance;
        bounds_.theta_dis[f] = data_.unit * least;
        bounds_.theta_dis_more[f] = data_.unit * bounds_.chord_ratio * search_.carried[f];
        bounds_.theta_dir[f] = bounds_.tangent.direction - static_cast<double>(bounds_.bend[f]) -
                               bounds_.largest_curvature * most_within;
        bounds_.most_lambda_dis[f] = data_.unit * (bounds_.lambda_dis + static_cast<double>(distance[f - first]));
    }
}

// Level SUMS of some features. Rounding errors are covered: no weight of a² is larger than the largest one in units of
// the weights of the samples.
void Step::sum_features(const Index *features, Index count) {
    double chord[CHUNK], curved[CHUNK];
    for (Index start = 0; start < count; start += CHUNK) {
        const Index here = smaller(CHUNK, count - start);
        const Index *some = features + start;
        data_.weighted_squares(bounds_.tangent.chord, bounds_.tangent.curvature, some, here, chord, curved);
        for (Index k = 0; k < here; k++) {
            const Index f = some[k];
            const double error = 2 * SUM_ERROR * tables_.within[f] + tables_.sum_error[f];
            const double more = data_.unit * (chord[k] - bounds_.largest_chord * error);
            const double direction = bounds_.tangent.direction - static_cast<double>(bounds_.bend[f]) -
                                     (curved[k] + bounds_.largest_curvature * error);
            bounds_.theta_dis_more[f] = larger(bounds_.theta_dis_more[f], more);
            bounds_.theta_dir[f] = larger(bounds_.theta_dir[f], direction);
            search_.level[f] = SUMS;
        }
    }
}

// Levels CARRIED and SUMS for one weighting.
void Step::bound_features(Index first, Index last, double *found) const {
    const double *theta_dis = bounds_.theta_dis.data() + first, *more = bounds_.theta_dis_more.data() + first;
    const double *theta_dir = bounds_.theta_dir.data() + first, *lambda_dis = bounds_.most_lambda_dis.data() + first;
    const double alpha = alpha_, lambda_dir = beta_ * bounds_.lambda_dir, least = floor_distance(0);
    const Index count = last - first;
#pragma omp simd
    for (Index f = 0; f < count; f++) {
        const double theta = theta_dis[f] + larger(more[f] + alpha * theta_dir[f], 0.0);
        found[f] = (lambda_dis[f] + lambda_dir) / larger(theta, least) * SLACK;
    }
}

// Level CARRIED of the chunks of features where there are candidates, for any weighting.
void Step::carry_candidates() {
    const Index m = data_.m, n_chunks = (m + CHUNK - 1) / CHUNK;
    is_candidate_.assign(m, 0), has_candidate_.assign(n_chunks, 0);
    for (Index k = 0; k < count_; k++) is_candidate_[candidates_[k]] = has_candidate_[candidates_[k] / CHUNK] = 1;
    const double n_operations = COST_OF_CARRYING * static_cast<double>(m) * static_cast<double>(data_.p);
    parallel_for(n_chunks, useful_threads(n_operations, n_threads_), [&](Index first, Index last, Index) {
        for (Index chunk = first; chunk < last; chunk++) {
            if (!has_candidate_[chunk] || bounds_.is_carried[chunk]) continue;
            carry_features(chunk * CHUNK, smaller((chunk + 1) * CHUNK, m));
            bounds_.is_carried[chunk] = 1;
        }
    });
}

// The candidates of a chunk that may be the best by what is known of them; another weighting may have refined them.
void Step::find_alive_in(Index chunk, std::vector<Candidate> &found) const {
    const Index first = chunk * CHUNK, last = smaller(first + CHUNK, data_.m);
    const bool skips_carried = search_.skips(CARRIED);
    double bounds[CHUNK];
    Index left[CHUNK], n_left = 0;
    bound_features(first, last, bounds);
    for (Index f = first; f < last; f++) {  // without a branch, which would often be guessed wrong
        left[n_left] = f;
        n_left += is_candidate_[f] & static_cast<char>(reaches(bounds[f - first]) | skips_carried);
    }
    for (Index k = 0; k < n_left; k++) {
        const Index f = left[k];
        const Level level = search_.level[f];
        double least = skips_carried && level == CARRIED ? HUGE_VAL : bounds[f - first];
        if (level > SUMS) least = smaller(bound(search_.known[f]), least);
        if (level != EXACT && reaches(least)) found.push_back({least, f});
    }
}

std::vector<Candidate> Step::find_alive() const {
    const Index n_chunks = static_cast<Index>(has_candidate_.size());
    const Index threads = useful_threads(COST_OF_LOOKING * static_cast<double>(data_.m), n_threads_);
    std::vector<std::vector<Candidate>> parts(threads);
    parallel_for(n_chunks, threads, [&](Index first, Index last, Index part) {
        for (Index chunk = first; chunk < last; chunk++)
            if (has_candidate_[chunk]) find_alive_in(chunk, parts[part]);
    });
    std::vector<Candidate> alive = std::move(parts[0]);
    for (Index part = 1; part < threads; part++) alive.insert(alive.end(), parts[part].begin(), parts[part].end());
    return alive;
}

// Takes the candidates that may be the best to level SUMS. If these are many, the sums of all candidates are worth
// to be known in the steps that follow. Says whether there was anything to do.
bool Step::sum_candidates(const std::vector<Candidate> &alive) {
    if (search_.skips(SUMS)) return false;
    Indices left;
    for (const Candidate &one : alive)
        if (search_.level[one.feature] == CARRIED) left.push_back(one.feature);
    const bool is_renewed = !data_.is_rms && static_cast<Index>(left.size()) > count_ / MANY;
    if (is_renewed) {
        left.clear();
        std::copy_if(candidates_, candidates_ + count_, std::back_inserter(left),
                     [&](Index f) { return search_.level[f] == CARRIED; });
    }
    const Index n_left = static_cast<Index>(left.size());
    const double n_operations = COST_OF_SUMS * static_cast<double>(n_left) * static_cast<double>(data_.n);
    parallel_for(n_left, useful_threads(n_operations, n_threads_),
                 [&](Index first, Index last, Index) { sum_features(left.data() + first, last - first); });
    if (is_renewed) {
        search_.reference = bounds_.tangent.chord;
        for (double &sum : search_.carried) sum *= bounds_.chord_ratio;
        for (Index f : left) search_.carried[f] = larger(bounds_.theta_dis_more[f] / data_.unit, 0.0);
        bounds_.chord_ratio = 1;
    }
    return n_left > 0;
}

// Takes a candidate one level further, or just so far that it is ruled out; its bound.
double Step::refine(Index f) {
    static thread_local Floats buffer;
    Components &known = search_.known[f];
    Level &level = search_.level[f];
    switch (level) {
        case CARRIED:
            if (!search_.skips(SUMS)) {
                double found;
                sum_features(&f, 1);
                bound_features(f, f + 1, &found);
                return found;
            }
            [[fallthrough]];
        case SUMS: {
            known.lambda_dis = bounds_.most_lambda_dis[f], known.lambda_dir = bounds_.lambda_dir;
            if (search_.skips(ROOTS)) {
                known.theta_dis = larger(bounds_.theta_dis[f] + larger(bounds_.theta_dis_more[f], 0.0), floor_distance(0));
                known.theta_dir = larger(bounds_.theta_dir[f], 0.0);
                search_.curved[f] = bounds_.tangent.direction - static_cast<double>(bounds_.bend[f]) - bounds_.theta_dir[f];
                level = ROOTS;
                break;
            }
            const Roots roots = sum_roots(bounds_, data_.offsets(f, buffer), data_.n);
            known.theta_dis = larger(bounds_.theta_dis[f], floor_distance(0));
            if (!data_.is_rms) known.theta_dis = floor_distance(bounds_.tangent.distance + roots.distance);
            known.theta_dir = larger(bounds_.tangent.direction - roots.bend - static_cast<double>(bounds_.bend[f]), 0.0);
            search_.curved[f] = roots.bend;
            level = ROOTS;
            break;
        }
        case ROOTS: {
            if (search_.skips(SEPARATED)) {
                level = SEPARATED;
                break;
            }
            static thread_local RoundedDistances distances;
            bound_distances(data_, tables_, bounds_, f, distances);
            known.lambda_dis = smaller(known.lambda_dis, data_.unit * distances.lambda_dis);
            known.theta_dir = larger(known.theta_dir, bounds_.tangent.direction - distances.bend - search_.curved[f]);
            if (!reaches(bound(known))) break;  // without the directions, which take as long again
            if (!distances.is_clear) {  // single precision cannot tell
                subset_.separation(f, &known.lambda_dis, &known.lambda_dir);
                level = SEPARATED;
                break;
            }
            const PartialBound found = bound_directions(data_, bounds_, beaten_lambda_dir(known), distances);
            known.lambda_dir = smaller(known.lambda_dir, found.value);
            // Another weighting may need the whole bound.
            if (found.is_complete || reaches(bound(known))) level = SEPARATED;
            break;
        }
        case SEPARATED: {
            if (search_.skips(SCREENED)) {
                level = SCREENED;
                break;
            }
            const PartialBound found =
                screen_direction(data_, tables_, bounds_, f, data_.offsets(f, buffer), beaten_theta_dir(known));
            known.theta_dir = larger(known.theta_dir, found.value);
            if (found.is_complete || reaches(bound(known))) level = SCREENED;
            break;
        }
        default:
            known = subset_.score(f);
            level = EXACT;
            return known.sep(alpha_, beta_);
    }
    return bound(known);
}

// Refines all candidates that may still be the best, and leaves out those that may not. For another
// weighting a candidate may have been refined further already: it stays as it is, since one that
// became EXACT here would be left out before it is scored.
void Step::refine_all(std::vector<Candidate> &alive, Level until, double n_operations_of_one) {
    const Index count = static_cast<Index>(alive.size());
    const Index threads = useful_threads(n_operations_of_one * static_cast<double>(count), n_threads_);
    parallel_for(count, threads, [&](Index first, Index last, Index) {
        for (Index k = first; k < last; k++)
            while (search_.level[alive[k].feature] < until && reaches(alive[k].bound))
                alive[k].bound = refine(alive[k].feature);
    });
    drop(alive);
}

void Step::drop(std::vector<Candidate> &alive) const {
    const auto is_beaten = [&](const Candidate &one) {
        return search_.level[one.feature] == EXACT || !reaches(one.bound);
    };
    alive.erase(std::remove_if(alive.begin(), alive.end(), is_beaten), alive.end());
}

// Scores a candidate in double precision.
void Step::score(Index feature) {
    if (search_.level[feature] != EXACT) {
        search_.known[feature] = subset_.score(feature);
        search_.level[feature] = EXACT;
        search_.exact.push_back(feature);
    }
    add_score(feature);
}

void Step::add_score(Index feature) {
    const double sep = search_.known[feature].sep(alpha_, beta_);
    if (std::isnan(sep)) return;
    scored_.push_back(feature);
    best_ = larger(best_, sep);
}

// The best of the candidates; docs/engine.md, step 11, has the same order.
Index Step::best(double alpha, double beta, double at_least, Components *components) {
    const double n = static_cast<double>(data_.n), p = static_cast<double>(data_.p);
    alpha_ = alpha, beta_ = beta, best_ = at_least;
    scored_.clear();
    score_promising();
    std::vector<Candidate> alive = find_alive();
    if (!(best_ > 0) && !alive.empty()) {
        score(std::max_element(alive.begin(), alive.end())->feature);
        drop(alive);
    }
    if (sum_candidates(alive)) alive = find_alive();
    refine_all(alive, ROOTS, COST_OF_ROOTS * n);
    if (!alive.empty()) {
        score(std::max_element(alive.begin(), alive.end())->feature);
        drop(alive);
    }
    refine_all(alive, SEPARATED, COST_OF_SEPARATION * p * p);
    score_largest_first(alive);
    const Index winner = find_winner();
    if (winner < 0) return best_ > 0 ? Search::NONE_REACHES : Search::NO_NUMBER;
    *components = search_.known[winner];
    remember_runners_up(winner);
    return winner;
}

// Scores those that came next to the best in the step before, or are scored for another weighting: a score to be
// beaten.
void Step::score_promising() {
    for (Index f : Indices(search_.exact))
        if (is_candidate_[f]) score(f);
    for (Index f : search_.runners_up)
        if (f >= 0 && is_candidate_[f] && search_.level[f] != EXACT) score(f);
}

// Screens and scores what is left, the largest bounds first: their scores rule out the others. Several threads take
// some candidates at a time.
void Step::score_largest_first(std::vector<Candidate> &alive) {
    const double n = static_cast<double>(data_.n), p = static_cast<double>(data_.p);
    for (Candidate &one : alive)
        if (std::isnan(one.bound)) one.bound = HUGE_VAL;
    std::sort(alive.begin(), alive.end(), [](const Candidate &one, const Candidate &other) { return other < one; });
    const Index together = n_threads_ > 1 ? 4 * n_threads_ : 1, count = static_cast<Index>(alive.size());
    for (Index start = 0; start < count && reaches(alive[start].bound); start += together) {
        const Index end = smaller(start + together, count);
        std::vector<Candidate> some(alive.begin() + start, alive.begin() + end);
        drop(some);
        refine_all(some, SCREENED, COST_OF_SCREEN * n * p);
        refine_all(some, EXACT, COST_OF_SCORE * n * p);
        for (Index k = start; k < end; k++) {
            const Index f = alive[k].feature;
            if (search_.level[f] != EXACT) continue;
            search_.exact.push_back(f);
            add_score(f);
        }
    }
}

// The smallest index among the scores that equal the best one; −1 if there is none.
Index Step::find_winner() const {
    Index winner = -1;
    for (Index f : scored_)
        if (search_.known[f].sep(alpha_, beta_) >= best_ * (1 - EQUAL) && (winner < 0 || f < winner)) winner = f;
    return winner;
}

// Keeps those that came next to the best, which are promising in the next step.
void Step::remember_runners_up(Index winner) {
    std::sort(scored_.begin(), scored_.end(), [&](Index one, Index other) {
        const double a = search_.known[one].sep(alpha_, beta_), b = search_.known[other].sep(alpha_, beta_);
        return a > b || (a == b && one < other);
    });
    scored_.erase(std::remove(scored_.begin(), scored_.end(), winner), scored_.end());
    for (std::size_t k = 0; k < 2; k++) search_.runners_up[k] = k < scored_.size() ? scored_[k] : -1;
}

// The upper bounds of all candidates, refined to a level.
void Step::bounds(double alpha, double beta, Level level, double *found) {
    alpha_ = alpha, beta_ = beta, best_ = 0;
    if (level >= SUMS) sum_features(candidates_, count_);  // side by side, as in a search
    std::vector<Candidate> all(count_);
    for (Index k = 0; k < count_; k++) {
        const Index f = all[k].feature = candidates_[k];
        bound_features(f, f + 1, &all[k].bound);
        found[k] = all[k].bound;
    }
    if (level <= SUMS) return;
    refine_all(all, level, 0);
    for (Index k = 0; k < count_; k++) found[k] = bound(search_.known[candidates_[k]]);
}

}  // namespace

void Search::upper_bounds(const Index *candidates, Index count, double alpha, double beta, Level until, double *found) {
    has_bounds = false;  // begin anew
    Step(*this, candidates, count, 1).bounds(alpha, beta, until, found);
}

void Search::best(const Index *candidates, Index count, const double *alphas, const double *betas, Index n_weightings,
                  double at_least, Index n_threads, Index *features, Components *components) {
    Step step(*this, candidates, count, n_threads);
    for (Index k = 0; k < n_weightings; k++)
        features[k] = step.best(alphas[k], betas[k], at_least, components + k);
}

}  // namespace s2fs
