#ifndef CGPS_H
#define CGPS_H

#include <stdbool.h>
#include <stdint.h>

// libgps as a decoder of gpsd's JSON. `gps_data_t` stays behind this handle: its size and layout differ between
// gpsd 3.22 (bookworm) and 3.25 (trixie), and Swift would freeze one of them.
typedef struct cgps_decoder cgps_decoder;

// What one line held. A number that is absent is NaN.
typedef struct {
  bool has_report;  // a TPV with a mode
  bool has_time;
  bool has_satellites;
  bool has_error;   // see cgps_error_text
  int mode;
  int satellites_used;
  int satellites_visible;
  int satellites_heard;  // with a signal
  double cn0_best4_dbhz; // mean of the four strongest satellites; NaN with fewer than four
  int antenna;           // gpsd 3.26 and later, of a TPV: 2 is open, 3 is short; 0: nothing is said
  int64_t time_s;
  int64_t time_ns;
  double latitude_deg, longitude_deg, altitude_msl_m, speed_mps, track_deg;
  double eph_m, epx_m, epy_m, epv_m, eps_mps, epd_deg;
  double hdop;
} cgps_message;

// NULL when out of memory.
cgps_decoder *cgps_new(void);
void cgps_free(cgps_decoder *decoder);

// Decodes one line without its line end, ended by NUL; libgps writes into it.
void cgps_decode(cgps_decoder *decoder, char *line, cgps_message *message);

// The path of the device that the last line was about, as gpsd has it; empty if it named none, or is no TPV or SKY.
// Valid until the next cgps_decode.
const char *cgps_device(const cgps_decoder *decoder);

// gpsd's words of the last line with has_error. Valid until the next cgps_decode.
const char *cgps_error_text(const cgps_decoder *decoder);

#endif
