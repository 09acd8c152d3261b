import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import pg from 'pg';

// The least that can give the same answers: node:http and pg, no checks. The argument says which
// peer.

const { PORT, DATABASE_URL = '', ORGANIZATION = '', KEY = '' } = process.env;
const KEYS = 'newest_first, marketplace, account_id, id';
const FROM = 'from orders where organization_id = $1';
const NEWEST = `order by ${KEYS} limit $2`;
// As long as the instance's own.
const CURSOR = 'x'.repeat(270);
const META =
  ',"meta":{"request_id":"req_0mhyk3p0a0123456789abcdef","as_of":"2026-11-21T00:00:00.000001Z"}}';

interface Row {
  readonly list_json: string;
  readonly newest_first: string;
  readonly marketplace: string;
  readonly account_id: string;
  readonly id: string;
}

const AS_SENT = { getTypeParser: () => (text: string) => text } as pg.CustomTypesConfig;

/** The database is closed before its peers are, who then need no word of it. */
function openPool(options = ''): pg.Pool {
  return new pg.Pool({ connectionString: DATABASE_URL, max: 12, options }).on('error', () => {});
}

/**
 * `/rows` and `/joined`: the newest orders, joined here or by the database; `/reported`: as agents get
 * them, as a structure and as text; `/walk`: any page, after a key.
 */
function pages() {
  // Without this the server plans every page anew, which takes longer than reading it.
  const options = '-c plan_cache_mode=force_generic_plan';
  const pool = openPool(options);
  const ask = async <Found>(name: string, text: string, values: unknown[]) =>
    (await pool.query<Found & pg.QueryResultRow>({ name, text, values: [ORGANIZATION, ...values] }))
      .rows;
  /** The quickest way of the driver for one column: no object a row, and nothing to be parsed. */
  const askTexts = async (name: string, text: string, values: unknown[]) => {
    const query = {
      name,
      text,
      values: [ORGANIZATION, ...values],
      rowMode: 'array' as const,
      types: AS_SENT,
    };
    return (await pool.query<[string]>(query)).rows;
  };

  const ways: Record<string, (limit: number, after: string) => Promise<string>> = {
    async rows(limit) {
      const rows = await askTexts('rows', `select list_json ${FROM} ${NEWEST}`, [limit + 1]);
      const texts = rows.slice(0, limit).join();
      return envelope(texts, rows.length > limit ? CURSOR : null);
    },
    async joined(limit) {
      const text = `select string_agg(list_json, e',\\n') as text, count(*) as count from (select list_json ${FROM} ${NEWEST}) as page`;
      const [page] = await ask<{ text: string; count: string }>('joined', text, [limit + 1]);
      const orders = page?.text ?? '';
      if (Number(page?.count) <= limit) return envelope(orders, null);
      return envelope(orders.slice(0, orders.lastIndexOf(',\n')), CURSOR);
    },
    async reported(limit) {
      const json = await (ways.rows as (typeof ways)[string])(limit, '');
      return `{"result":{"content":[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${json}},"jsonrpc":"2.0","id":1}`;
    },
    async walk(limit, after) {
      const key = after ? JSON.parse(Buffer.from(after, 'base64url').toString()) : [];
      const beyond = after ? `and (${KEYS}) > ($3, $4, $5, $6)` : '';
      const text = `select list_json, ${KEYS} ${FROM} ${beyond} ${NEWEST}`;
      const rows = await ask<Row>(after ? 'next' : 'first', text, [limit + 1, ...key]);
      return envelope(
        list(rows, limit),
        rows.length > limit ? cursorOf(rows[limit - 1] as Row) : null,
      );
    },
  };
  return async (
    url: string,
    response: ServerResponse,
    _authorization: string,
    request: IncomingMessage,
  ) => {
    if (request.method === 'POST') await request.toArray();
    const [, way = '', limit, after = ''] = /^\/(\w+)\?limit=(\d+)(?:&after=(.*))?/.exec(url) ?? [];
    send(response, (await ways[way]?.(Number(limit), after)) ?? '');
  };
}

function list(rows: readonly Row[], limit: number): string {
  return rows
    .slice(0, limit)
    .map((row) => row.list_json)
    .join();
}

function cursorOf({ newest_first, marketplace, account_id, id }: Row): string {
  return Buffer.from(JSON.stringify([newest_first, marketplace, account_id, id])).toString(
    'base64url',
  );
}

function envelope(orders: string, cursor: string | null): string {
  const next = cursor === null ? 'null' : `"${cursor}"`;
  return `{"data":[${orders}],"pagination":{"next_cursor":${next},"has_more":${cursor !== null}}${META}`;
}

/** The empty page for a valid key: its hash is looked up, nothing more. */
function hello() {
  const keys = new Map([[hash(KEY), ORGANIZATION]]);
  const body = envelope('', null);
  return (
    _url: string,
    response: ServerResponse,
    authorization: string,
    _request: IncomingMessage,
  ) => {
    if (keys.has(hash(authorization.slice('Bearer '.length)))) return send(response, body);
    response.writeHead(401).end();
  };
}

/** Every body is a row, committed before its 200. */
function commit() {
  const pool = openPool();
  const ready = pool.query(
    'create table if not exists bench.taken (id bigint generated always as identity, body text)',
  );
  const taken = { name: 'taken', text: 'insert into bench.taken (body) values ($1)' };
  const body = '{"received":true,"duplicate":false,"linked":true}';
  return async (
    _url: string,
    response: ServerResponse,
    _authorization: string,
    request: IncomingMessage,
  ) => {
    let text = '';
    for await (const part of request) text += part;
    await ready;
    await pool.query({ ...taken, values: [text] });
    send(response, body);
  };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function send(response: ServerResponse, body: string): void {
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

const PEERS = { hello, commit, pages };
const answer = PEERS[process.argv[2] as keyof typeof PEERS]();
createServer((request, response) =>
  answer(request.url ?? '', response, request.headers.authorization ?? '', request),
).listen(Number(PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit());
