import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Probe, Probed } from '../exchange/probe/probe-connection.ts';
import { connectionByAddress, type SealedConnection } from '../features/connections/index.ts';
import type { Database } from '../platform/db/database.ts';
import { fail } from '../platform/failure.ts';
import { type Command, inContext, isUuid } from './command.ts';

export const probeCommand: Command = {
  usage: 'probe --connection ID [--keep CARPETA]',
  about:
    'Hace una vez cada consulta documentada de una cuenta, sin cambiar nada, y dice qué contestó y qué no conocemos. Con --keep ' +
    'guarda los documentos sin datos personales.',
  options: ['connection', 'keep'],
  required: ['connection'],
  async run({ connection: id, keep }) {
    const { probe, kept } = await inContext(async ({ database, exchange }) => {
      const connection = await connected(database, id);
      // Loaded here: most commands call no marketplace.
      const { probeConnection } = await import('../exchange/probe/probe-connection.ts');
      const probe = await probeConnection(await exchange(), connection);
      return {
        probe,
        kept: keep === undefined ? [] : await storeAll(keep, connection.service, probe),
      };
    });
    const isClean = probe.reads.every(({ outcome }) => outcome === 'answered');
    return {
      json: { reads: probe.reads, kept },
      text: [
        ...probe.reads.map(describe),
        ...(kept.length > 0 ? [`Documentos: ${kept.length} en ${keep}.`] : []),
      ].join('\n\n'),
      exitCode: isClean ? 0 : 1,
    };
  },
};

/** @throws Failure not_found */
async function connected(database: Database, id: string | undefined): Promise<SealedConnection> {
  const found = isUuid(id)
    ? await database.read((handle) => connectionByAddress(handle, id))
    : null;
  if (!found || found.state === 'disconnected')
    throw fail('not_found', { message: 'No hay una cuenta conectada con ese identificador.' });
  return found;
}

async function storeAll(folder: string, service: string, { documents }: Probe): Promise<string[]> {
  const target = join(folder, service);
  await mkdir(target, { recursive: true });
  for (const { name, text } of documents) await writeFile(join(target, name), text);
  return documents.map(({ name }) => join(target, name));
}

const OUTCOMES: Readonly<Record<Probed['outcome'], string>> = {
  answered: 'contestó',
  refused: 'no contestó',
  unreadable: 'contestó algo que no entendemos',
};

function describe({
  read,
  outcome,
  reason,
  calls,
  items,
  set_aside,
  unknown_words,
}: Probed): string {
  const lines = [
    `${read}: ${OUTCOMES[outcome]}${reason ? ` (${reason})` : ''}; ${items} elementos`,
  ];
  for (const { method, path, status, unknown_fields, missing_fields } of calls) {
    lines.push(`  ${method} ${path} → ${status ?? 'no se hizo'}`);
    if (unknown_fields.length > 0)
      lines.push(`    campos que no leemos: ${unknown_fields.join(', ')}`);
    if (missing_fields.length > 0)
      lines.push(`    campos que no vienen: ${missing_fields.join(', ')}`);
  }
  if (unknown_words.length > 0)
    lines.push(`  palabras que no conocemos: ${unknown_words.join(', ')}`);
  for (const { external_id, reason: why } of set_aside)
    lines.push(`  apartado: ${external_id ?? 'sin id'} (${why})`);
  return lines.join('\n');
}
