/*
 * The page of P1 as a C program gives it: one thread and one connection of libpq for each client, one prepared
 * statement, the stored texts in binary form, no checks. Settings: PORT, DATABASE_URL, ORGANIZATION.
 */
#include <arpa/inet.h>
#include <libpq-fe.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *QUERY =
    "select list_json from orders where organization_id = $1::uuid "
    "order by newest_first, marketplace, account_id, id limit $2::int";
static const char *META =
    ",\"meta\":{\"request_id\":\"req_0mhyk3p0a0123456789abcdef\",\"as_of\":\"2026-11-21T00:00:00.000001Z\"}}";
/* As long as the product's own. */
enum { CURSOR = 270, REQUEST = 16384, HEAD = 256 };

struct text {
  char *bytes;
  size_t length, room;
};

static void add(struct text *text, const char *bytes, size_t length) {
  if (text->length + length > text->room) {
    text->room = (text->length + length) * 2;
    text->bytes = realloc(text->bytes, text->room);
    if (!text->bytes) abort();
  }
  memcpy(text->bytes + text->length, bytes, length);
  text->length += length;
}

static void say(struct text *text, const char *words) { add(text, words, strlen(words)); }

static void page(struct text *body, PGresult *rows, int limit) {
  int found = PQntuples(rows), more = found > limit;
  body->length = 0;
  say(body, "{\"data\":[");
  for (int row = 0; row < (more ? limit : found); row++) {
    if (row > 0) say(body, ",");
    add(body, PQgetvalue(rows, row, 0), (size_t)PQgetlength(rows, row, 0));
  }
  say(body, "],\"pagination\":{\"next_cursor\":");
  if (more) {
    char cursor[CURSOR];
    memset(cursor, 'x', sizeof cursor);
    say(body, "\"");
    add(body, cursor, sizeof cursor);
    say(body, "\"");
  } else
    say(body, "null");
  say(body, more ? ",\"has_more\":true}" : ",\"has_more\":false}");
  say(body, META);
}

static int send_all(int client, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t sent = write(client, bytes, length);
    if (sent <= 0) return 0;
    bytes += sent;
    length -= (size_t)sent;
  }
  return 1;
}

static int answer(int client, PGconn *database, const char *request, struct text *body, struct text *whole) {
  const char *asked = strstr(request, "limit=");
  int limit = asked ? atoi(asked + 6) : 50;
  char most[16], head[HEAD];
  snprintf(most, sizeof most, "%d", limit + 1);
  const char *values[] = {getenv("ORGANIZATION"), most};
  PGresult *rows = PQexecPrepared(database, "page", 2, values, NULL, NULL, 1);
  if (PQresultStatus(rows) != PGRES_TUPLES_OK) {
    fprintf(stderr, "%s", PQerrorMessage(database));
    PQclear(rows);
    return 0;
  }
  page(body, rows, limit);
  PQclear(rows);
  int length = snprintf(head, sizeof head,
                        "HTTP/1.1 200 OK\r\ncontent-type: application/json; charset=utf-8\r\n"
                        "content-length: %zu\r\n\r\n",
                        body->length);
  whole->length = 0;
  add(whole, head, (size_t)length);
  add(whole, body->bytes, body->length);
  return send_all(client, whole->bytes, whole->length);
}

static PGconn *open_database(void) {
  PGconn *database = PQconnectdb(getenv("DATABASE_URL"));
  PGresult *set = PQexec(database, "set plan_cache_mode = force_generic_plan");
  PGresult *prepared = PQprepare(database, "page", QUERY, 2, NULL);
  int is_ready = PQresultStatus(prepared) == PGRES_COMMAND_OK;
  if (!is_ready) fprintf(stderr, "%s", PQerrorMessage(database));
  PQclear(set);
  PQclear(prepared);
  if (is_ready) return database;
  PQfinish(database);
  return NULL;
}

/* One client, one request after the other; a request comes without a body. */
static void *serve(void *given) {
  int client = (int)(long)given;
  char request[REQUEST];
  size_t length = 0;
  struct text body = {0}, whole = {0};
  PGconn *database = open_database();
  while (database && length < sizeof request - 1) {
    ssize_t got = read(client, request + length, sizeof request - 1 - length);
    if (got <= 0) break;
    length += (size_t)got;
    request[length] = 0;
    if (!strstr(request, "\r\n\r\n")) continue;
    if (!answer(client, database, request, &body, &whole)) break;
    length = 0;
  }
  free(body.bytes);
  free(whole.bytes);
  if (database) PQfinish(database);
  close(client);
  return NULL;
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  int door = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
  struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(getenv("PORT")))};
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(door, (struct sockaddr *)&place, sizeof place) != 0 || listen(door, 128) != 0) return 1;
  for (;;) {
    int client = accept(door, NULL, NULL);
    pthread_t thread;
    if (client < 0) continue;
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (pthread_create(&thread, NULL, serve, (void *)(long)client) == 0)
      pthread_detach(thread);
    else
      close(client);
  }
}
