import { z } from 'zod';
import { MARKETPLACES } from '../../../connectors/contract.ts';
import { type WithheldPeriod, withheldPeriods } from '../../../features/findings/index.ts';
import { inputOf } from '../../../platform/input-fields.ts';
import { defineRead, toAmount } from '../operation.ts';

const Period = z.object({
  /** `2026-10`, or `2026-10/2026-12` where a certificate is for several months. */
  period: z.string(),
  ledger: z.array(
    z.object({
      marketplace: z.enum(MARKETPLACES),
      isr: z.number(),
      iva: z.number(),
      /** The marketplace does not say which tax it is. */
      unnamed: z.number(),
    }),
  ),
  certificates: z.array(
    z.object({
      uuid: z.string(),
      issuer_rfc: z.string(),
      isr: z.number(),
      iva: z.number(),
      base: z.number(),
    }),
  ),
  ledger_total: z.number(),
  /** Null = there is no certificate. */
  certified_total: z.number().nullable(),
  /** Certified less ledger. */
  difference: z.number().nullable(),
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
