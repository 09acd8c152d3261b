import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import pg from 'pg';

// The least that can give the same answers: node:http and pg, without checks. Arguments: which peer.

const { PORT, DATABASE_URL, ORGANIZATION, KEY = '' } = process.env;
const NEWEST_FIRST = 'newest_first, marketplace, account_id, id';
const PAGE = `select list_json, last_updated::text as last_updated, ${NEWEST_FIRST} from orders where organization_id = $1`;
const FIRST = { name: 'first', text: `${PAGE} order by ${NEWEST_FIRST} limit $2` };
const NEXT = {
  name: 'next',
  text: `${PAGE} and (${NEWEST_FIRST}) > ($3, $4, $5, $6) order by ${NEWEST_FIRST} limit $2`,
};
const META = ',"meta":{"request_id":"req_0mhyk3p0a0123456789abcdef","as_of":"2026-11-21T00:00:00.000001Z"}}';

interface Row {
  readonly list_json: string;
  readonly last_updated: string;
  readonly newest_first: string;
  readonly marketplace: string;
  readonly account_id: string;
  readonly id: string;
}

/** Pages of stored orders; `?limit=50`, and `&after=` for the page after a key. */
function pages() {
  const pool = new pg.Pool({ connectionString: DATABASE_URL as string, max: 12 });
  return async (url: string, response: ServerResponse) => {
    const [, limit = '50', after] = /limit=(\d+)(?:&after=(.*))?/.exec(url) ?? [];
    const most = Number(limit);
    const key = after ? JSON.parse(Buffer.from(after, 'base64url').toString()) : [];
    const query = after ? NEXT : FIRST;
    const { rows } = await pool.query<Row>({ ...query, values: [ORGANIZATION, most + 1, ...key] });
    const page = rows.slice(0, most);
    const last = rows.length > most ? page.at(-1) : undefined;
    const data = page
      .map((row) => `${row.list_json.slice(0, -1)},"last_updated":"${row.last_updated}"}`)
      .join();
    const cursor = last ? `"${cursorOf(last)}"` : 'null';
    send(response, `{"data":[${data}],"pagination":{"next_cursor":${cursor},"has_more":${!!last}}${META}`);
  };
}

function cursorOf({ newest_first, marketplace, account_id, id }: Row): string {
  return Buffer.from(JSON.stringify([newest_first, marketplace, account_id, id])).toString('base64url');
}

/** The empty page for whoever has the key: its hash is looked up, nothing more. */
function hello() {
  const keys = new Map([[hash(KEY), ORGANIZATION]]);
  const body = `{"data":[],"pagination":{"next_cursor":null,"has_more":false}${META}`;
  return (_url: string, response: ServerResponse, authorization: string) => {
    if (keys.has(hash(authorization.slice('Bearer '.length)))) return send(response, body);
    response.writeHead(401).end();
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

const answer = process.argv[2] === 'hello' ? hello() : pages();
const server = createServer((request, response) =>
  answer(request.url ?? '', response, request.headers.authorization ?? ''),
);
server.listen(Number(PORT), '127.0.0.1');
process.once('SIGTERM', () => process.exit());
