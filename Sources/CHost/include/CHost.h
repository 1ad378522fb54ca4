#ifndef CHOST_H
#define CHOST_H
#endif
