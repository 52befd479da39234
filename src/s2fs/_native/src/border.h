// The border between Python and C++: how a function is exported, and what becomes of its errors.
//
// The interface is plain C, so that one library serves every version of Python, free-threaded ones
// too. A function takes numbers, arrays (a pointer and lengths) and opaque handles, and returns an
// error code; what it makes is written to its last arguments. Nothing of Python or NumPy is known
// here, and no struct of here is known there. _native/border.py is the other side: it checks data
// types, shapes, strides, alignment and lifetimes before a call.

#ifndef S2FS_BORDER_H
#define S2FS_BORDER_H

#include <array>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>

#ifdef _WIN32
#define S2FS_EXPORT extern "C" __declspec(dllexport)
#else
#define S2FS_EXPORT extern "C" __attribute__((visibility("default")))
#endif

namespace s2fs {

using Index = std::int64_t;

// ABI of _native/library.py: raise both when a function changes what it means by its arguments.
// A changed list of arguments is noticed without it, see signature_of.
constexpr std::int32_t ABI = 1;

// Codes of _native/border.py.
enum Code : int { OK = 0, INVALID = 1, OUT_OF_MEMORY = 2, FAILED = 3 };

// What went wrong last in this thread. A plain array: a string would need a destructor when the
// thread ends, which the oldest C libraries of the wheels cannot call.
inline char *last_message() {
    constexpr std::size_t SIZE = 256;
    static thread_local char message[SIZE] = "";
    return message;
}

inline int fail(Code code, const char *message) noexcept {
    std::strncpy(last_message(), message, 255);
    return code;
}

// Throws std::invalid_argument, which becomes a ValueError in Python.
inline void require(bool condition, const char *message) {
    if (!condition) throw std::invalid_argument(message);
}

// Runs the body of an exported function. Exceptions end here: they must not reach C.
template <class Body>
int guarded(const Body &body) noexcept {
    try {
        body();
        return OK;
    } catch (const std::invalid_argument &error) {
        return fail(INVALID, error.what());
    } catch (const std::bad_alloc &) {
        return fail(OUT_OF_MEMORY, "there is not enough memory.");
    } catch (const std::exception &error) {
        return fail(FAILED, error.what());
    } catch (...) {
        return fail(FAILED, "an unknown error.");
    }
}

// The letter of an argument's type in a signature; those of _native/border.py.
template <class T> struct Letter;
template <> struct Letter<double> { static constexpr char value = 'd'; };
template <> struct Letter<float> { static constexpr char value = 'f'; };
template <> struct Letter<std::int64_t> { static constexpr char value = 'l'; };
template <> struct Letter<std::int32_t> { static constexpr char value = 'i'; };
template <> struct Letter<std::uint8_t> { static constexpr char value = 'b'; };
template <> struct Letter<void> { static constexpr char value = 'v'; };

// Two characters for each argument: ' d' is a number, '*d' an array that is read, '!d' one that is
// written, '*h' and '!h' a handle that is read or changed, 'Nh' a new one.
template <class T, class = void> struct Kind {  // a number
    static constexpr char first = ' ', second = Letter<T>::value;
};
template <class T, class = void> struct Pointed {  // to a class of ours
    static constexpr char value = 'h';
};
template <class T> struct Pointed<T, decltype(void(Letter<T>::value))> {
    static constexpr char value = Letter<T>::value;
};
template <class T> struct Kind<const T *> {
    static constexpr char first = '*', second = Pointed<T>::value;
};
template <class T> struct Kind<T *> {
    static constexpr char first = '!', second = Pointed<T>::value;
};
template <class T> struct Kind<T **> {
    static constexpr char first = 'N', second = 'h';
};

// The kinds of a function's arguments, which Python compares with its own declaration at load.
template <class... Arguments>
const char *signature_of(int (*)(Arguments...) noexcept) {
    static constexpr std::array<char, 2 * sizeof...(Arguments) + 1> letters = [] {
        std::array<char, 2 * sizeof...(Arguments) + 1> made{};
        std::size_t at = 0;
        ((made[at] = Kind<Arguments>::first, made[at + 1] = Kind<Arguments>::second, at += 2), ...);
        return made;
    }();
    return letters.data();
}

}  // namespace s2fs

// Begins an exported function, and exports its signature as well:
//     S2FS_ENTRY(s2fs_total, (const double *values, Index n_values, double *total)) {
//         return guarded([&] { … });
//     }
#define S2FS_ENTRY(name, arguments)                                              \
    S2FS_EXPORT int name arguments noexcept;                                     \
    S2FS_EXPORT const char *name##_signature() noexcept {                        \
        return s2fs::signature_of(&name);                                        \
    }                                                                            \
    int name arguments noexcept

#endif
