// Memory for a table of floats that is as large as the caller's.

#ifndef S2FS_LARGE_FLOATS_H
#define S2FS_LARGE_FLOATS_H

#include <cstdlib>
#include <memory>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include "border.h"

namespace s2fs {

struct Freed {
    void operator()(float *numbers) const { std::free(numbers); }
};
using LargeFloats = std::unique_ptr<float[], Freed>;

// Numbers of any value. Linux is asked for pages of 2 MB, as NumPy does for its arrays: to get the same memory in
// pages of 4 kB takes longer than to fill it.
inline LargeFloats make_large_floats(Index count) {
    const std::size_t size = static_cast<std::size_t>(count > 0 ? count : 1) * sizeof(float);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    constexpr std::size_t PAGE = std::size_t{1} << 21;
    if (size >= 2 * PAGE) {
        const std::size_t whole = (size + PAGE - 1) / PAGE * PAGE;
        LargeFloats numbers(static_cast<float *>(std::aligned_alloc(PAGE, whole)));
        if (!numbers) throw std::bad_alloc();
        madvise(numbers.get(), whole, MADV_HUGEPAGE);  // where it is refused, pages are small
        return numbers;
    }
#endif
    LargeFloats numbers(static_cast<float *>(std::malloc(size)));
    if (!numbers) throw std::bad_alloc();
    return numbers;
}

}  // namespace s2fs

#endif
