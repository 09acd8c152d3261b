import type { Socket } from 'node:net';
import type { Quota } from '../features/quota/index.ts';
import type { Settings } from '../platform/config.ts';
import type { Failure } from '../platform/failure.ts';
import { failureBody, quotaHeaders, type RequestContext, securityHeaders } from './http.ts';

const LINGER_MS = 1_000;

/** Writes a failure to a connection that has no response: same envelope and headers as others. */
export function failAtSocket(
  { quota, settings }: { readonly quota: Quota; readonly settings: Settings },
  failure: Failure,
  socket: Socket,
  context: RequestContext,
): void {
  const body = failureBody(failure, context);
  const headers = {
    ...failure.headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': context.id,
    ...quotaHeaders(context.quota ?? quota.peekFailures(context.address)),
    ...securityHeaders(settings),
    connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  endSocket(
    socket,
    `HTTP/1.1 ${failure.status} ${failure.code}\r\n${head.join('\r\n')}\r\n\r\n${body}`,
  );
}

/**
 * Ends a connection after its last bytes. It is destroyed later: with bytes still unread, the
 * system would reset it and discard the answer.
 */
export function endSocket(socket: Socket, last = ''): void {
  socket.end(last);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
