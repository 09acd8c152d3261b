import type { Edit } from './edited-sources.ts';

/** What a trick is measured with. */
export type LoadName = 'page' | 'poll' | 'call' | 'events' | 'record';

/** A piece of code that is there for speed alone. */
interface Trick {
  readonly name: string;
  /** Replace it with the plain way. */
  readonly without: readonly Edit[];
  readonly loads: readonly LoadName[];
  /** Nothing of it reaches the database, whose cost would only add noise. */
  readonly isOurs?: true;
}

const PROTOCOL = 'src/entrances/mcp/protocol.ts';
const NO_CACHE: Edit = {
  file: PROTOCOL,
  from: 'shape === null ? null : envelopes.find(shape, message.id)',
  to: 'null as ReturnType<typeof envelopes.find>',
};

export const TRICKS: readonly Trick[] = [
  {
    name: 'cache of response envelopes',
    without: [NO_CACHE],
    loads: ['call'],
  },
  {
    name: 'the same, and the mark in the place of the answer',
    without: [
      NO_CACHE,
      {
        file: PROTOCOL,
        from: 'await ask(message, headers, null);',
        to: `await ask(message, headers, await plain());
             async function plain() {
               if (message.method !== 'tools/call') return null;
               const { name, arguments: given } = message.params;
               const outcome = await callTool(parts, request, String(name), given);
               if ('refusal' in outcome) return outcome.refusal;
               const text = outcome.json;
               return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) };
             }`,
      },
    ],
    loads: ['call'],
  },
  {
    name: 'rows of texts read past the driver',
    without: [
      {
        file: 'src/platform/db/handle.ts',
        from: 'readTexts(client, { name: nameOf(name), text }, sent)',
        to: `client.query({ name: nameOf(name), text, values: sent, rowMode: 'array' })
               .then(({ rows }) => rows as unknown as TextRow[])`,
      },
    ],
    loads: ['page'],
  },
  {
    name: 'statements of one turn in one packet',
    without: [
      {
        file: 'src/platform/db/pipeline.ts',
        from: 'if (stream.writableCorked > 0) return;',
        to: 'if (stream.writableCorked >= 0) return;',
      },
    ],
    loads: ['record', 'events'],
  },
  {
    name: 'answers of one turn written together',
    without: [
      {
        file: 'src/entrances/http.ts',
        from: "endTogether(() => super.end(...(given as Parameters<ServerResponse['end']>)));",
        to: "super.end(...(given as Parameters<ServerResponse['end']>));",
      },
    ],
    loads: ['page', 'poll'],
    isOurs: true,
  },
  {
    name: 'requests that no object literal holds',
    without: [
      {
        file: 'src/entrances/time-limit.ts',
        from: '      abort();',
        to: '      deadline.abort();',
      },
      {
        file: 'src/entrances/time-limit.ts',
        from: 'setTimeout(answer, GRACE_MS)',
        to: 'setTimeout(() => deadline.answer(), GRACE_MS)',
      },
      {
        file: 'src/entrances/time-limit.ts',
        from: '    let timer =',
        to: '    const deadline = { abort, answer };\n    let timer =',
      },
    ],
    loads: ['page', 'poll', 'call'],
    isOurs: true,
  },
  {
    name: 'polls with nothing new answered from memory',
    without: [
      {
        file: 'src/entrances/rest/v1.ts',
        from: 'emptyPage(clock, query.updatedSince);',
        to: 'null as ReturnType<typeof emptyPage>;',
      },
    ],
    loads: ['poll'],
  },
  {
    name: 'numbers of JSON restored from one scan',
    without: [
      {
        file: 'src/platform/json.ts',
        from: '  const root = { document: JSON.parse(text) as unknown };',
        to: `  if (text) return JSON.parse(text, (_, value, { source }) =>
                 typeof value === 'number' ? Lossless.rawJSON(source) : value);
               const root = { document: JSON.parse(text) as unknown };`,
      },
    ],
    loads: ['record'],
    isOurs: true,
  },
];
