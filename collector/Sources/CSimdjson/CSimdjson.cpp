#include "CSimdjson.h"

// Mistakes of the text are values here, not throws.
#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include <new>
#include <string_view>
#include <vector>

using namespace simdjson;

struct collector_json_objects {
  dom::parser parser;
  std::vector<dom::object> all;
};

static constexpr size_t most_nested = 500;

// Without memory for the vector the process ends, as it does anywhere in Swift.
static bool read(collector_json_objects &objects, const uint8_t *bytes, size_t size) noexcept {
  dom::array array;
  if (objects.parser.allocate(size, most_nested) || objects.parser.parse(bytes, size).get(array)) return false;
  for (dom::element element : array) {
    dom::object object;
    if (element.get(object)) return false;
    objects.all.push_back(object);
  }
  return true;
}

collector_json_objects *collector_json_objects_open(const uint8_t *bytes, size_t size) {
  auto objects = new (std::nothrow) collector_json_objects;
  if (objects && read(*objects, bytes, size)) return objects;
  delete objects;
  return nullptr;
}

size_t collector_json_objects_count(const collector_json_objects *objects) { return objects->all.size(); }

void collector_json_objects_close(collector_json_objects *objects) { delete objects; }

bool collector_json_text(
    const collector_json_objects *objects, size_t index, const char *key, const char **bytes, size_t *size) {
  std::string_view found;
  if (objects->all[index].at_key(key).get(found)) return false;
  *bytes = found.data();
  *size = found.size();
  return true;
}

bool collector_json_number(const collector_json_objects *objects, size_t index, const char *key, double *value) {
  return !objects->all[index].at_key(key).get(*value);
}

bool collector_json_bool(const collector_json_objects *objects, size_t index, const char *key, bool *value) {
  return !objects->all[index].at_key(key).get(*value);
}
