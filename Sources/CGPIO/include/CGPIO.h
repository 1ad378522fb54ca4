#ifndef CGPIO_H
#define CGPIO_H

#include <stdbool.h>

// One API over both generations of libgpiod: 1.6 (bookworm) and 2.x (trixie), chosen when this is compiled.
// A call that fails returns NULL or -1 with errno.

typedef struct cgpio_chip cgpio_chip;
typedef struct cgpio_line cgpio_line;
typedef struct cgpio_input cgpio_input;

// The kernel's GPIO_MAX_NAME_SIZE.
enum { CGPIO_NAME_SIZE = 32 };

typedef struct {
  char name[CGPIO_NAME_SIZE];   // such as gpiochip0
  char label[CGPIO_NAME_SIZE];  // such as pinctrl-bcm2711
  unsigned lines;
} cgpio_chip_info;

typedef struct {
  char name[CGPIO_NAME_SIZE];      // empty: the line has none
  char consumer[CGPIO_NAME_SIZE];  // empty: nobody said who they are
  bool used;
} cgpio_line_info;

cgpio_chip *cgpio_open(const char *path);
void cgpio_close(cgpio_chip *chip);
int cgpio_describe(cgpio_chip *chip, cgpio_chip_info *info);
int cgpio_describe_line(cgpio_chip *chip, unsigned offset, cgpio_line_info *info);

// Takes the line as an output that is inactive from the first moment. EBUSY: somebody else holds it.
// The chip must stay open as long as the line is held.
cgpio_line *cgpio_request_output(cgpio_chip *chip, unsigned offset, const char *consumer, bool active_low);
// 1: active, 0: inactive; the line's polarity is already taken into account.
int cgpio_set(cgpio_line *line, int active);
int cgpio_get(cgpio_line *line);
void cgpio_release(cgpio_line *line);

typedef enum { CGPIO_BIAS_AS_IS, CGPIO_BIAS_PULL_UP, CGPIO_BIAS_PULL_DOWN, CGPIO_BIAS_NONE } cgpio_bias;

// So many edges are read at once, at most: what the kernel keeps for a line.
enum { CGPIO_EDGES = 16 };

// Takes the line as an input that reports both edges, not debounced. EBUSY and the chip: as above.
cgpio_input *cgpio_request_input(cgpio_chip *chip, unsigned offset, const char *consumer, bool active_low,
                                 cgpio_bias bias);
// Readable when edges wait.
int cgpio_input_fd(cgpio_input *input);
// 1: active, 0: inactive, at this moment.
int cgpio_input_get(cgpio_input *input);
// The edges that wait, oldest first: true to active. Returns how many, 0 if none; never blocks.
int cgpio_input_read(cgpio_input *input, bool levels[CGPIO_EDGES]);
void cgpio_input_release(cgpio_input *input);

#endif
