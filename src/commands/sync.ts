import { STREAMS, type StreamName } from '../connectors/contract.ts';
import { syncNowJob } from '../exchange/jobs/sync-now.ts';
import type { SyncedStream } from '../exchange/sync/sync-organization.ts';
import { fail, invalid } from '../platform/failure.ts';
import { type Command, inContext, organizationOf } from './command.ts';
import { slugOf } from './connect.ts';
import { handOver } from './hand-over.ts';

export const syncCommand: Command = {
  usage: 'sync --organization ID [--marketplace SLUG] [--stream ORDERS]',
  about: 'Sincroniza ahora, hasta el final.',
  options: ['organization', 'marketplace', 'stream'],
  required: ['organization'],
  async run({ organization: id, marketplace, stream }) {
    const slug = marketplace === undefined ? null : slugOf(marketplace);
    const wanted = stream === undefined ? null : streamOf(stream);
    const json = await inContext(async (context) => {
      const { id: organizationId } = await organizationOf(context.database, id);
      return handOver(context, syncNowJob, { organizationId, service: slug, stream: wanted });
    });
    const failed = json.streams.filter(({ error }) => error !== undefined);
    if (failed.length > 0)
      throw fail('upstream_error', { message: failed.map(sentence).join('\n'), details: json });
    return {
      json,
      text:
        json.streams.length === 0
          ? 'No hay cuentas activas que sincronizar.'
          : json.streams.map(sentence).join('\n'),
    };
  },
};

function streamOf(text: string): StreamName {
  const stream = STREAMS.find((known) => known === text);
  if (!stream) throw invalid('stream', `--stream debe ser uno de: ${STREAMS.join(', ')}.`);
  return stream;
}

function sentence({
  marketplace,
  stream,
  pages,
  items,
  changed,
  unreadable,
  error,
}: SyncedStream): string {
  if (error !== undefined) return `${marketplace} ${stream}: ${error}`;
  const read = [counted(pages, 'página'), counted(items, 'leído'), `${changed} con cambios`];
  return `${marketplace} ${stream}: ${[...read, counted(unreadable, 'ilegible')].join(', ')}`;
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
