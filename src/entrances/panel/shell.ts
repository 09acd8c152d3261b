/** The page of the panel and its files, as `npm run panel` built them. */
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname } from 'node:path';
import type { People } from '../../features/people/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { fail } from '../../platform/failure.ts';
import { isId } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import { SITE_PAGES } from '../../platform/site-pages.ts';
import { type Asset, assetOnce, sendAsset } from '../assets.ts';
import { sendFailurePage } from '../failure-page.ts';
import { FIND_FIELD, FIND_PATH, foundAt } from '../find-order.ts';
import { noteFailure, sendRedirect } from '../http.ts';
import {
  addressOf,
  type Frame,
  frameOf,
  rememberedOrganization,
  rememberOrganization,
} from '../navigation.ts';
import { FRAME_STYLE_PATH } from '../page.ts';
import { frameHtml } from '../page-frame.ts';
import type { Surface } from '../surface.ts';
import { NOT_YOURS } from '../words.ts';
import { panelPage, preloadsHtml } from './preloads.ts';
import type { Manifest } from './screen-files.ts';

interface ShellParts {
  readonly people: People;
  readonly database: Database;
  readonly log: Log;
  readonly publicUrl: () => string;
  readonly clock: Clock;
}

const PANEL = SITE_PAGES.home.path;
const FILES = `${PANEL}/assets/`;
const BUILT = new URL('../../../panel/dist/', import.meta.url);
const TYPES: Readonly<Record<string, string>> = { '.css': 'text/css', '.js': 'text/javascript' };
const NOT_BUILT =
  'Falta construir el panel: en la carpeta del proyecto, npm ci y después npm run panel.';

/** The page, behind the session, and its files, which hold no data and need none. */
export function openShell(parts: ShellParts): Surface[] {
  const files = openFiles();
  const surface = (
    prefix: string,
    answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  ): Surface => ({
    prefix,
    handle: (request, response) =>
      void answer(request, response).catch((error) => {
        const failure = noteFailure(parts.log, request, error, 'panel not served');
        sendFailurePage(request, response, failure);
      }),
  });
  return [
    surface(FILES, async (request, response) => {
      const name = pathOf(request).slice(FILES.length);
      sendAsset(request, response, await files(name), "default-src 'none'", 'hashed');
    }),
    surface(PANEL, (request, response) => answerPage(parts, request, response)),
    {
      ...surface('/', (request, response) => answerRoot(parts, request, response)),
      isForPages: true,
    },
  ];
}

async function answerRoot(
  { people }: ShellParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const person = await people.signedIn(request.headers);
  sendRedirect(response, person ? PANEL : SITE_PAGES.signIn.path);
}

async function answerPage(
  parts: ShellParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!['GET', 'HEAD'].includes(request.method ?? ''))
    throw fail('method_not_allowed', { headers: { allow: 'GET, HEAD' } });
  const url = request.url ?? PANEL;
  const person = await parts.people.signedIn(request.headers);
  if (!person)
    return sendRedirect(response, `${SITE_PAGES.signIn.path}?volver=${encodeURIComponent(url)}`);
  const [, , named = ''] = pathOf(request).split('/');
  const asked = isId(named) ? named : null;
  const preferred = asked ?? rememberedOrganization(request.headers.cookie);
  const frame = await parts.database.read((handle) => frameOf(handle, person, [preferred]));
  const { membership } = frame;
  if (!membership) return sendRedirect(response, SITE_PAGES.account.path);
  const { id } = membership.organization;
  if (asked === null)
    return sendRedirect(response, addressOf('home', id) + url.slice(PANEL.length));
  if (asked !== id) throw fail('not_found', { message: NOT_YOURS });
  response.setHeader('set-cookie', rememberOrganization(id, parts.publicUrl()));
  const below = pathOf(request).slice(addressOf('home', id).length);
  if (below === FIND_PATH) return answerFind(frame, url, response);
  await sendShell(response, {
    preloads: (manifest) =>
      preloadsHtml(manifest, {
        page: panelPage(below),
        reader: membership,
        hasQuery: url.includes('?'),
      }),
    drawn: frameHtml(frame, PANEL + below.replace(/\/$/, ''), parts.clock.now()).html,
  });
}

/** @throws Failure not_found where the reader has no orders */
function answerFind(frame: Frame, url: string, response: ServerResponse): void {
  const { searchParams } = new URL(url, 'http://panel');
  const found = foundAt(frame, searchParams.get(FIND_FIELD) ?? '');
  if (found === null) throw fail('not_found');
  sendRedirect(response, found);
}

interface Drawn {
  readonly preloads: (manifest: Manifest) => string;
  /** The frame, shown until the panel draws it. */
  readonly drawn: string;
}

async function sendShell(response: ServerResponse, { preloads, drawn }: Drawn): Promise<void> {
  const nonce = randomBytes(16).toString('base64');
  const [page, manifest] = await Promise.all(
    ['index.html', 'manifest.json'].map((name) => readFile(new URL(name, BUILT), 'utf8')),
  ).catch(notBuilt);
  const values: Readonly<Record<string, string>> = {
    nonce,
    drawn,
    frame: FRAME_STYLE_PATH,
    preloads: preloads(JSON.parse(manifest ?? '')),
  };
  const body = (page ?? '').replaceAll(/\{\{(\w+)\}\}/g, (_, name) => values[name] ?? '');
  response.writeHead(200, {
    'content-security-policy': policyWith(nonce),
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

/** The component library writes style elements, each with the nonce of this answer. */
function policyWith(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The files as they were built; built anew while the server runs, they have other names. */
function openFiles(): (name: string) => Promise<Asset> {
  const files = new Map<string, () => Promise<Asset>>();
  const folder = new URL('assets/', BUILT);
  return async (name) => {
    if (!files.has(name))
      for (const built of await readdir(folder).catch(notBuilt))
        if (!files.has(built)) files.set(built, fileIn(folder, built));
    const load = files.get(name);
    if (!load) throw fail('not_found');
    return load();
  };
}

function fileIn(folder: URL, name: string): () => Promise<Asset> {
  const type = TYPES[extname(name)] ?? 'application/octet-stream';
  return assetOnce(
    type,
    () => readFile(new URL(name, folder)),
    () => readFile(new URL(`${name}.br`, folder)),
  );
}

function notBuilt(): never {
  throw fail('service_unavailable', { message: NOT_BUILT });
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?', 1)[0] ?? '/';
}
