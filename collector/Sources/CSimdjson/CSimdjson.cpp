#include "CSimdjson.h"

// Mistakes of the text are values here, not throws.
#define SIMDJSON_EXCEPTIONS 0
#include <simdjson.h>

#include <cmath>
#include <new>
#include <string_view>
#include <vector>

using namespace simdjson;

struct collector_json_records {
  dom::parser parser;
  std::vector<collector_json_record> all;
};

namespace {

constexpr size_t most_nested = 500;

collector_json_text text(dom::object object, std::string_view key) {
  std::string_view found;
  if (object.at_key(key).get(found)) return {nullptr, 0};
  return {found.data(), found.size()};
}

double number(dom::object object, std::string_view key) {
  double found;
  return object.at_key(key).get(found) ? NAN : found;
}

int8_t truth(dom::object object, std::string_view key) {
  bool found;
  return object.at_key(key).get(found) ? -1 : found;
}

collector_json_record record(dom::object object) {
  return {
      text(object, "uuid"),
      text(object, "timestamp"),
      text(object, "event"),
      text(object, "extras"),
      number(object, "latitude"),
      number(object, "longitude"),
      number(object, "altitude"),
      number(object, "altitude_accuracy"),
      number(object, "accuracy"),
      number(object, "speed"),
      number(object, "speed_accuracy"),
      number(object, "heading"),
      number(object, "heading_accuracy"),
      truth(object, "is_moving"),
  };
}

// Without memory for the vector the process ends, as it does anywhere in Swift.
bool read(collector_json_records &records, const uint8_t *bytes, size_t size) noexcept {
  dom::array array;
  if (records.parser.allocate(size, most_nested) || records.parser.parse(bytes, size).get(array)) return false;
  for (dom::element element : array) {
    dom::object object;
    if (element.get(object)) return false;
    records.all.push_back(record(object));
  }
  return true;
}

}  // namespace

collector_json_records *collector_json_records_open(const uint8_t *bytes, size_t size) {
  auto records = new (std::nothrow) collector_json_records;
  if (records && read(*records, bytes, size)) return records;
  delete records;
  return nullptr;
}

size_t collector_json_records_count(const collector_json_records *records) { return records->all.size(); }

const collector_json_record *collector_json_records_first(const collector_json_records *records) {
  return records->all.data();
}

void collector_json_records_close(collector_json_records *records) { delete records; }
