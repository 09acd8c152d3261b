import { type AgentRequest, type CallParts, callTool } from './call.ts';
import { type Envelope, enclosed, envelopeOf, openEnvelopeCache, shapeOf } from './envelope.ts';
import type { HeaderPairs, Message } from './rpc.ts';
import { openSdk } from './server.ts';

export interface Answer {
  readonly status: number;
  readonly type: string | null;
  readonly body: Buffer | string;
}

/** Answers messages of admitted agents, in every revision of the protocol that is served. */
export type AnswerMessage = (
  message: Message,
  headers: HeaderPairs,
  request: AgentRequest,
) => Promise<Answer>;

/**
 * The SDK validates and answers every message, but of a tool call it writes the envelope alone, and
 * a call of a shape that it has validated before gets the envelope that it wrote then.
 */
export function openProtocol(parts: CallParts): AnswerMessage {
  const ask = openSdk();
  const envelopes = openEnvelopeCache();

  async function call(
    envelope: Envelope,
    ...[message, headers, request]: Parameters<AnswerMessage>
  ): Promise<Answer> {
    const { name, arguments: given } = message.params;
    const outcome = await callTool(parts, request, String(name), given);
    if ('refusal' in outcome) return ask(message, headers, outcome.refusal);
    return { status: 200, type: 'application/json', body: enclosed(envelope, outcome) };
  }

  return async (message, headers, request) => {
    const shape = shapeOf(headers, message);
    const known = shape === null ? null : envelopes.find(shape, message.id);
    if (known) return call(known, message, headers, request);
    const answer = await ask(message, headers, null);
    const envelope = envelopeOf(answer.body);
    if (envelope === null) return answer;
    if (shape !== null) envelopes.learn(shape, message.id, envelope);
    return call(envelope, message, headers, request);
  };
}
