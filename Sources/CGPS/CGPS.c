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

// Only these reach libgps, and only whole. A cut line decodes to whatever stood before the cut; and on a broken
// line with a "class" inside another, such as DEVICES has, gps_unpack of 3.22 goes round for ever. DEVICE stays away too:
// libgps expects a date where a closed device has a 0, and fails on it.
static bool is_for_libgps(const char *line) {
  size_t length = strlen(line);
  return length >= 2 && line[length - 1] == '}' &&
         (has_class(line, "TPV") || has_class(line, "SKY") || has_class(line, "ERROR")) &&
         strstr(line + 1 + strlen("\"class\""), "\"class\"") == NULL;
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

void cgps_decode(cgps_decoder *decoder, char *line, cgps_message *message) {
  struct gps_data_t *data = &decoder->data;
  memset(message, 0, sizeof *message);
  message->hdop = NAN;
  data->dev.path[0] = '\0';
  if (!is_for_libgps(line)) return;
  // libgps only adds to `set` for some classes, and the last fix stays in the struct: without this a SKY would
  // look like the last TPV once more. From gpsd 3.25 a SKY with DOPs alone sets no flag, so NaN is its flag.
  data->set = 0;
  data->dop.hdop = NAN;
  gps_unpack(line, data);

  copy_report(data, message);
  message->hdop = data->dop.hdop;
  message->has_satellites = (data->set & SATELLITE_SET) != 0;
  message->satellites_used = data->satellites_used;
  message->satellites_visible = data->satellites_visible;
  if (data->set & ERROR_SET) {
    message->has_error = true;
    memcpy(decoder->error, data->error, sizeof decoder->error);
    decoder->error[sizeof decoder->error - 1] = '\0';
  }
}

const char *cgps_device(const cgps_decoder *decoder) { return decoder->data.dev.path; }

const char *cgps_error_text(const cgps_decoder *decoder) { return decoder->error; }

