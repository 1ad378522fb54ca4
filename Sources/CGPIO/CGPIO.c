#include "CGPIO.h"

#include <errno.h>
#include <gpiod.h>
#include <stdlib.h>
#include <string.h>

static void copy_name(char *to, const char *from) {
  to[0] = '\0';
  if (from) strncat(to, from, CGPIO_NAME_SIZE - 1);
}

cgpio_chip *cgpio_open(const char *path) { return (cgpio_chip *)gpiod_chip_open(path); }

void cgpio_close(cgpio_chip *chip) { gpiod_chip_close((struct gpiod_chip *)chip); }

#ifdef GPIOD_LINE_BULK_MAX_LINES  // libgpiod 1 only

struct cgpio_line {
  struct gpiod_line *line;
};

int cgpio_describe(cgpio_chip *chip, cgpio_chip_info *info) {
  copy_name(info->name, gpiod_chip_name((struct gpiod_chip *)chip));
  copy_name(info->label, gpiod_chip_label((struct gpiod_chip *)chip));
  info->lines = gpiod_chip_num_lines((struct gpiod_chip *)chip);
  return 0;
}

int cgpio_describe_line(cgpio_chip *chip, unsigned offset, cgpio_line_info *info) {
  struct gpiod_line *line = gpiod_chip_get_line((struct gpiod_chip *)chip, offset);
  // The chip keeps the line once asked for, with the state of that moment.
  if (!line || gpiod_line_update(line) != 0) return -1;
  copy_name(info->name, gpiod_line_name(line));
  copy_name(info->consumer, gpiod_line_consumer(line));
  info->used = gpiod_line_is_used(line);
  return 0;
}

cgpio_line *cgpio_request_output(cgpio_chip *chip, unsigned offset, const char *consumer, bool active_low) {
  struct gpiod_line *line = gpiod_chip_get_line((struct gpiod_chip *)chip, offset);
  if (!line) return NULL;
  int flags = active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0;
  if (gpiod_line_request_output_flags(line, consumer, flags, 0) != 0) return NULL;
  cgpio_line *held = malloc(sizeof *held);
  if (held) {
    held->line = line;
  } else {
    gpiod_line_release(line);
    errno = ENOMEM;
  }
  return held;
}

int cgpio_set(cgpio_line *line, int active) { return gpiod_line_set_value(line->line, active); }

int cgpio_get(cgpio_line *line) { return gpiod_line_get_value(line->line); }

void cgpio_release(cgpio_line *line) {
  gpiod_line_release(line->line);
  free(line);
}

#else

struct cgpio_line {
  struct gpiod_line_request *request;
  unsigned offset;
};

int cgpio_describe(cgpio_chip *chip, cgpio_chip_info *info) {
  struct gpiod_chip_info *found = gpiod_chip_get_info((struct gpiod_chip *)chip);
  if (!found) return -1;
  copy_name(info->name, gpiod_chip_info_get_name(found));
  copy_name(info->label, gpiod_chip_info_get_label(found));
  info->lines = (unsigned)gpiod_chip_info_get_num_lines(found);
  gpiod_chip_info_free(found);
  return 0;
}

int cgpio_describe_line(cgpio_chip *chip, unsigned offset, cgpio_line_info *info) {
  struct gpiod_line_info *found = gpiod_chip_get_line_info((struct gpiod_chip *)chip, offset);
  if (!found) return -1;
  copy_name(info->name, gpiod_line_info_get_name(found));
  copy_name(info->consumer, gpiod_line_info_get_consumer(found));
  info->used = gpiod_line_info_is_used(found);
  gpiod_line_info_free(found);
  return 0;
}

// NULL with errno when a part could not be made or the kernel refused.
static struct gpiod_line_request *request(struct gpiod_chip *chip, unsigned offset, const char *consumer,
                                          bool active_low) {
  struct gpiod_line_request *made = NULL;
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  struct gpiod_line_config *lines = gpiod_line_config_new();
  struct gpiod_request_config *config = gpiod_request_config_new();
  if (settings && lines && config &&
      gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_OUTPUT) == 0 &&
      gpiod_line_settings_set_output_value(settings, GPIOD_LINE_VALUE_INACTIVE) == 0) {
    gpiod_line_settings_set_active_low(settings, active_low);
    gpiod_request_config_set_consumer(config, consumer);
    if (gpiod_line_config_add_line_settings(lines, &offset, 1, settings) == 0) {
      made = gpiod_chip_request_lines(chip, config, lines);
    }
  }
  int code = errno;
  if (config) gpiod_request_config_free(config);
  if (lines) gpiod_line_config_free(lines);
  if (settings) gpiod_line_settings_free(settings);
  errno = code;
  return made;
}

cgpio_line *cgpio_request_output(cgpio_chip *chip, unsigned offset, const char *consumer, bool active_low) {
  cgpio_line *held = malloc(sizeof *held);
  if (!held) return NULL;
  held->offset = offset;
  held->request = request((struct gpiod_chip *)chip, offset, consumer, active_low);
  if (held->request) return held;
  int code = errno;
  free(held);
  errno = code;
  return NULL;
}

int cgpio_set(cgpio_line *line, int active) {
  return gpiod_line_request_set_value(line->request, line->offset,
                                      active ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE);
}

int cgpio_get(cgpio_line *line) {
  return (int)gpiod_line_request_get_value(line->request, line->offset);
}

void cgpio_release(cgpio_line *line) {
  gpiod_line_request_release(line->request);
  free(line);
}

#endif
