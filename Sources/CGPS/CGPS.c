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

// A cut line still decodes, to whatever stood before the cut.
static bool is_whole_object(const char *line) {
  size_t length = strlen(line);
  return length >= 2 && line[0] == '{' && line[length - 1] == '}';
}

// gpsd says "activated":0 for a closed device, but libgps expects a date there, gives up, and sets nothing.
static bool says_device_closed(const char *line) {
  return strncmp(line, "{\"class\":\"DEVICE\"", 17) == 0 && strstr(line, "\"activated\":0") != NULL;
}

static bool any_device_active(const struct gps_data_t *data) {
  int count = data->devices.ndevices;
  if (count > MAXUSERDEVS) count = MAXUSERDEVS;
  for (int i = 0; i < count; i++) {
    if (data->devices.list[i].activated.tv_sec != 0) return true;
  }
  return false;
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
  if (!is_whole_object(line)) return;
  if (says_device_closed(line)) {
    message->has_device = true;
    return;
  }
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
  if (data->set & DEVICE_SET) {
    message->has_device = true;
    message->device_active = data->dev.activated.tv_sec != 0;
  } else if (data->set & DEVICELIST_SET) {
    message->has_device = true;
    message->device_active = any_device_active(data);
  }
  if (data->set & ERROR_SET) {
    message->has_error = true;
    memcpy(decoder->error, data->error, sizeof decoder->error);
    decoder->error[sizeof decoder->error - 1] = '\0';
  }
}

const char *cgps_error_text(const cgps_decoder *decoder) { return decoder->error; }

