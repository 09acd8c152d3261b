import { checkOrdersJob } from '../exchange/jobs/check-orders.ts';
import type { OrderCheck } from '../exchange/sync/check-orders.ts';
import { invalid } from '../platform/failure.ts';
import { type Command, inContext } from './command.ts';
import { meant } from './connections.ts';
import { handOver } from './hand-over.ts';

const DAYS = 7;
const MOST_DAYS = 90;

export const checkOrdersCommand: Command = {
  usage:
    'check-orders (--connection ID | --organization ID --marketplace SLUG [--account CUENTA]) [--days N]',
  about:
    'Compara las órdenes que lista el marketplace con las guardadas, y lee las que faltan. Sin --days, de los últimos 7 días.',
  options: ['connection', 'organization', 'marketplace', 'account', 'days'],
  required: [],
  async run(args) {
    const days = daysOf(args.days);
    const check = await inContext(async (context) => {
      const { id, organizationId } = await meant(context.database, args, checkOrdersCommand.usage);
      return handOver(context, checkOrdersJob, { organizationId, connectionId: id, days });
    });
    return { json: jsonOf(check, days), text: textOf(check) };
  },
};

/** @throws Failure invalid_request */
function daysOf(text = String(DAYS)): number {
  const days = Number(text);
  if (!/^\d{1,3}$/.test(text) || days < 1 || days > MOST_DAYS)
    throw invalid('days', `--days debe ser un número del 1 al ${MOST_DAYS}.`);
  return days;
}

function jsonOf({ hasList, listed, missing, stopped }: OrderCheck, days: number) {
  return { days, has_list: hasList, listed, missing, stopped };
}

const WORDS: Readonly<Record<OrderCheck['missing'][number]['outcome'], string>> = {
  fetched: 'faltaba y ya se leyó',
  unreadable: 'falta: no se pudo leer y quedó apartada',
  not_given: 'falta: el marketplace la lista, pero no la entregó',
  not_tried: 'falta: no se alcanzó a leer',
};

function textOf({ hasList, listed, missing, stopped }: OrderCheck): string {
  if (!hasList) return 'Este servicio no tiene una lista de órdenes con la cual comparar.';
  const lines = missing.map(({ id, outcome }) => `${id}: ${WORDS[outcome]}`);
  const total = `El marketplace lista ${listed} órdenes y faltaban ${missing.length}.`;
  return [total, ...lines, ...(stopped ? [stopped] : [])].join('\n');
}
