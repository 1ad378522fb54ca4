// simdjson for Swift: the members of a record that have a column, as plain values. No decisions.
#ifndef CSIMDJSON_H
#define CSIMDJSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// UTF-8, escapes resolved, not terminated by a zero; no bytes where there is no such member, or one of another type.
typedef struct {
  const char *bytes;
  size_t size;
} collector_json_text;

/// Of a member that stands twice the first one counts.
typedef struct {
  collector_json_text uuid, timestamp, event, extras;
  /// NaN where there is no such member, or one of another type.
  double latitude, longitude, altitude, altitude_accuracy, accuracy, speed, speed_accuracy, heading, heading_accuracy;
  /// -1 where there is no such member, or one of another type.
  int8_t is_moving;
} collector_json_record;

typedef struct collector_json_records collector_json_records;

/// Reads an array of objects (RFC 8259), with at most 500 values within one another. Null for anything else, for whole
/// numbers beyond 64 bits and others beyond a double; what is too small for a double is 0. Texts belong to the result.
collector_json_records *collector_json_records_open(const uint8_t *bytes, size_t size);
size_t collector_json_records_count(const collector_json_records *records);
const collector_json_record *collector_json_records_first(const collector_json_records *records);
void collector_json_records_close(collector_json_records *records);

#ifdef __cplusplus
}
#endif

#endif
