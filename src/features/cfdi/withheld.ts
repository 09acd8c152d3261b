import { add, type Decimal, ZERO } from '../../platform/money.ts';
import type { CfdiRecord, TaxDocument, WithholdingRecord } from './xml/record.ts';

/** Codes of 2.0 and of 1.0. */
const ISR = ['001', '01'];
const IVA = ['002', '02'];

/** What a certificate proves. */
export interface Withheld {
  /** A month, or the first and the last one: `2026-10` or `2026-10/2026-12`. */
  readonly period: string;
  readonly isr: Decimal;
  readonly iva: Decimal;
  /** The amount of the operations. */
  readonly base: Decimal;
}

/** A withholding certificate, with what it proves. */
export interface Certificate extends Withheld {
  readonly uuid: string;
  readonly issuer_rfc: string;
  /** Null = a foreigner. */
  readonly receiver_rfc: string | null;
  /** Whether a platform gave it for sales; others are of dividends, interest and the like. */
  readonly is_of_platform: boolean;
  /** The certificate before, which this one corrects. */
  readonly replaces: string | null;
}

/** «Servicios mediante plataformas tecnológicas» of the SAT's catalogue of withholdings. */
const OF_PLATFORMS = '26';

/**
 * What an invoice is for: its total, and the taxes that its receiver keeps of it, such as the ISR
 * that a company withholds of a person. Marketplaces do not know these.
 */
export function chargedBy({ total, total_withheld }: CfdiRecord): Decimal {
  return add(total, total_withheld ?? ZERO);
}

const NO_CERTIFICATE = { period: null, isr: null, iva: null, is_of_platform: null, replaces: null };

export function certificateOf(record: WithholdingRecord): Certificate {
  const { uuid, issuer_rfc, receiver_rfc, replaces = null, withholding_code, platform } = record;
  const is_of_platform = withholding_code === OF_PLATFORMS || platform !== null;
  return { uuid, issuer_rfc, receiver_rfc, is_of_platform, replaces, ...withheldOf(record) };
}

/** What is stored of the withheld taxes of a document; of a CFDI their sum alone. */
export function withheldFactsOf(record: TaxDocument) {
  if (record.kind === 'cfdi') return { withheld: record.total_withheld ?? ZERO, ...NO_CERTIFICATE };
  const { period, isr, iva, is_of_platform, replaces } = certificateOf(record);
  return { withheld: record.withheld_total, period, isr, iva, is_of_platform, replaces };
}

/** Where no withheld amount names its tax, a platform's own totals count. */
function withheldOf(record: WithholdingRecord): Withheld {
  const { year, first_month, last_month, withheld, platform, operation_total: base } = record;
  const [first, last] = [first_month, last_month].map(
    (month) => `${year}-${month.padStart(2, '0')}`,
  );
  const named = withheld.flatMap(({ tax, amount }) => (tax === null ? [] : [{ tax, amount }]));
  const sumOf = (codes: readonly string[]) =>
    add(ZERO, ...named.filter(({ tax }) => codes.includes(tax)).map(({ amount }) => amount));
  const isOfPlatform = named.length === 0 && platform !== null;
  return {
    period: first === last ? `${first}` : `${first}/${last}`,
    isr: isOfPlatform ? platform.isr_withheld : sumOf(ISR),
    iva: isOfPlatform ? platform.vat_withheld : sumOf(IVA),
    base,
  };
}
