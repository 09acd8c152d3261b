import { distribute } from '../platform/db/distribute.ts';
import { invalid } from '../platform/failure.ts';
import { type Command, inContext } from './command.ts';

const USUAL_SHARDS = '32';
const MOST_SHARDS = 1_024;

export const distributeCommand: Command = {
  usage: 'distribute [--shards N] [--with-rows]',
  about:
    'Reparte los datos de las organizaciones entre los servidores de un coordinador Citus. Se puede repetir.',
  options: ['shards', 'with-rows'],
  flags: ['with-rows'],
  required: [],
  async run({ shards = USUAL_SHARDS, 'with-rows': withRows }) {
    const count = Number(shards);
    if (!Number.isInteger(count) || count < 1 || count > MOST_SHARDS)
      throw invalid('shards', `--shards debe ser un entero entre 1 y ${MOST_SHARDS}.`);
    const tables = await inContext(({ database }) =>
      distribute(database, { shards: count, withRows: withRows !== undefined }),
    );
    return {
      json: { distributed: tables },
      text:
        tables.length > 0
          ? `Tablas repartidas: ${tables.join(', ')}.`
          : 'Todas las tablas ya están repartidas.',
    };
  },
};
