// Reads a TPV or a SKY in the form in which every gpsd writes it: one object of plain members, and for a SKY an array of
// plain objects. libgps looks each member up in a list of all that it knows, and a SKY of twelve satellites costs it as
// much as all else that the agent does in a second. What is not of that form is left to libgps.

#include "plain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A member: its name without quotes, and its value, of a string without quotes too.
typedef struct {
  const char *name, *value;
  size_t name_length, value_length;
  char kind;  // the value's first character: '"', '[', a digit, …
} member;

// What a character ends: a string, or a number or word. Looked up, for these two loops go over every byte of gpsd's.
enum { ENDS_STRING = 1, ENDS_WORD = 2 };
static const unsigned char ends[256] = {
    ['\0'] = ENDS_STRING | ENDS_WORD, ['"'] = ENDS_STRING | ENDS_WORD, ['\\'] = ENDS_STRING, [','] = ENDS_WORD,
    ['}'] = ENDS_WORD, ['{'] = ENDS_WORD, ['['] = ENDS_WORD, [']'] = ENDS_WORD, [' '] = ENDS_WORD};

static const char *next(int end, const char *at) {
  while (!(ends[(unsigned char)*at] & end)) at++;
  return at;
}

// Past the string that begins at the quote `at`; NULL if it does not end, or has an escape.
static const char *string_end(const char *at) {
  at = next(ENDS_STRING, at + 1);
  return *at == '"' ? at + 1 : NULL;
}

// Past the array that begins at `at`, whatever plain it holds; NULL if it does not end.
static const char *array_end(const char *at) {
  int depth = 0;
  for (; *at != '\0'; at++) {
    if (*at == '"') {
      if ((at = string_end(at)) == NULL) return NULL;
      at--;
    } else if (*at == '[') {
      depth++;
    } else if (*at == ']' && --depth == 0) {
      return at + 1;
    }
  }
  return NULL;
}

// The member at `*at`, which then stands at the comma or brace after it. false: not plain.
static bool next_member(const char **at, member *found) {
  const char *p = *at;
  if (*p != '"') return false;
  const char *end = string_end(p);
  if (!end || *end != ':') return false;
  found->name = p + 1;
  found->name_length = (size_t)(end - p) - 2;
  p = end + 1;
  found->kind = *p;
  found->value = p;
  if (*p == '"') {
    end = string_end(p);
    if (!end) return false;
    found->value = p + 1;
    found->value_length = (size_t)(end - p) - 2;
  } else {
    end = *p == '[' ? array_end(p) : next(ENDS_WORD, p);
    if (!end || end == p) return false;
    found->value_length = (size_t)(end - p);
  }
  *at = end;
  return *end == ',' || *end == '}';
}

// The compiler knows the length of a literal.
#define IS(one, literal) \
  ((one)->name_length == sizeof(literal) - 1 && memcmp((one)->name, literal, sizeof(literal) - 1) == 0)

// Decimal digits, exact as strtod is: up to 15 of them, and a power of ten that a double holds, are divided once (Clinger,
// How to read floating point numbers accurately, PLDI 1990). Anything else goes to strtod.
static bool number(const member *one, double *result) {
  static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const char *p = one->value, *end = p + one->value_length;
  if (one->kind == '"') return false;
  bool is_negative = p < end && *p == '-';
  if (is_negative) p++;
  int64_t digits = 0;
  int count = 0, fraction = 0;
  bool is_fraction = false;
  for (; p < end; p++) {
    if (*p == '.' && !is_fraction) {
      is_fraction = true;
    } else if (*p >= '0' && *p <= '9' && count < 15) {
      digits = digits * 10 + (*p - '0');
      count++;
      fraction += is_fraction;
    } else {
      return false;
    }
  }
  if (count == 0) return false;
  *result = (double)digits / powers[fraction];
  if (is_negative) *result = -*result;
  return true;
}

static bool whole(const member *one, int *result) {
  double value;
  if (!number(one, &value) || value != trunc(value) || fabs(value) > 1e6) return false;
  *result = (int)value;
  return true;
}

static int two(const char *digits) { return (digits[0] - '0') * 10 + (digits[1] - '0'); }

// "2026-11-25T03:11:35.000Z", always of UTC.
static bool iso_time(const member *one, cgps_message *message) {
  static const char form[] = "dddd-dd-ddTdd:dd:dd";
  const char *text = one->value;
  size_t length = sizeof form - 1;
  if (one->kind != '"' || one->value_length <= length) return false;
  for (size_t i = 0; i < length; i++) {
    bool fits = form[i] == 'd' ? text[i] >= '0' && text[i] <= '9' : text[i] == form[i];
    if (!fits) return false;
  }
  int64_t nanoseconds = 0, unit = 100000000;
  size_t i = length;
  if (text[i] == '.') {
    for (i++; i < one->value_length && text[i] >= '0' && text[i] <= '9'; i++, unit /= 10) {
      nanoseconds += (text[i] - '0') * unit;
    }
  }
  int year = two(text) * 100 + two(text + 2), month = two(text + 5), day = two(text + 8);
  if (i + 1 != one->value_length || text[i] != 'Z' || year < 1970 || month < 1 || month > 12) return false;
  // Days since 1970 of a year that begins in March (Howard Hinnant, chrono-compatible low-level date algorithms).
  int64_t from_march = month > 2 ? year : year - 1, era = from_march / 400, year_of_era = from_march % 400;
  int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  int64_t days = era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
  message->time_s = days * 86400 + two(text + 11) * 3600 + two(text + 14) * 60 + two(text + 17);
  message->time_ns = nanoseconds;
  message->has_time = message->time_s != 0;
  return true;
}

static bool copy_device(const member *one, plain_line *line) {
  if (one->kind != '"' || one->value_length >= sizeof line->device) return false;
  memcpy(line->device, one->value, one->value_length);
  line->device[one->value_length] = '\0';
  return true;
}

// MARK: TPV

static bool tpv_member(const member *one, cgps_message *message, plain_line *line) {
  if (IS(one, "mode")) {
    message->has_report = whole(one, &message->mode) && message->mode != 0;
    return message->has_report;
  }
  if (IS(one, "time")) return iso_time(one, message);
  if (IS(one, "device")) return copy_device(one, line);
  if (IS(one, "ant")) return whole(one, &message->antenna);
  if (IS(one, "lat")) return number(one, &message->latitude_deg);
  if (IS(one, "lon")) return number(one, &message->longitude_deg);
  if (IS(one, "altMSL")) return number(one, &message->altitude_msl_m);
  if (IS(one, "speed")) return number(one, &message->speed_mps);
  if (IS(one, "track")) return number(one, &message->track_deg);
  if (IS(one, "eph")) return number(one, &message->eph_m);
  if (IS(one, "epx")) return number(one, &message->epx_m);
  if (IS(one, "epy")) return number(one, &message->epy_m);
  if (IS(one, "epv")) return number(one, &message->epv_m);
  if (IS(one, "eps")) return number(one, &message->eps_mps);
  if (IS(one, "epd")) return number(one, &message->epd_deg);
  return true;
}

// MARK: SKY

static bool satellite_member(const member *found, plain_satellite *one) {
  if (IS(found, "PRN")) return whole(found, &one->prn);
  if (IS(found, "ss")) return number(found, &one->signal_dbhz);
  if (!IS(found, "used")) return !IS(found, "class");
  one->is_used = found->value_length == 4 && memcmp(found->value, "true", 4) == 0;
  return one->is_used || (found->value_length == 5 && memcmp(found->value, "false", 5) == 0);
}

static bool satellite(const char **at, plain_satellite *one) {
  const char *p = *at;
  *one = (plain_satellite){.signal_dbhz = NAN};
  if (*p++ != '{') return false;
  for (;; p++) {
    member found;
    if (!next_member(&p, &found) || !satellite_member(&found, one)) return false;
    if (*p == '}') break;
  }
  *at = p + 1;
  return true;
}

static bool satellites(const member *array, cgps_message *message, plain_line *line) {
  const char *p = array->value + 1;
  for (; array->kind == '[' && *p != ']'; p += *p == ',') {
    if (line->satellites >= PLAIN_SATELLITES || !satellite(&p, &line->sky[line->satellites])) return false;
    if (*p != ',' && *p != ']') return false;
    if (line->sky[line->satellites].prn <= 0) continue;
    message->satellites_visible++;
    message->satellites_used += line->sky[line->satellites].is_used;
    line->satellites++;
  }
  return array->kind == '[';
}

static bool sky_member(const member *one, cgps_message *message, plain_line *line) {
  if (IS(one, "hdop")) return number(one, &message->hdop);
  if (IS(one, "device")) return copy_device(one, line);
  if (IS(one, "satellites")) return satellites(one, message, line);
  return true;
}

bool plain_read(const char *text, bool is_tpv, cgps_message *message, plain_line *line) {
  line->device[0] = '\0';
  line->satellites = 0;
  message->latitude_deg = message->longitude_deg = message->altitude_msl_m = message->speed_mps = NAN;
  message->track_deg = message->eph_m = message->epx_m = message->epy_m = message->epv_m = NAN;
  message->eps_mps = message->epd_deg = NAN;
  message->has_satellites = !is_tpv;
  for (const char *p = text + 1;; p++) {
    member found;
    bool is_first = p == text + 1;
    if (!next_member(&p, &found) || (!is_first && IS(&found, "class"))) return false;
    if (!(is_tpv ? tpv_member : sky_member)(&found, message, line)) return false;
    if (*p == '}') return p[1] == '\0';
  }
}
