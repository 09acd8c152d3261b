import type { IncomingHttpHeaders } from 'node:http';
import type { AuthAnswer, AuthCall, People, SignedIn } from '../../features/people/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CursorMaker } from '../../platform/cursor.ts';
import type { Database } from '../../platform/db/database.ts';
import { Failure, fail } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import type { Postbox } from '../../platform/mail.ts';
import type { Operator } from '../../platform/operator.ts';
import type { Queue } from '../../platform/queue.ts';
import { SITE_PAGES } from '../../platform/site-pages.ts';
import type { Page } from '../page.ts';
import { failureOf } from './words.ts';

export interface PeoplePageParts {
  readonly people: People;
  readonly database: Database;
  readonly clock: Clock;
  readonly cursors: CursorMaker;
  readonly log: Log;
  readonly postbox: Postbox;
  readonly queue: Pick<Queue, 'enqueue'>;
  readonly publicUrl: () => string;
}

/** One request for a page, read. */
export interface PageRequest extends PeoplePageParts {
  readonly headers: IncomingHttpHeaders;
  readonly address: string;
  readonly operator: Operator;
  readonly query: URLSearchParams;
  /** A form was sent: the request is a POST. */
  readonly isForm: boolean;
  /** Empty for a GET. */
  readonly form: URLSearchParams;
}

/** A page, or the way to another one. */
export type Reply = (Page | { readonly to: string; readonly headers?: Page['headers'] }) & {
  readonly cookies?: readonly string[];
};

export type Handler = (request: PageRequest) => Promise<Reply>;

const HOME = SITE_PAGES.home.path;
const NOWHERE = 'http://tianguis.invalid';

/** Where `volver` leads: a path of this instance, whatever was written there. */
export function returnPath(given: string | null): string {
  if (given === null || !given.startsWith('/') || /[^\x21-\x7e]|\\/.test(given)) return HOME;
  const url = URL.parse(given, NOWHERE);
  // What begins with two slashes is another host to a browser, also once its dots are resolved.
  if (url?.origin !== NOWHERE || url.pathname.startsWith('//')) return HOME;
  return url.pathname + url.search;
}

/** The same page with where to go afterwards. */
export function withReturn(path: string, to: string): string {
  return to === HOME ? path : `${path}?volver=${encodeURIComponent(to)}`;
}

/** What was typed; '' where nothing was. */
export function typed({ form }: PageRequest, name: string): string {
  return form.get(name) ?? '';
}

/** Asks better-auth. @throws Failure with a Spanish sentence when it refuses */
export async function ask(
  request: PageRequest,
  path: string,
  body?: object,
  method: AuthCall['method'] = 'POST',
): Promise<AuthAnswer> {
  const { people, headers, address } = request;
  const call = { path, method, headers, address };
  const answer = await people.ask(method === 'POST' ? { ...call, body: body ?? {} } : call);
  const failure = failureOf(answer);
  if (failure) throw failure;
  return answer;
}

/** A page that renews itself keeps no session alive. */
export function sessionUse(headers: IncomingHttpHeaders): 'attended' | 'unattended' {
  return headers['x-unattended'] === undefined ? 'attended' : 'unattended';
}

/** @throws Failure session_required */
export async function signedInPerson({ people, headers }: PageRequest): Promise<SignedIn> {
  const person = await people.signedIn(headers);
  if (!person) throw fail('session_required');
  return person;
}

/** Shows the page again with what is wrong; what is no refusal of ours goes on. */
export async function orShowAgain(
  work: () => Promise<Reply>,
  again: (failure: Failure) => Reply | Promise<Reply>,
): Promise<Reply> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure) || error.status >= 500) throw error;
    const reply = await again(error);
    return { ...reply, ...('to' in reply ? {} : { status: error.status }), headers: error.headers };
  }
}
