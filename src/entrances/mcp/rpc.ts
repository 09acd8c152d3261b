import type { ServerResponse } from 'node:http';
import type { Failure } from '../../platform/failure.ts';
import { utf8Of } from '../../platform/text.ts';
import { type ErrorContext, sendJson, sentenceFor } from '../http.ts';

/** The protocol's own codes, and one for every rule of ours, which `data.code` names. */
const CODES = {
  parse: -32_700,
  request: -32_600,
  method: -32_601,
  internal: -32_603,
  ours: -32_000,
} as const;

/** What the protocol looks at of a request's headers, names in lower case. */
export type HeaderPairs = readonly (readonly [name: string, value: string])[];

/** A JSON-RPC message as far as the way to its handler needs it; the SDK checks the rest. */
export interface Message {
  readonly id: string | number | null;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** As it was parsed. */
  readonly whole: object;
}

type Read = { readonly message: Message } | { readonly fault: RpcFault };

/** What cannot be handed to the SDK, with the protocol's answer to it. */
interface RpcFault {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly id: Message['id'];
}

/**
 * Reads one message; batches left the protocol in June 2025, and one request is one of the quota.
 */
export function readMessage(bytes: Uint8Array): Read {
  const text = utf8Of(bytes);
  if (text === null) return fault(CODES.parse, 'Parse error: el cuerpo no está en UTF-8.');
  let whole: unknown;
  try {
    whole = JSON.parse(text);
  } catch {
    return fault(CODES.parse, 'Parse error: el cuerpo no es JSON.');
  }
  if (Array.isArray(whole))
    return fault(
      CODES.request,
      'Invalid Request: un mensaje por solicitud; los lotes no se admiten.',
    );
  if (typeof whole !== 'object' || whole === null)
    return fault(CODES.request, 'Invalid Request: el cuerpo debe ser un mensaje JSON-RPC.');
  const { id, method, params } = whole as Record<string, unknown>;
  return {
    message: {
      id: typeof id === 'string' || typeof id === 'number' ? id : null,
      method: typeof method === 'string' ? method : '',
      params: typeof params === 'object' && params !== null ? (params as Message['params']) : {},
      whole,
    },
  };
}

export function methodNotFound(id: Message['id']): RpcFault {
  return { status: 404, code: CODES.method, message: 'Method not found', id };
}

function fault(code: number, message: string): Read {
  return { fault: { status: 400, code, message, id: null } };
}

export function sendFault(response: ServerResponse, { status, code, message, id }: RpcFault): void {
  sendJson(response, status, JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }));
}

/** A rule of ours said no: the same code and sentence as in REST, in the protocol's envelope. */
export function sendRefusal(
  response: ServerResponse,
  failure: Failure,
  context: ErrorContext,
  id: Message['id'],
): void {
  const { status, code, details, headers } = failure;
  const error = {
    code: status >= 500 ? CODES.internal : CODES.ours,
    message: sentenceFor(failure, context),
    data: { code, request_id: context.id, ...(details && { details }) },
  };
  sendJson(response, status, JSON.stringify({ jsonrpc: '2.0', id, error }), headers);
}
