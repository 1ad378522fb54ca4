#ifndef CTOML_H
#define CTOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// toml++ is a C++ library; this is the part of it that Godwit needs, as plain values.
// Everything that is handed out belongs to the document and lives until ctoml_free.

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ctoml_document ctoml_document;

/// UTF-8, not terminated by a zero: TOML strings may contain one.
typedef struct {
  const char *bytes;
  size_t size;
} ctoml_text;

/// Both count from 1.
typedef struct {
  uint32_t line;
  uint32_t column;
} ctoml_place;

typedef enum {
  CTOML_TABLE,
  CTOML_STRING,
  CTOML_INTEGER,
  CTOML_FLOAT,
  CTOML_BOOLEAN,
  /// A list that holds strings only, or nothing.
  CTOML_STRINGS,
  /// Anything else; `text` says what it is.
  CTOML_OTHER,
} ctoml_kind;

typedef struct {
  ctoml_text text;
  ctoml_place place;
} ctoml_element;

typedef struct {
  ctoml_kind kind;
  /// Where the key stands.
  ctoml_place place;
  const ctoml_text *path;
  size_t path_count;
  ctoml_text text;
  int64_t integer;
  double number;
  bool flag;
  const ctoml_element *elements;
  size_t element_count;
} ctoml_entry;

/// Parses a whole text. Returns NULL only when there is no memory.
ctoml_document *ctoml_parse(const char *bytes, size_t size);

void ctoml_free(ctoml_document *document);

/// True when the text is not TOML; then there are no entries.
bool ctoml_syntax_error(const ctoml_document *document, ctoml_text *message, ctoml_place *place);

size_t ctoml_count(const ctoml_document *document);

/// Tables and values in the order of the text, a table before what is in it.
ctoml_entry ctoml_entry_at(const ctoml_document *document, size_t index);

#ifdef __cplusplus
}
#endif

#endif
