// simdjson for Swift: the members of objects, as plain values. No decisions.
#ifndef CSIMDJSON_H
#define CSIMDJSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct collector_json_objects collector_json_objects;

/// Reads an array of objects (RFC 8259), with at most 500 values within one another. Null for anything else, for whole
/// numbers beyond 64 bits and others beyond a double; what is too small for a double is 0.
collector_json_objects *collector_json_objects_open(const uint8_t *bytes, size_t size);
size_t collector_json_objects_count(const collector_json_objects *objects);
void collector_json_objects_close(collector_json_objects *objects);

// False where the object has no such member, or one of another type. Of a member that stands twice the first one counts.

/// `bytes` is UTF-8, escapes resolved, not terminated by a zero; it belongs to `objects`.
bool collector_json_text(
    const collector_json_objects *objects, size_t index, const char *key, const char **bytes, size_t *size);
bool collector_json_number(const collector_json_objects *objects, size_t index, const char *key, double *value);
bool collector_json_bool(const collector_json_objects *objects, size_t index, const char *key, bool *value);

#ifdef __cplusplus
}
#endif

#endif
