import { z } from 'zod';
import { MARKETPLACES } from '../../../connectors/contract.ts';
import {
  isWithheldPeriod,
  listWithheldLines,
  type WithheldPeriod,
  withheldPeriods,
} from '../../../features/findings/index.ts';
import { inputOf, pageInput } from '../../../platform/input-fields.ts';
import { formatMillis } from '../../../platform/time.ts';
import { defineRead, toAmount } from '../operation.ts';

const amount = z.number();
const Period = z.object({
  /** `2026-10`, or `2026-10/2026-12` where a certificate is for several months. */
  period: z.string(),
  ledger: z.array(
    z.object({
      marketplace: z.enum(MARKETPLACES),
      isr: amount,
      iva: amount,
      /** The marketplace does not say which tax it is. */
      unnamed: amount,
    }),
  ),
  certificates: z.array(
    z.object({
      uuid: z.string(),
      issuer_rfc: z.string(),
      isr: amount,
      iva: amount,
      base: amount,
    }),
  ),
  ledger_total: amount,
  /** Null = there is no certificate. */
  certified_total: amount.nullable(),
  /** Certified less ledger. */
  difference: amount.nullable(),
});

/** Taxes withheld by month, beside the certificates of the same months. */
export const listWithheldOperation = defineRead({
  action: 'read_money',
  capability: null,
  input: inputOf({}),
  output: z.object({ data: z.array(Period) }),
  run: async ({ scope, organization }) => ({
    data: (await withheldPeriods(scope, organization.timezone)).map(shown),
  }),
});

function shown(found: WithheldPeriod): z.infer<typeof Period> {
  const { period, ledger, certificates, ledgerTotal, certifiedTotal, difference } = found;
  return {
    period,
    ledger: ledger.map(({ marketplace, isr, iva, unnamed }) => ({
      marketplace,
      isr: toAmount(isr),
      iva: toAmount(iva),
      unnamed: toAmount(unnamed),
    })),
    certificates: certificates.map(({ uuid, issuer_rfc, isr, iva, base }) => ({
      uuid,
      issuer_rfc,
      isr: toAmount(isr),
      iva: toAmount(iva),
      base: toAmount(base),
    })),
    ledger_total: toAmount(ledgerTotal),
    certified_total: certifiedTotal && toAmount(certifiedTotal),
    difference: difference && toAmount(difference),
  };
}

const PERIOD_FAULT =
  'debe ser un mes, como 2026-10, o el primero y el último de varios, como 2026-10/2026-12.';
const Line = z.object({
  account_id: z.string(),
  /** Null = movements without an order. */
  order_id: z.string().nullable(),
  /** How the marketplace calls movements without an order; null = they are of an order. */
  native_type: z.string().nullable(),
  isr: amount,
  iva: amount,
  unnamed: amount,
  total: amount,
  /** Of the last movement. */
  last_at: z.string(),
});

/** What a marketplace's sum of a period is made of: a line for each account and order. */
export const listWithheldLinesOperation = defineRead({
  action: 'read_money',
  capability: null,
  input: inputOf({
    period: z
      .string()
      .refine(isWithheldPeriod, PERIOD_FAULT)
      .meta({ description: 'El periodo, como lo nombra withheld.list.', examples: ['2026-10'] }),
    marketplace: z
      .enum(MARKETPLACES)
      .meta({ description: 'El marketplace.', examples: [MARKETPLACES[0]] }),
    ...pageInput({ usual: 100, most: 100 }),
  }),
  output: z.object({ data: z.array(Line), next_cursor: z.string().nullable() }),
  async run({ scope, cursors, organization }, query) {
    const found = await listWithheldLines(scope, cursors, organization.timezone, query);
    return {
      data: found.lines.map((line) => ({
        account_id: line.account_id,
        order_id: line.order_id || null,
        native_type: line.order_id ? null : line.native_type,
        isr: toAmount(line.isr),
        iva: toAmount(line.iva),
        unnamed: toAmount(line.unnamed),
        total: toAmount(line.total),
        last_at: formatMillis(line.last_at),
      })),
      next_cursor: found.nextCursor,
    };
  },
});
