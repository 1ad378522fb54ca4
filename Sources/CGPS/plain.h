#ifndef CGPS_PLAIN_H
#define CGPS_PLAIN_H

#include "CGPS.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  int prn;
  double signal_dbhz;  // NaN: none is given
  bool is_used;
} plain_satellite;

// gpsd's MAXCHANNELS is 140 to 184; a line with more is not plain.
#define PLAIN_SATELLITES 184

typedef struct {
  char device[128];
  int satellites;
  plain_satellite sky[PLAIN_SATELLITES];
} plain_line;

// Reads a whole line of that class into a message that is zero but for NaN in its numbers. false: it is not plain, and
// the message is to be cleared.
bool plain_read(const char *text, bool is_tpv, cgps_message *message, plain_line *line);

#endif
