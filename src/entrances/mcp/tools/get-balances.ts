import { z } from 'zod';
import { CARRIERS } from '../../../carriers/contract.ts';
import { serviceName } from '../../../carriers/registry.ts';
import { MARKETPLACES, type Marketplace } from '../../../connectors/contract.ts';
import {
  BALANCE_FILTERS,
  type Balance,
  type BalanceQuery,
  isCarrierPurse,
  listBalances,
  missingFieldsOf,
  PURSE,
} from '../../../features/balances/index.ts';
import type { Offer } from '../../../features/connections/index.ts';
import { type LastPayout, lastPayoutOf, WITH_LAST_PAYOUT } from '../../../features/ledger/index.ts';
import { document, IN_ANSWERS, membersOf, writerOf } from '../../../platform/documents.ts';
import { list, text } from '../../../platform/fields.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { emptyBecause } from '../empty-because.ts';
import { rowOf, written } from '../rows.ts';
import { defineTool, LIST_OUTPUT, PART_INPUT, type ToolCall } from '../tool.ts';
import { Unavailable, unavailable } from '../unavailable.ts';

const input = inputOf({ ...BALANCE_FILTERS, ...PART_INPUT });

const missing = membersOf<Missing>();
const MISSING = {
  field: missing.brief('field', text('El importe que se desconoce.', 'pending')),
  reason: missing.brief('reason', text('Por qué.', 'Mercado Libre no informa este dato.')),
};
const ROW = {
  ...PURSE,
  ...WITH_LAST_PAYOUT,
  missing: membersOf<Balance>().brief(
    missingOf,
    list(
      'Los importes null que se desconocen, y por qué. Ninguno significa 0.',
      document('Un importe.', MISSING),
    ),
    IN_ANSWERS,
  ),
};
interface Standing extends Balance {
  readonly lastPayout: LastPayout | null;
}
const writeRow = writerOf<Standing>(ROW);

export const getBalancesTool = defineTool({
  name: 'get_balances',
  title: 'Consultar saldos',
  description:
    'Saldos y saldo: dinero, efectivo o lana por cuenta: disponible, retirar, pendiente, ' +
    'retenido, por cobrar, recibir o liberar; deben, debe, pagan, pagar, libera, liberaron, ' +
    'liberarse, deposita, depositan, depositar; depósito o pago de marketplaces; saldo de prepago ' +
    `de guías y crédito en paqueterías (${CARRIERS.map(serviceName).join(', ')}). Sin historial. Sin informar: ` +
    'null o unavailable, nunca 0. Devuelve data, por ejemplo {"available":1500,"currency":"MXN"}.',
  scope: 'balances:read',
  stream: 'balances',
  input,
  output: z.object({
    data: z.array(rowOf<Standing>(ROW)).describe('Los saldos.'),
    empty_because: LIST_OUTPUT.empty_because,
    unavailable: Unavailable,
  }),
  counted: ['saldo', 'saldos'],
  rowsOf: ({ data }) => data.length,
  async run(call, given) {
    const { balances, offers } = await standingOf(call, given);
    const rows = [];
    for (const balance of balances)
      rows.push(writeRow({ ...balance, lastPayout: await lastPayout(call, balance) }, 'list'));
    return written(rows, {
      ...(balances.length === 0 && { empty_because: await whyEmpty(call, given, offers) }),
      unavailable: unavailable({
        what: 'los saldos',
        offers,
        hasSome: (offer) => balances.some((balance) => isOf(balance, offer)),
        asked: given.marketplace,
        operator: call.operator,
      }),
    });
  },
});

function standingOf({ scope }: ToolCall, { marketplace, includeCarriers }: BalanceQuery) {
  const marketplaces = marketplace.length === 0 ? MARKETPLACES : marketplace;
  return listBalances(scope, [...marketplaces, ...(includeCarriers ? CARRIERS : [])]);
}

/** Null where there is none, and of carriers. */
async function lastPayout({ scope, cursors }: ToolCall, balance: Balance) {
  if (isCarrierPurse(balance)) return null;
  const { service, accountId, currency } = balance;
  return lastPayoutOf(scope, cursors, { marketplace: service as Marketplace, accountId, currency });
}

interface Missing {
  readonly field: string;
  readonly reason: string;
}

function missingOf(balance: Balance): Missing[] {
  const reason = `${serviceName(balance.service)} no informa este dato.`;
  return missingFieldsOf(balance).map((field) => ({ field, reason }));
}

async function whyEmpty(
  call: ToolCall,
  { marketplace, includeCarriers }: BalanceQuery,
  offers: readonly Offer[],
): Promise<string> {
  return emptyBecause({
    filters: { marketplace, includeCarriers: includeCarriers ? null : false },
    isThereAny: async (asked) => {
      const query = { ...asked, includeCarriers: asked.includeCarriers ?? true };
      return (await standingOf(call, query)).balances.length > 0;
    },
    offers,
    rows: 'saldos',
    operator: call.operator,
  });
}

function isOf({ service, accountId }: Balance, offer: Offer): boolean {
  return service === offer.service && accountId === offer.accountId;
}
