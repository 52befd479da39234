// Lines of delimited text as numbers, in one pass.
//
// Every number is the double nearest to what is written, ties to even, as Python's float gives it. Digits make a whole
// number w, and the number is w · 10^e.
//
//  1. w up to 2^53 and |e| up to 22: both are exact in double precision, and one operation rounds once.
//  2. w below 2^64 and e from −27 to −1, which is what other programs write with 16 and 17 digits: 10^e is 5^e · 2^e,
//     5^27 has 63 bits, and w / 5^−e in double precision is off by two units at most. The remainder, exact in 128
//     bits, says by how many.
//  3. Anything else by the C++ library, where it has the function for it.
//
// A cell that is none of these is handed back to Python, and so is a line of another number of cells.

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "border.h"

using namespace s2fs;

namespace {

using Byte = std::uint8_t;
using Wide = __int128;

constexpr double MISSING = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t EXACT = std::uint64_t(1) << 53;
constexpr Index MOST_EXACT_POWER = 22, MOST_FIVES = 27, MOST_DIGITS = 19;
// No number has an exponent of more digits; the digits in front of it may shift it by their own number.
constexpr Index LARGEST_EXPONENT = 100000;

constexpr std::array<double, MOST_EXACT_POWER + 1> TENS = [] {
    std::array<double, MOST_EXACT_POWER + 1> powers{};
    double power = 1;
    for (Index i = 0; i <= MOST_EXACT_POWER; i++, power *= 10) powers[i] = power;
    return powers;
}();
constexpr std::array<std::uint64_t, MOST_FIVES + 1> FIVES = [] {
    std::array<std::uint64_t, MOST_FIVES + 1> powers{};
    std::uint64_t power = 1;
    for (Index i = 0; i <= MOST_FIVES; i++, power *= 5) powers[i] = power;
    return powers;
}();

bool is_digit(Byte letter) { return static_cast<Byte>(letter - '0') <= 9; }

// Adds the digits that begin at a place to a whole number, eight at a time while the text goes on; returns their end.
const Byte *read_digits(const Byte *at, const Byte *end, std::uint64_t *w) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    while (end - at >= 8) {
        std::uint64_t eight;
        std::memcpy(&eight, at, sizeof eight);
        // Digits are 0x30 to 0x39: the upper half of each byte is 3, also with 6 added to the lower.
        if (((eight & (eight + 0x0606060606060606)) & 0xF0F0F0F0F0F0F0F0) != 0x3030303030303030) break;
        eight = (eight & 0x0F0F0F0F0F0F0F0F) * 2561 >> 8;           // pairs: 10 a + b
        eight = (eight & 0x00FF00FF00FF00FF) * 6553601 >> 16;       // four
        eight = (eight & 0x0000FFFF0000FFFF) * 42949672960001 >> 32;  // eight
        *w = 100000000 * *w + eight, at += 8;
    }
#else
    (void)end;
#endif
    for (; is_digit(*at); at++) *w = 10 * *w + (*at - '0');
    return at;
}

// w / 10^k rounded once; false where the quotient is next to a power of two, at which the distance of doubles changes.
bool divide(std::uint64_t w, Index k, double *value) {
    const std::uint64_t five = FIVES[k];
    const double near = static_cast<double>(w) / static_cast<double>(five);
    std::uint64_t bits;
    std::memcpy(&bits, &near, sizeof bits);
    std::int64_t m = static_cast<std::int64_t>((bits & (EXACT / 2 - 1)) | EXACT / 2);
    const int shift = static_cast<int>(bits >> 52) - 1075;  // near is m · 2^shift
    if (m < std::int64_t(EXACT / 2) + 4 || m > std::int64_t(EXACT) - 4) return false;
    // w / five = m · 2^shift + rest / unit · 2^shift
    const Wide unit = shift < 0 ? Wide(five) : Wide(five) << shift;
    Wide rest = (shift < 0 ? Wide(w) << -shift : Wide(w)) - m * unit;
    for (; 2 * rest > unit || (2 * rest == unit && m % 2); rest -= unit) m++;
    for (; 2 * rest < -unit || (2 * rest == -unit && m % 2); rest += unit) m--;
    const std::uint64_t scale = static_cast<std::uint64_t>(1023 + shift - k) << 52;
    double power;
    std::memcpy(&power, &scale, sizeof power);
    *value = static_cast<double>(m) * power;
    return true;
}

// w · 10^power in one of the first two ways; false if neither will do.
bool convert(std::uint64_t w, Index power, double *value) {
    if (w <= EXACT && power >= -MOST_EXACT_POWER && power <= MOST_EXACT_POWER) {
        const double whole = static_cast<double>(w);
        *value = power < 0 ? whole / TENS[-power] : whole * TENS[power];
        return true;
    }
    if (w == 0) return *value = 0, true;
    return power < 0 && power >= -MOST_FIVES && divide(w, -power, value);
}

#if defined(__cpp_lib_to_chars) && __cpp_lib_to_chars >= 201611L
bool convert_rare(const Byte *begin, const Byte *end, double *value) {
    const char *first = reinterpret_cast<const char *>(begin), *last = reinterpret_cast<const char *>(end);
    const std::from_chars_result result = std::from_chars(first, last, *value);
    return result.ec == std::errc() && result.ptr == last;
}
#else
bool convert_rare(const Byte *, const Byte *, double *) { return false; }
#endif

struct Format {
    Byte delimiter, decimal;
    Index longest;  // how long a cell in quotation marks may be; 0 where there are none

    bool ends(Byte letter) const { return letter == delimiter || letter == '\n'; }
    bool quotes(Byte letter) const { return letter == '"' && longest > 0; }
};

// Reads the number that begins at a place, and says where it and the blanks behind it end; null if there is none.
const Byte *read_number(const Byte *begin, const Byte *end, Byte decimal, double *value) {
    while (*begin == ' ') begin++;
    const bool is_negative = *begin == '-';
    const Byte *digits = begin + (is_negative || *begin == '+');
    std::uint64_t w = 0;
    const Byte *at = read_digits(digits, end, &w);
    Index n_digits = at - digits, power = 0;
    if (*at == decimal) {
        const Byte *point = at;
        at = read_digits(point + 1, end, &w);
        power = point + 1 - at;
        n_digits -= power;
    }
    if (!n_digits) return nullptr;
    if (*at == 'e' || *at == 'E') {
        const bool is_small = at[1] == '-';
        const Byte *first = at + 1 + (is_small || at[1] == '+');
        Index exponent = 0;
        for (at = first; is_digit(*at); at++)
            if (exponent < LARGEST_EXPONENT) exponent = 10 * exponent + (*at - '0');
        if (at == first) return nullptr;
        power += is_small ? -exponent : exponent;
    }
    if (n_digits > MOST_DIGITS)
        for (const Byte *zero = digits; n_digits > MOST_DIGITS && (*zero == '0' || *zero == decimal); zero++)
            n_digits -= *zero == '0';
    double found;
    const bool is_known = n_digits <= MOST_DIGITS && convert(w, power, &found);
    if (!is_known && (decimal != '.' || !convert_rare(digits, at, &found))) return nullptr;
    *value = is_negative ? -found : found;
    while (*at == ' ') at++;
    return at;
}

// Whether a cell is blank, or one of the words that say in every file that a value is not known.
bool is_missing(const Byte *begin, const Byte *end) {
    while (begin < end && *begin == ' ') begin++;
    const auto is = [&](Index i, char letter) { return (begin[i] | 0x20) == letter; };
    const Index length = end - begin;
    return length == 0 || (length == 1 && *begin == '?') || (length == 2 && is(0, 'n') && is(1, 'a')) ||
           (length == 3 && is(0, 'n') && is(1, 'a') && is(2, 'n'));
}

// The end of a cell, which is at most the end of the line; null where a quotation is not closed as it should be.
const Byte *end_of_cell(const Byte *begin, const Byte *end, const Format &format) {
    const Byte *at = begin;
    if (!format.quotes(*begin)) {
        while (!format.ends(*at)) at++;
        return at;
    }
    for (at++; at < end; at++) {
        if (*at != '"') continue;
        if (at[1] == '"')
            at++;  // two stand for one
        else
            return format.ends(at[1]) && at - begin <= format.longest ? at + 1 : nullptr;
    }
    return nullptr;
}

struct Lines {
    const Byte *text, *end;
    Format format;
    const Byte *is_text;
    Index n_cells, n_numbers, n_texts;
    double *numbers;
    Index *places, *others;
    Index most_others, n_lines, n_others;

    void note_other(Index column, const Byte *begin, const Byte *at) {
        Index *other = others + 4 * n_others++;
        other[0] = n_lines, other[1] = column, other[2] = begin - text, other[3] = at - text;
    }

    // Reads one line; returns where the next one begins, null if it is left to Python.
    const Byte *read_line(const Byte *begin) {
        const Byte *at = begin;
        double *number = numbers + n_lines * n_numbers;
        Index *place = places + n_lines * n_texts * 2;
        bool has_number = false;
        for (Index j = 0; j < n_cells; j++) {
            const bool is_quoted = format.quotes(*at);
            const Byte *stop = is_text[j] ? nullptr : read_number(at + is_quoted, end, format.decimal, number);
            if (stop && is_quoted) stop = *stop == '"' ? stop + 1 : nullptr;
            if (stop && format.ends(*stop)) {
                has_number = true, number++;
            } else {
                stop = end_of_cell(at, end, format);
                if (!stop) return nullptr;
                if (is_text[j]) {
                    *place++ = at - text, *place++ = stop - text;
                } else {
                    *number++ = MISSING;
                    if (!is_missing(at + is_quoted, stop - is_quoted)) {
                        if (n_others == most_others) return nullptr;
                        note_other(j, at, stop);
                    }
                }
            }
            at = stop;
            if (j + 1 < n_cells && *at++ != format.delimiter) return nullptr;
        }
        // Between tabs there may be blanks only, and the line no data.
        if (format.delimiter == '\t' && !has_number && (*begin <= ' ' || *begin >= 0x80)) return nullptr;
        if (*at == format.delimiter && *begin != '#' && *begin != '"') {  // at the end of every line
            for (at++; *at == ' ';) at++;
        }
        return *at == '\n' ? at + 1 : nullptr;
    }
};

}  // namespace

// Reads whole lines of n_cells cells each, as long as they are of that kind. The cells of columns of text are told by
// their places, and those of the others that are no numbers by line, column and places. found is the number of lines,
// of such cells, and of bytes that were read.
S2FS_ENTRY(s2fs_parse_lines,
           (const std::uint8_t *text, Index n_bytes, Index delimiter, Index decimal, Index longest,
            const std::uint8_t *is_text, Index n_cells, double *numbers, Index n_lines, Index n_numbers,
            std::int64_t *places, Index n_texts, std::int64_t *others, Index n_others, std::int64_t *found)) {
    return guarded([&] {
        Index count = 0;
        for (Index j = 0; j < n_cells; j++) count += is_text[j] != 0;
        require(count == n_texts && n_cells == n_texts + n_numbers && n_cells > 1,
                "the columns of text and of numbers are not those of a line of two cells or more.");
        require(n_bytes > 0 && text[n_bytes - 1] == '\n', "the last line has no end.");
        require(delimiter > 0 && delimiter < 128 && !std::strchr("\n\" 0123456789+-eE", static_cast<int>(delimiter)) &&
                    delimiter != decimal,
                "the delimiter is no character between cells.");
        require(decimal == '.' || (decimal == ',' && delimiter != ','), "the decimal mark is not one.");
        Lines lines{text, text + n_bytes, {static_cast<Byte>(delimiter), static_cast<Byte>(decimal), longest},
                    is_text, n_cells, n_numbers, n_texts, numbers, places, others, n_others, 0, 0};
        const Byte *at = text;
        while (at < lines.end && lines.n_lines < n_lines) {
            if (*at == '\n') {
                at++;
                continue;
            }
            const Index known = lines.n_others;
            const Byte *next = lines.read_line(at);
            if (!next) {
                lines.n_others = known;
                break;
            }
            lines.n_lines++, at = next;
        }
        found[0] = lines.n_lines, found[1] = lines.n_others, found[2] = at - text;
    });
}
