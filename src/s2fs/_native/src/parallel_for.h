// One plain parallel loop: a range is cut into as many parts of about equal length as there are
// threads, and every part has a thread of its own, the first one that of the caller.
//
// Threads are started for a call and joined before it ends, so there is nothing to wait for, to
// fork or to interrupt in between. What a part computes must not depend on where it begins and
// ends; then the result is the same for any number of threads.

#ifndef S2FS_PARALLEL_FOR_H
#define S2FS_PARALLEL_FOR_H

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

#include "border.h"

namespace s2fs {

// To start and join a thread takes some 50 microseconds, about as long as this many additions.
// A loop is shared out only if each thread has so much to do.
constexpr double OPERATIONS_PER_THREAD = 500'000;

// How many of the threads that are allowed are worth to be started for that many operations.
inline Index useful_threads(double n_operations, Index n_allowed) {
    const double useful = n_operations / OPERATIONS_PER_THREAD;
    if (!(useful > 1)) return 1;
    return useful < static_cast<double>(n_allowed) ? static_cast<Index>(useful) : n_allowed;
}

// Calls body(first, last, part) for parts 0, 1, … that together are the range from 0 to count.
template <class Body>
void parallel_for(Index count, Index n_threads, const Body &body) {
    const Index n_parts = std::max<Index>(1, std::min(count, n_threads));
    const auto start_of = [&](Index part) { return count / n_parts * part + std::min(part, count % n_parts); };
    std::vector<std::exception_ptr> errors(static_cast<std::size_t>(n_parts));
    const auto run = [&](Index part) noexcept {
        try {
            body(start_of(part), start_of(part + 1), part);
        } catch (...) {
            errors[static_cast<std::size_t>(part)] = std::current_exception();
        }
    };
    std::vector<std::thread> threads;
    threads.reserve(static_cast<std::size_t>(n_parts));
    Index next = 1;
    try {
        for (; next < n_parts; next++) threads.emplace_back(run, next);
    } catch (const std::exception &) {
        // The system has no thread or no memory left: the caller does what remains.
    }
    run(0);
    for (; next < n_parts; next++) run(next);
    for (std::thread &thread : threads) thread.join();
    for (const std::exception_ptr &error : errors)
        if (error) std::rethrow_exception(error);
}

}  // namespace s2fs

#endif
