import type { Message } from './rpc.ts';

const TRACEPARENT = 'traceparent';
/** Version 00 of W3C Trace Context; ids of zeros alone are none. */
const FORM = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** What `_meta` of a message says of the trace that it is part of; null = nothing, or rubbish. */
export function traceparentOf({ _meta: meta }: Message['params']): string | null {
  if (typeof meta !== 'object' || meta === null) return null;
  const given = (meta as Record<string, unknown>)[TRACEPARENT];
  return typeof given === 'string' && FORM.test(given) ? given : null;
}

/** The parameters of a message without its trace, which differs from call to call. */
export function withoutTrace(params: Message['params']): Message['params'] {
  if (traceparentOf(params) === null) return params;
  const { [TRACEPARENT]: _, ...meta } = params._meta as Record<string, unknown>;
  return { ...params, _meta: meta };
}
