/** Calls the operations of the contract; inputs and answers are typed by it. */
import type { Contract, OperationName } from '../../src/entrances/panel/contract.ts';
import { listText } from './address.ts';
import { isUnattended } from './attention.ts';
import { words } from './words.ts';

type OfKind<Kind> = {
  [Name in OperationName]: Contract[Name]['kind'] extends Kind ? Name : never;
}[OperationName];
export type ReadName = OfKind<'read' | 'poll'>;
export type WriteName = OfKind<'write'>;
export type Input<Name extends OperationName> = Contract[Name]['input'];
export type Output<Name extends OperationName> = Contract[Name]['output'];

/** What a call was refused with, or why it never arrived. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure';
  /** Of the API's codes; `offline` = the request did not arrive. */
  readonly code: string;
  /** The field at fault; null = none. */
  readonly param: string | null;
  readonly requestId: string | null;

  constructor(code: string, message: string, param: string | null, requestId: string | null) {
    super(message);
    this.code = code;
    this.param = param;
    this.requestId = requestId;
  }
}

const [, PANEL = 'panel', ORGANIZATION = ''] = location.pathname.split('/');

/** The organisation of this page; another one is another page. */
export const organizationId = ORGANIZATION;

/** Asks for something. @throws CallFailure */
export function read<Name extends ReadName>(
  name: Name,
  input: Input<Name>,
  signal?: AbortSignal,
): Promise<Output<Name>> {
  const query = queryOf(input);
  return send(`${addressOf(name)}${query === '' ? '' : `?${query}`}`, {
    signal: signal ?? null,
    headers: isUnattended() ? { 'x-unattended': '1' } : {},
  });
}

/** Changes something. @throws CallFailure */
export function change<Name extends WriteName>(
  name: Name,
  input: Input<Name>,
): Promise<Output<Name>> {
  return send(addressOf(name), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });
}

/** As the query of an address: a list by commas, as the API reads it. */
export function queryOf(input: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined || value === null || value === '') continue;
    if (!Array.isArray(value)) query.set(name, String(value));
    else if (value.length > 0) query.set(name, listText(value));
  }
  return query.toString();
}

function addressOf(name: OperationName): string {
  return `/${PANEL}/api/${organizationId}/${name}`;
}

async function send<Answer>(address: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(address, init).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    throw new CallFailure('offline', words.failures.offline, null, null);
  });
  const requestId = response.headers.get('x-request-id');
  const body = await response.json().catch(() => null);
  if (response.ok && body !== null) return withoutMeta(body);
  const {
    code = 'internal_error',
    message = words.failures.unknown,
    param = null,
  } = body?.error ?? {};
  throw new CallFailure(code, message, param, requestId);
}

/** The id of a request would make each answer of a poll another one, and draw its screen again. */
function withoutMeta<Answer>({ meta: _, ...answer }: Answer & { meta: unknown }): Answer {
  return answer as unknown as Answer;
}
