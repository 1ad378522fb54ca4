#ifndef GODWIT_CLIBPQ_H
#define GODWIT_CLIBPQ_H

#include <libpq-fe.h>

// The names of an error's fields are character constants, which Swift does not see.
static inline const char *clibpq_sqlstate(const PGresult *result) {
  return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

static inline const char *clibpq_words(const PGresult *result) {
  return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

static void clibpq_no_notice(void *arg, const PGresult *result) {
  (void)arg;
  (void)result;
}

// Notices would go to standard error, where nobody has asked for them.
static inline void clibpq_silence(PGconn *connection) {
  PQsetNoticeReceiver(connection, clibpq_no_notice, 0);
}

#endif
