// Step 9: from all candidates to the few that may be the best, to the best, to the next step.

#include "state.hpp"

#if defined(_WIN32)
extern "C" __declspec(dllimport) int __stdcall SwitchToThread(void);
#else
#include <sched.h>
#endif

namespace s2fs {

namespace {

// So many of the most promising candidates are judged first; the best of them rules out others.
constexpr Index FIRST = 8;
// With up to so many classes the finer bound of Λ is as quick as the coarse one.
constexpr Index FEW_CLASSES = 10;
// Candidates are bounded by tiles of so many.
constexpr Index TILE = 256;

Index smaller(Index a, Index b) { return a < b ? a : b; }
Index larger(Index a, Index b) { return a > b ? a : b; }

// Hands out parts of the workspace.
struct Parts {
    char *base;
    Index bytes = 0;
    template <class Item> Item *take(Index n) {
        const Index at = bytes;
        bytes += (n * static_cast<Index>(sizeof(Item)) + 63) / 64 * 64;
        return reinterpret_cast<Item *>(base + at);
    }
};

void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

void give_way() {
#if defined(_WIN32)
    SwitchToThread();
#else
    sched_yield();
#endif
}

}  // namespace

Workspace lay_out(const Search &search, Index thread) {
    const Table &t = *search.table;
    const Index p = t.n_classes, m = search.n_candidates > t.n_features ? search.n_candidates : t.n_features;
    const Index n = t.n_blocks * LANES, n_threads = search.n_threads;
    Workspace ws;
    Parts parts = {search.workspace};
    ws.tangent.near = parts.take<double>(n);
    ws.tangent.weight = parts.take<double>(n);
    ws.tangent.chord = parts.take<double>(n);
    ws.tangent.curvature = parts.take<double>(n);
    ws.thetas = parts.take<double>(2 * m);
    ws.lambdas = parts.take<double>(2 * m);
    ws.most = parts.take<double>(search.n_pairs * m);
    ws.chunk_sums = parts.take<double>(2 * larger(TASKS, n_chunks(t)));
    ws.contenders = parts.take<Index>(m + 1);
    ws.reached = parts.take<std::uint64_t>(search.n_pairs);
    Worker &w = ws.worker;
    for (Index i = 0; i < n_threads; i++) {
        // All but the last one of these are laid out and overwritten: they are of one size.
        Parts own = {parts.base, parts.bytes};
        w.x = own.take<double>(CHUNK);
        w.column = own.take<float>(TOGETHER * CHUNK);
        w.column_double = own.take<double>(CHUNK);
        w.rows = own.take<double>(p * LANES);
        w.slopes_sum = own.take<double>(p * p);
        w.tangent_sums = own.take<double>(3);
        w.slopes = own.take<double>(p * p);
        w.H = own.take<double>(p * p);
        w.norm = own.take<double>(p * p);
        w.lines = own.take<double>(4 * p);
        w.G = own.take<float>(p * p);
        w.slopes_single = own.take<float>(p * p);
        w.lanes = own.take<float>((p * p + 4 * p) * N_FLOATS);
        w.list = own.take<Index>(2 * m);
        w.sums = own.take<double>(3 * m);
        w.keys = own.take<double>(3 * larger(m, TILE));
        const Index size = own.bytes - parts.bytes;
        if (i == thread) {
            ws.bytes = parts.bytes + (n_threads - i) * size;
            break;
        }
        parts.bytes += size;
    }
    const Index chunks = n_chunks(t), m_here = search.n_candidates;
    w.thread = thread;
    w.blocks = {smaller(chunks * thread / n_threads * CHUNK_BLOCKS, t.n_blocks),
                smaller(chunks * (thread + 1) / n_threads * CHUNK_BLOCKS, t.n_blocks)};
    w.first = m_here * thread / n_threads;
    w.last = m_here * (thread + 1) / n_threads;
    return ws;
}

bool all_here(Search &search) {
    if (search.n_threads > 1) {
        const std::int32_t round = __atomic_load_n(&search.round, __ATOMIC_ACQUIRE);
        if (__atomic_add_fetch(&search.n_waiting, 1, __ATOMIC_ACQ_REL) == search.n_threads) {
            __atomic_store_n(&search.n_waiting, 0, __ATOMIC_RELAXED);
            __atomic_store_n(&search.round, round + 1, __ATOMIC_RELEASE);
        } else
            for (int spins = 0; __atomic_load_n(&search.round, __ATOMIC_ACQUIRE) == round; spins++) {
                if (stopped(search)) return false;
                spins < 2000 ? pause() : give_way();
            }
    }
    return !stopped(search);
}

namespace {

// Sep is never negative, so larger numbers have larger bits.
double as_number(std::uint64_t bits) { double x; std::memcpy(&x, &bits, sizeof x); return x; }
std::uint64_t as_bits(double x) { std::uint64_t bits; std::memcpy(&bits, &x, sizeof bits); return bits; }

double reached_by(const Workspace &ws, Index pair) {
    return as_number(__atomic_load_n(ws.reached + pair, __ATOMIC_RELAXED));
}

void raise_reached(Workspace &ws, Index pair, double sep) {
    const std::uint64_t bits = as_bits(sep > 0 ? sep * (1 - EQUAL) : 0.0);
    std::uint64_t known = __atomic_load_n(ws.reached + pair, __ATOMIC_RELAXED);
    while (known < bits &&
           !__atomic_compare_exchange_n(ws.reached + pair, &known, bits, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {}
}

bool may_reach(const Search &search, const Workspace &ws, Index position) {
    for (Index pair = 0; pair < search.n_pairs; pair++)
        if (ws.most[pair * search.n_candidates + position] >= reached_by(ws, pair)) return true;
    return false;
}

// Upper bounds of Sep from bounds of its parts.
void bound_separability(const Search &search, Workspace &ws, Index position) {
    const Index m = search.n_candidates;
    const double distance = theta_dis(*search.table, ws.thetas[position]);
    for (Index pair = 0; pair < search.n_pairs; pair++) {
        const double alpha = search.weights[2 * pair], beta = search.weights[2 * pair + 1];
        ws.most[pair * m + position] =
            ratio(ws.lambdas[position] + beta * ws.lambdas[m + position],
                  distance + alpha * ws.thetas[m + position]);
    }
}

// Judge candidates: between what Sep of each one is, for each pair of weights.
void judge(Search &search, Workspace &ws, const Index *positions, Index n) {
    const Table &t = *search.table;
    const State &s = *search.state;
    Worker &w = ws.worker;
    const Index m = search.n_candidates;
    Index *features = w.list + m;
    for (Index i = 0; i < n; i++) features[i] = search.candidates[positions[i]];
    double u = 0;
    if (t.screens_in_single) {
        u = U_SINGLE;
        compactness_single(t, s, ws.tangent, features, n, w, w.sums);
    } else
        for (Index i = 0; i < n; i++) {
            double *sums = w.sums + 3 * i;
            sums[0] = sums[1] = sums[2] = 0;
            for (Index number = 0; number < n_chunks(t) && !stopped(search); number++)
                compactness(t, s, features[i], chunk(t, number), w.x, sums);
        }
    for (Index i = 0; i < n; i++) {
        double lambda[2];
        separation(t, s, features[i], w, lambda);
        const double distance = theta_dis(t, w.sums[3 * i]), direction = w.sums[3 * i + 1];
        const double p = static_cast<double>(t.n_classes);
        const double distance_error = u * 40 * distance;
        const double direction_error = u * (32 * direction + 160 + 4 * p) + w.sums[3 * i + 2];
        for (Index pair = 0; pair < search.n_pairs; pair++) {
            const double alpha = search.weights[2 * pair], beta = search.weights[2 * pair + 1];
            const double separation = lambda[0] + beta * lambda[1];
            const double closest = direction > direction_error ? direction - direction_error : 0.0;
            const double low = ratio(separation, distance + distance_error + alpha * (direction + direction_error));
            search.low[pair * m + positions[i]] = low;
            search.high[pair * m + positions[i]] =
                ratio(separation, distance - distance_error + alpha * closest);
            if (search.n_best == 1) raise_reached(ws, pair, low);
        }
    }
}

// What the `n_best` best of the candidates of this thread are known to reach, others reach too.
void raise_by_several(Search &search, Workspace &ws) {
    if (search.n_best == 1) return;
    const Worker &w = ws.worker;
    double *largest = w.keys;
    for (Index pair = 0; pair < search.n_pairs; pair++) {
        const double *low = search.low + pair * search.n_candidates;
        Index n = 0;  // so many are in `largest`, the largest first
        for (Index j = w.first; j < w.last; j++) {
            if (low[j] < 0 || (n == search.n_best && low[j] <= largest[n - 1])) continue;
            Index at = n < search.n_best ? n++ : n - 1;
            for (; at > 0 && largest[at - 1] < low[j]; at--) largest[at] = largest[at - 1];
            largest[at] = low[j];
        }
        if (n == search.n_best) raise_reached(ws, pair, largest[n - 1]);
    }
}

// Positions of the largest `n` values among [first, last), in any order; returns how many.
Index largest_of(const double *values, Index first, Index last, Index n, Index *top) {
    Index found = 0, lowest = 0;
    for (Index j = first; j < last; j++) {
        if (found < n)
            top[found++] = j;
        else if (values[j] > values[top[lowest]])
            top[lowest] = j;
        else
            continue;
        if (found == n)
            for (Index k = 0; k < n; k++)
                if (values[top[k]] < values[top[lowest]]) lowest = k;
    }
    return found;
}

// Positions in the order of their bounds for the first pair, the largest first (heap sort).
void sort_down(const double *values, Index *list, Index n) {
    const auto sift = [&](Index from, Index end) {
        const Index moved = list[from];
        Index hole = from;
        for (Index child; (child = 2 * hole + 1) < end; hole = child) {
            if (child + 1 < end && values[list[child + 1]] < values[list[child]]) child++;
            if (values[list[child]] >= values[moved]) break;
            list[hole] = list[child];
        }
        list[hole] = moved;
    };
    for (Index i = n / 2; i-- > 0;) sift(i, n);
    for (Index end = n; end-- > 1;) {
        const Index smallest = list[0];
        list[0] = list[end];
        list[end] = smallest;
        sift(0, end);
    }
}

// Bounds of some candidates, given by their positions; those that are not next to each other are
// copied together first.
void bound(Search &search, Workspace &ws, const Index *positions, Index n, bool again) {
    const Table &t = *search.table;
    const State &s = *search.state;
    Worker &w = ws.worker;
    const Index m = search.n_candidates;
    Index *features = w.list + m;
    double *forms = w.keys, *lambda_dis = forms + TILE, *lambda_dir = lambda_dis + TILE;
    double least_dis[TILE], least_dir[TILE];
    bool directed = false;
    for (Index pair = 0; pair < search.n_pairs; pair++) directed |= search.weights[2 * pair + 1] > 0;
    for (Index start = 0; start < n && !stopped(search); start += TILE) {
        const Index here = smaller(TILE, n - start);
        for (Index i = 0; i < here; i++) features[i] = search.candidates[positions[start + i]];
        Bound kind = Bound::DISTANCE;
        if (directed && t.n_classes > 2)
            kind = again || t.n_classes <= FEW_CLASSES ? Bound::FINE : Bound::COARSE;
        most_separation(t, s, features, here, kind, w, lambda_dis, lambda_dir, forms);
        for (Index i = 0; i < here && !t.screens_in_single; i++) {  // single precision would not do
            double parts[2];
            separation(t, s, features[i], w, parts);
            lambda_dis[i] = parts[0];
            lambda_dir[i] = parts[1];
        }
        least_compactness(search, ws.tangent, features, here, !again, w, forms, least_dis, least_dir);
        for (Index i = 0; i < here; i++) {
            const Index at = positions[start + i];
            ws.thetas[at] = least_dis[i];
            ws.thetas[m + at] = least_dir[i];
            ws.lambdas[at] = lambda_dis[i];
            ws.lambdas[m + at] = lambda_dir[i];
            bound_separability(search, ws, at);
        }
    }
}

// Judge all candidates that may be among the best; false if the work is to be stopped.
bool contend(Search &search, Workspace &ws) {
    Worker &w = ws.worker;
    const Index m = search.n_candidates;
    tangent_of(*search.table, *search.state, ws.tangent, w);
    prepare_separation(*search.table, *search.state, w);
    if (w.thread == 0)
        for (Index pair = 0; pair < search.n_pairs; pair++) ws.reached[pair] = 0;
    if (!all_here(search)) return false;
    join_tangents(search, ws.tangent, w);
    Index *list = w.list;
    for (Index j = w.first; j < w.last; j++) {
        list[j - w.first] = j;
        for (Index pair = 0; pair < search.n_pairs; pair++)
            search.low[pair * m + j] = search.high[pair * m + j] = -1;
    }
    bound(search, ws, list, w.last - w.first, false);
    const Index n_first = larger((FIRST + search.n_threads - 1) / search.n_threads, search.n_best);
    for (Index pair = 0; pair < search.n_pairs; pair++) {
        Index n = largest_of(ws.most + pair * m, w.first, w.last, n_first, list), n_new = 0;
        for (Index i = 0; i < n; i++)
            if (search.high[list[i]] < 0) list[n_new++] = list[i];
        judge(search, ws, list, n_new);
    }
    raise_by_several(search, ws);
    const auto open = [&] {
        Index n = 0;
        for (Index j = w.first; j < w.last; j++)
            if (search.high[j] < 0 && may_reach(search, ws, j)) list[n++] = j;
        return n;
    };
    Index n = open();
    if (n > n_first) {
        bound(search, ws, list, n, true);
        n = open();
    }
    sort_down(ws.most, list, n);
    for (Index start = 0; start < n && !stopped(search); start += TOGETHER) {
        Index some[TOGETHER], n_some = 0;
        for (Index i = start; i < smaller(start + TOGETHER, n); i++)
            if (may_reach(search, ws, list[i])) some[n_some++] = list[i];
        judge(search, ws, some, n_some);
    }
    return all_here(search);
}

// Step 2 for features: (4, n) components, the same for any number of threads.
bool score(Search &search, Workspace &ws, const Index *features, Index n, double *parts) {
    const Table &t = *search.table;
    const State &s = *search.state;
    Worker &w = ws.worker;
    const Index chunks = n_chunks(t), at_once = larger(TASKS / chunks, 1);
    for (Index start = 0; start < n; start += at_once) {
        const Index here = smaller(at_once, n - start);
        for (Index task = w.thread; task < here * chunks; task += search.n_threads) {
            if (stopped(search)) break;
            double *sums = ws.chunk_sums + 2 * task;
            sums[0] = sums[1] = 0;
            compactness(t, s, features[start + task / chunks], chunk(t, task % chunks), w.x, sums);
        }
        if (!all_here(search)) return false;
        for (Index i = w.thread; i < here; i += search.n_threads) {
            double sums[2] = {}, lambda[2];
            for (Index number = 0; number < chunks; number++) {
                sums[0] += ws.chunk_sums[2 * (i * chunks + number)];
                sums[1] += ws.chunk_sums[2 * (i * chunks + number) + 1];
            }
            separation(t, s, features[start + i], w, lambda);
            parts[start + i] = theta_dis(t, sums[0]);
            parts[n + start + i] = sums[1];
            parts[2 * n + start + i] = lambda[0];
            parts[3 * n + start + i] = lambda[1];
        }
        if (!all_here(search)) return false;
    }
    return true;
}

bool add(Search &search, Workspace &ws, Index feature) {
    const Table &t = *search.table;
    Worker &w = ws.worker;
    for (Index k = w.blocks.first; k < w.blocks.last; k += CHUNK_BLOCKS) {
        const Blocks blocks = {k, smaller(k + CHUNK_BLOCKS, w.blocks.last)};
        if (stopped(search)) break;
        add_to_instances(t, *search.state, feature, blocks, w.x);
    }
    if (w.thread == 0) add_to_classes(t, *search.state, feature);
    return all_here(search);
}

// The positions of candidates whose Sep may be the largest; their number comes first.
void list_contenders(const Search &search, Workspace &ws) {
    double reached = 0;
    for (Index j = 0; j < search.n_candidates; j++)
        if (search.low[j] > reached) reached = search.low[j];
    Index n = 0;
    for (Index j = 0; j < search.n_candidates; j++)
        if (search.high[j] >= reached * (1 - EQUAL)) ws.contenders[1 + n++] = j;
    ws.contenders[0] = n;
}

}  // namespace

}  // namespace s2fs

using namespace s2fs;

std::int64_t s2fs_workspace(const s2fs_search *search) {
    s2fs_search anywhere = *search;
    anywhere.workspace = nullptr;
    return lay_out(anywhere, 0).bytes;
}

void s2fs_add(s2fs_search *search, std::int64_t feature, std::int64_t thread) {
    Workspace ws = lay_out(*search, thread);
    add(*search, ws, feature);
}

void s2fs_score(s2fs_search *search, std::int64_t thread) {
    Workspace ws = lay_out(*search, thread);
    score(*search, ws, search->candidates, search->n_candidates, search->out);
}

void s2fs_shortlist(s2fs_search *search, std::int64_t thread) {
    Workspace ws = lay_out(*search, thread);
    contend(*search, ws);
}

void s2fs_forward(s2fs_search *search, std::int64_t thread) {
    for (Index number = 0; number < search->n_steps; number++) {
        Workspace ws = lay_out(*search, thread);
        if (!contend(*search, ws)) return;
        Index *features = ws.contenders;
        if (thread == 0) {
            list_contenders(*search, ws);
            for (Index i = 0; i < features[0]; i++) features[1 + i] = search->candidates[features[1 + i]];
        }
        if (!all_here(*search)) return;
        const Index n = features[0];
        double *parts = search->out;
        if (!score(*search, ws, features + 1, n, parts)) return;
        if (thread == 0) {
            const double alpha = search->weights[0], beta = search->weights[1];
            const auto sep = [&](Index i) {
                return ratio(parts[2 * n + i] + beta * parts[3 * n + i], parts[i] + alpha * parts[n + i]);
            };
            double most = 0;
            for (Index i = 0; i < n; i++) most = sep(i) > most ? sep(i) : most;
            Index best = 0;  // the first one among equals
            while (!(sep(best) >= most * (1 - EQUAL))) best++;
            search->steps[number] = {features[1 + best], parts[best], parts[n + best],
                                     parts[2 * n + best], parts[3 * n + best]};
        }
        if (!all_here(*search)) return;
        const Index chosen = search->steps[number].feature;
        if (thread == 0) {
            Index left = 0;
            for (Index j = 0; j < search->n_candidates; j++)
                if (search->candidates[j] != chosen) search->candidates[left++] = search->candidates[j];
            search->n_candidates = left;
        }
        if (!add(*search, ws, chosen)) return;
        if (thread == 0) __atomic_store_n(&search->n_done, number + 1, __ATOMIC_RELEASE);
    }
}

void s2fs_least(s2fs_search *search, std::int64_t thread) {
    Workspace ws = lay_out(*search, thread);
    Worker &w = ws.worker;
    const Index m = search->n_candidates;
    tangent_of(*search->table, *search->state, ws.tangent, w);
    prepare_separation(*search->table, *search->state, w);
    if (!all_here(*search)) return;
    join_tangents(*search, ws.tangent, w);
    double parts[2 * TILE];
    for (Index start = w.first; start < w.last; start += TILE) {
        const Index here = smaller(TILE, w.last - start);
        const Index *features = search->candidates + start;
        most_separation(*search->table, *search->state, features, here, Bound::DISTANCE, w, parts,
                        parts + TILE, w.keys);
        least_compactness(*search, ws.tangent, features, here, false, w, w.keys,
                          search->out + start, search->out + m + start);
    }
}

void s2fs_compactness(s2fs_search *search, std::int32_t single, std::int64_t thread) {
    const Table &t = *search->table;
    const State &s = *search->state;
    Workspace ws = lay_out(*search, thread);
    Worker &w = ws.worker;
    if (single) {
        tangent_of(t, s, ws.tangent, w);
        if (!all_here(*search)) return;
    }
    for (Index start = w.first; start < w.last && !stopped(*search); start += TILE) {
        const Index here = smaller(TILE, w.last - start);
        const Index *features = search->candidates + start;
        if (single)
            compactness_single(t, s, ws.tangent, features, here, w, w.sums);
        else
            for (Index i = 0; i < here; i++) {
                double *sums = w.sums + 3 * i;
                sums[0] = sums[1] = sums[2] = 0;
                for (Index number = 0; number < n_chunks(t); number++) {
                    double part[2] = {};
                    compactness(t, s, features[i], chunk(t, number), w.x, part);
                    sums[0] += part[0];
                    sums[1] += part[1];
                }
            }
        for (Index i = 0; i < here; i++)
            for (Index row = 0; row < 3; row++)
                search->out[row * search->n_candidates + start + i] = w.sums[3 * i + row];
    }
}

void s2fs_separation(s2fs_search *search, std::int64_t thread) {
    Worker w = lay_out(*search, thread).worker;
    const Index m = search->n_candidates;
    for (Index j = w.first; j < w.last; j++) {
        double parts[2];
        separation(*search->table, *search->state, search->candidates[j], w, parts);
        search->out[j] = parts[0];
        search->out[m + j] = parts[1];
    }
}

void s2fs_most_separation(s2fs_search *search, std::int64_t thread) {
    Worker w = lay_out(*search, thread).worker;
    const Index m = search->n_candidates, p = search->table->n_classes;
    prepare_separation(*search->table, *search->state, w);
    for (Index i = 0; i < p * p; i++) w.slopes_single[i] = 0;
    most_separation(*search->table, *search->state, search->candidates + w.first, w.last - w.first,
                    p > 2 ? Bound::FINE : Bound::DISTANCE, w, search->out + w.first,
                    search->out + m + w.first, w.keys);
}
