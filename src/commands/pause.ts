import { pauseAccount, resumeAccount } from '../exchange/connect/pause.ts';
import { type Command, inContext } from './command.ts';
import { meant } from './connections.ts';

const WHICH = '(--connection ID | --organization ID --marketplace SLUG [--account CUENTA])';
const OPTIONS = ['connection', 'organization', 'marketplace', 'account'] as const;

export const pauseConnectionCommand = commandOf(
  `pause-connection ${WHICH}`,
  'Deja de sincronizar una cuenta, sin alertas, hasta que se reanude.',
  true,
);

export const resumeConnectionCommand = commandOf(
  `resume-connection ${WHICH}`,
  'Reanuda la sincronización de una cuenta en pausa y lee lo que cambió mientras tanto.',
  false,
);

function commandOf(usage: string, about: string, isPaused: boolean): Command {
  return {
    usage,
    about,
    options: OPTIONS,
    required: [],
    async run(args) {
      const { id, name } = await inContext(async ({ database }) => {
        const connection = await meant(database, args, usage);
        const change = isPaused ? pauseAccount : resumeAccount;
        await change({ database }, connection.organizationId, connection.id);
        return connection;
      });
      const word = isPaused ? 'Cuenta en pausa' : 'Cuenta reanudada';
      return { json: { connection_id: id, paused: isPaused }, text: `${word}: ${id} (${name}).` };
    },
  };
}
