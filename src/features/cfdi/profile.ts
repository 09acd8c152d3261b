import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { invalid } from '../../platform/failure.ts';
import type { CfdiDirection } from './kinds.ts';
import * as store from './store-profile.ts';

export const PERSONS = ['natural', 'legal'] as const;

/** The organisation as a taxpayer. */
interface FiscalProfile {
  /** Null = not given. */
  readonly person: (typeof PERSONS)[number] | null;
  /** A code of the SAT's catalogue, such as 626; null = not given. */
  readonly regime: string | null;
  /** IVA of 8 % in the border region. */
  readonly hasBorderVat: boolean;
  /** In upper case, in order. */
  readonly rfcs: readonly string[];
}

const NOTHING: FiscalProfile = { person: null, regime: null, hasBorderVat: false, rfcs: [] };
const MOST_RFCS = 20;
const RFC = /^[A-ZÑ&]{3,4}\d{6}[A-Z0-9]{3}$/;
const REGIME = /^\d{3}$/;
/** The generic RFCs of buyers without one and of foreigners: they belong to no taxpayer. */
const GENERIC_RFCS: readonly string[] = ['XAXX010101000', 'XEXX010101000'];

export async function fiscalProfile(scope: ReadScope): Promise<FiscalProfile> {
  const row = await store.find(scope);
  if (!row) return NOTHING;
  const { person, regime, has_border_vat: hasBorderVat, rfcs } = row;
  return { person, regime, hasBorderVat, rfcs };
}

/**
 * Sets the profile and the direction of all documents by it.
 * @returns how many documents have another direction now
 * @throws Failure invalid_request
 */
export async function setFiscalProfile(scope: WriteScope, given: FiscalProfile): Promise<number> {
  const rfcs = [...new Set(given.rfcs.map((rfc) => rfc.trim().toUpperCase()))].sort();
  const wrong = rfcs.find((rfc) => !RFC.test(rfc) || GENERIC_RFCS.includes(rfc));
  if (wrong !== undefined)
    throw invalid('rfcs', `«${wrong.slice(0, 20)}» no es un RFC de una persona o empresa.`);
  if (rfcs.length > MOST_RFCS)
    throw invalid('rfcs', `El perfil fiscal admite hasta ${MOST_RFCS} RFC.`);
  if (given.regime !== null && !REGIME.test(given.regime))
    throw invalid('regime', 'El régimen es la clave de tres dígitos del SAT, por ejemplo 626.');
  const { person, regime, hasBorderVat } = given;
  await store.set(scope, { person, regime, has_border_vat: hasBorderVat, rfcs });
  return store.redirect(scope, rfcs);
}

/** Own RFCs for new documents; the profile does not change until the transaction ends. */
export async function ownRfcs(scope: WriteScope): Promise<ReadonlySet<string>> {
  return new Set((await store.hold(scope))?.rfcs ?? []);
}

export function directionOf(
  own: ReadonlySet<string>,
  { issuer_rfc, receiver_rfc }: { issuer_rfc: string; receiver_rfc: string | null },
): CfdiDirection {
  if (own.has(issuer_rfc)) return 'issued';
  return receiver_rfc !== null && own.has(receiver_rfc) ? 'received' : 'other';
}
