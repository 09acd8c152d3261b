import { z } from 'zod';
import { CARRIERS } from '../../../carriers/contract.ts';
import { MARKETPLACES } from '../../../connectors/contract.ts';
import {
  BALANCE_FILTERS,
  type Balance,
  type BalanceQuery,
  listBalances,
  presentPurse,
  untoldOf,
} from '../../../features/balances/index.ts';
import type { Offer } from '../../../features/connections/index.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { emptyBecause } from '../empty-because.ts';
import { amount, defineTool, LIST_OUTPUT, nullable, type ToolCall } from '../tools.ts';
import { nameOf, Unavailable, unavailable } from '../unavailable.ts';

const input = inputOf(BALANCE_FILTERS);

const Purse = z.object({
  marketplace: nullable(z.enum(MARKETPLACES)).describe('null si el saldo está en una paquetería.'),
  carrier: nullable(z.enum(CARRIERS)).describe('null si el saldo está en un marketplace.'),
  account_id: z.string(),
  purse: nullable(z.string()).describe(
    'El nombre que le da el marketplace; null si la cuenta solo tiene uno.',
  ),
  currency: z.string().describe('Los importes de monedas distintas no se suman.'),
  available: nullable(amount('Se puede retirar o gastar ya.')),
  pending: nullable(amount('Ganado y todavía no liberado.')),
  releases: z
    .array(z.object({ at: z.string(), amount: amount('Cuánto se libera ese día.') }))
    .describe('Cuándo se libera lo pendiente; vacía si el marketplace no lo dice.'),
  balance: nullable(amount('Lo pagado por adelantado en la paquetería; negativo si se debe.')),
  credit_limit: nullable(amount('Hasta cuánto fía la paquetería.')),
  taken_at: z.string().describe('De cuándo es el saldo.'),
  is_derived: z.boolean().describe('true = calculado con los estados de cuenta o con otros datos del saldo.'),
  missing: z
    .array(z.object({ field: z.string(), reason: z.string() }))
    .describe('Los importes null que se desconocen, y por qué. Ninguno significa 0.'),
});

export const getBalancesTool = defineTool({
  name: 'get_balances',
  title: 'Consultar saldos',
  description:
    'El último saldo conocido de cada cuenta y moneda: disponible, pendiente y fechas de liberación en marketplaces; ' +
    'prepago y crédito en paqueterías. Sin historial. Lo que no se informa es null o está en unavailable, nunca 0.',
  scope: 'balances:read',
  stream: 'balances',
  input,
  output: z.object({
    data: z.array(Purse).describe('Los saldos.'),
    empty_because: LIST_OUTPUT.empty_because,
    unavailable: Unavailable,
  }),
  rowsOf: ({ data }) => data.length,
  async run(call, given) {
    const { balances, offers } = await standingOf(call, given);
    const answer = {
      data: balances.map((balance) => ({ ...presentPurse(balance), missing: missingOf(balance) })),
      ...(balances.length === 0 && { empty_because: await whyEmpty(call, given, offers) }),
      unavailable: unavailable({
        what: 'los saldos',
        offers,
        hasSome: (offer) => balances.some((balance) => isOf(balance, offer)),
        asked: given.marketplace,
        operator: call.operator,
      }),
    };
    return { written: JSON.stringify(answer), rows: balances.length };
  },
});

function standingOf({ scope }: ToolCall, { marketplace, includeCarriers }: BalanceQuery) {
  const marketplaces = marketplace.length === 0 ? MARKETPLACES : marketplace;
  return listBalances(scope, [...marketplaces, ...(includeCarriers ? CARRIERS : [])]);
}

function missingOf(balance: Balance) {
  const reason = `${nameOf(balance.service)} no informa este dato.`;
  return untoldOf(balance).map((field) => ({ field, reason }));
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
