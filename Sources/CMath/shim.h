/// libm's functions by the compiler's names: math.h would bring all of libc into the core.
static inline double cmath_cos(double radians) { return __builtin_cos(radians); }
static inline double cmath_sin(double radians) { return __builtin_sin(radians); }
static inline double cmath_asin(double sine) { return __builtin_asin(sine); }
