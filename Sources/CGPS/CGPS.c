#include "CGPS.h"

#include <gps.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct cgps_decoder {
  struct gps_data_t data;
  char error[256];
};

cgps_decoder *cgps_new(void) { return calloc(1, sizeof(cgps_decoder)); }

void cgps_free(cgps_decoder *decoder) { free(decoder); }

static bool has_class(const char *line, const char *name) {
  static const char start[] = "{\"class\":\"";
  size_t length = strlen(name);
  return strncmp(line, start, sizeof start - 1) == 0 && strncmp(line + sizeof start - 1, name, length) == 0 &&
         line[sizeof start - 1 + length] == '"';
}

// Only these reach libgps, and only whole. A cut line decodes to whatever stood before the cut; and
// on a broken line with a "class" inside another, such as DEVICES has, gps_unpack of 3.22 goes round for ever. DEVICE
// stays away too: libgps expects a date where a closed device has a 0, and fails on it.
static bool is_for_libgps(const char *line) {
  size_t length = strlen(line);
  return length >= 2 && line[length - 1] == '}' &&
         (has_class(line, "TPV") || has_class(line, "SKY") || has_class(line, "ERROR")) &&
         strstr(line + 1 + strlen("\"class\""), "\"class\"") == NULL;
}

// The strongest signal of each satellite: a receiver of several bands has one entry for each signal. Satellites of all
// constellations are numbered apart by their PRN.
static void copy_signals(const struct gps_data_t *data, cgps_message *message) {
  double best[4] = {0, 0, 0, 0};
  int owner[4] = {0, 0, 0, 0};
  int visible = data->satellites_visible < MAXCHANNELS ? data->satellites_visible : MAXCHANNELS;
  for (int i = 0; i < visible; i++) {
    const struct satellite_t *satellite = &data->skyview[i];
    // NaN, 0 and -1 stand for "no signal"; nothing on earth is heard with 99 dB-Hz.
    if (!(satellite->ss > 0 && satellite->ss < 99)) continue;
    bool is_first = true;
    for (int j = 0; j < i; j++) {
      if (data->skyview[j].PRN == satellite->PRN && data->skyview[j].ss > 0) is_first = false;
    }
    if (is_first) message->satellites_heard++;
    // Its place among the best: its own earlier one, or the weakest.
    int place = 3;
    for (int j = 0; j < 4; j++) {
      if (best[j] > 0 && owner[j] == satellite->PRN) place = j;
    }
    if (satellite->ss <= best[place]) continue;
    for (; place > 0 && best[place - 1] < satellite->ss; place--) {
      best[place] = best[place - 1];
      owner[place] = owner[place - 1];
    }
    best[place] = satellite->ss;
    owner[place] = satellite->PRN;
  }
  if (best[3] > 0) message->cn0_best4_dbhz = (best[0] + best[1] + best[2] + best[3]) / 4;
}

// libgps of 3.22 and 3.25 knows no such member; gpsd 3.26 writes it where the receiver says that something is wrong.
static int antenna(const char *line) {
  static const char member[] = "\"ant\":";
  const char *found = has_class(line, "TPV") ? strstr(line, member) : NULL;
  return found ? atoi(found + sizeof member - 1) : 0;
}

static void copy_report(const struct gps_data_t *data, cgps_message *message) {
  const struct gps_fix_t *fix = &data->fix;
  message->has_report = (data->set & MODE_SET) != 0;
  message->has_time = (data->set & TIME_SET) != 0;
  message->mode = fix->mode;
  message->time_s = fix->time.tv_sec;
  message->time_ns = fix->time.tv_nsec;
  message->latitude_deg = fix->latitude;
  message->longitude_deg = fix->longitude;
  message->altitude_msl_m = fix->altMSL;
  message->speed_mps = fix->speed;
  message->track_deg = fix->track;
  message->eph_m = fix->eph;
  message->epx_m = fix->epx;
  message->epy_m = fix->epy;
  message->epv_m = fix->epv;
  message->eps_mps = fix->eps;
  message->epd_deg = fix->epd;
}

static void clear(cgps_message *message) {
  memset(message, 0, sizeof *message);
  message->hdop = NAN;
  message->cn0_best4_dbhz = NAN;
}

void cgps_decode(cgps_decoder *decoder, char *line, cgps_message *message) {
  struct gps_data_t *data = &decoder->data;
  clear(message);
  data->dev.path[0] = '\0';
  if (!is_for_libgps(line)) return;
  // libgps only adds to `set` for some classes, and the last fix stays in the struct: without this a SKY would
  // look like the last TPV once more. From gpsd 3.25 a SKY with DOPs alone sets no flag, so NaN is its flag.
  data->set = 0;
  data->dop.hdop = NAN;
  message->antenna = antenna(line);
  gps_unpack(line, data);

  copy_report(data, message);
  message->hdop = data->dop.hdop;
  message->has_satellites = (data->set & SATELLITE_SET) != 0;
  message->satellites_used = data->satellites_used;
  message->satellites_visible = data->satellites_visible;
  if (message->has_satellites) copy_signals(data, message);
  if (data->set & ERROR_SET) {
    message->has_error = true;
    memcpy(decoder->error, data->error, sizeof decoder->error);
    decoder->error[sizeof decoder->error - 1] = '\0';
  }
}

const char *cgps_device(const cgps_decoder *decoder) { return decoder->data.dev.path; }

const char *cgps_error_text(const cgps_decoder *decoder) { return decoder->error; }
