#include "CGPIO.h"

#include <errno.h>
#include <fcntl.h>
#include <gpiod.h>
#include <stdlib.h>
#include <string.h>

static void copy_name(char *to, const char *from) {
  to[0] = '\0';
  if (from) strncat(to, from, CGPIO_NAME_SIZE - 1);
}

cgpio_chip *cgpio_open(const char *path) { return (cgpio_chip *)gpiod_chip_open(path); }

void cgpio_close(cgpio_chip *chip) { gpiod_chip_close((struct gpiod_chip *)chip); }

static int unblock(int descriptor) {
  int flags = fcntl(descriptor, F_GETFL);
  return flags < 0 ? -1 : fcntl(descriptor, F_SETFL, flags | O_NONBLOCK);
}

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

struct cgpio_input {
  struct gpiod_line *line;
};

static int bias_flag(cgpio_bias bias) {
  switch (bias) {
    case CGPIO_BIAS_PULL_UP: return GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP;
    case CGPIO_BIAS_PULL_DOWN: return GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN;
    case CGPIO_BIAS_NONE: return GPIOD_LINE_REQUEST_FLAG_BIAS_DISABLE;
    case CGPIO_BIAS_AS_IS: break;
  }
  return 0;
}

cgpio_input *cgpio_request_input(cgpio_chip *chip, unsigned offset, const char *consumer, bool active_low,
                                 cgpio_bias bias) {
  struct gpiod_line *line = gpiod_chip_get_line((struct gpiod_chip *)chip, offset);
  if (!line) return NULL;
  int flags = bias_flag(bias) | (active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0);
  if (gpiod_line_request_both_edges_events_flags(line, consumer, flags) != 0) return NULL;
  cgpio_input *held = malloc(sizeof *held);
  if (held && unblock(gpiod_line_event_get_fd(line)) == 0) {
    held->line = line;
    return held;
  }
  int code = held ? errno : ENOMEM;
  gpiod_line_release(line);
  free(held);
  errno = code;
  return NULL;
}

int cgpio_input_fd(cgpio_input *input) { return gpiod_line_event_get_fd(input->line); }

int cgpio_input_get(cgpio_input *input) { return gpiod_line_get_value(input->line); }

int cgpio_input_read(cgpio_input *input, bool levels[CGPIO_EDGES]) {
  struct gpiod_line_event events[CGPIO_EDGES];
  int count = gpiod_line_event_read_multiple(input->line, events, CGPIO_EDGES);
  if (count < 0) return errno == EAGAIN ? 0 : -1;
  for (int i = 0; i < count; i++) levels[i] = events[i].event_type == GPIOD_LINE_EVENT_RISING_EDGE;
  return count;
}

void cgpio_input_release(cgpio_input *input) {
  gpiod_line_release(input->line);
  free(input);
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

// Takes the settings with it. NULL with errno when a part could not be made or the kernel refused.
static struct gpiod_line_request *request(struct gpiod_chip *chip, unsigned offset, const char *consumer,
                                          struct gpiod_line_settings *settings) {
  struct gpiod_line_request *made = NULL;
  struct gpiod_line_config *lines = gpiod_line_config_new();
  struct gpiod_request_config *config = gpiod_request_config_new();
  if (settings && lines && config) {
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

static struct gpiod_line_settings *inactive_output(bool active_low) {
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  if (!settings) return NULL;
  gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_OUTPUT);
  gpiod_line_settings_set_output_value(settings, GPIOD_LINE_VALUE_INACTIVE);
  gpiod_line_settings_set_active_low(settings, active_low);
  return settings;
}

cgpio_line *cgpio_request_output(cgpio_chip *chip, unsigned offset, const char *consumer, bool active_low) {
  cgpio_line *held = malloc(sizeof *held);
  if (!held) return NULL;
  held->offset = offset;
  held->request = request((struct gpiod_chip *)chip, offset, consumer, inactive_output(active_low));
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

struct cgpio_input {
  struct gpiod_line_request *request;
  struct gpiod_edge_event_buffer *edges;
  unsigned offset;
};

static enum gpiod_line_bias bias_value(cgpio_bias bias) {
  switch (bias) {
    case CGPIO_BIAS_PULL_UP: return GPIOD_LINE_BIAS_PULL_UP;
    case CGPIO_BIAS_PULL_DOWN: return GPIOD_LINE_BIAS_PULL_DOWN;
    case CGPIO_BIAS_NONE: return GPIOD_LINE_BIAS_DISABLED;
    case CGPIO_BIAS_AS_IS: break;
  }
  return GPIOD_LINE_BIAS_AS_IS;
}

static struct gpiod_line_settings *both_edges(bool active_low, cgpio_bias bias) {
  struct gpiod_line_settings *settings = gpiod_line_settings_new();
  if (!settings) return NULL;
  gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_INPUT);
  gpiod_line_settings_set_edge_detection(settings, GPIOD_LINE_EDGE_BOTH);
  gpiod_line_settings_set_bias(settings, bias_value(bias));
  gpiod_line_settings_set_active_low(settings, active_low);
  return settings;
}

cgpio_input *cgpio_request_input(cgpio_chip *chip, unsigned offset, const char *consumer, bool active_low,
                                 cgpio_bias bias) {
  cgpio_input *held = calloc(1, sizeof *held);
  if (!held) return NULL;
  held->offset = offset;
  held->edges = gpiod_edge_event_buffer_new(CGPIO_EDGES);
  if (held->edges) {
    held->request = request((struct gpiod_chip *)chip, offset, consumer, both_edges(active_low, bias));
  }
  if (held->request && unblock(gpiod_line_request_get_fd(held->request)) == 0) return held;
  int code = errno;
  cgpio_input_release(held);
  errno = code;
  return NULL;
}

int cgpio_input_fd(cgpio_input *input) { return gpiod_line_request_get_fd(input->request); }

int cgpio_input_get(cgpio_input *input) {
  return (int)gpiod_line_request_get_value(input->request, input->offset);
}

int cgpio_input_read(cgpio_input *input, bool levels[CGPIO_EDGES]) {
  int count = gpiod_line_request_read_edge_events(input->request, input->edges, CGPIO_EDGES);
  if (count < 0) return errno == EAGAIN ? 0 : -1;
  for (int i = 0; i < count; i++) {
    struct gpiod_edge_event *edge = gpiod_edge_event_buffer_get_event(input->edges, (unsigned long)i);
    levels[i] = gpiod_edge_event_get_event_type(edge) == GPIOD_EDGE_EVENT_RISING_EDGE;
  }
  return count;
}

void cgpio_input_release(cgpio_input *input) {
  if (input->request) gpiod_line_request_release(input->request);
  if (input->edges) gpiod_edge_event_buffer_free(input->edges);
  free(input);
}

#endif
