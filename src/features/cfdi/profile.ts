import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { invalid } from '../../platform/failure.ts';
import { type Doer, noteAct } from '../trail/index.ts';
import type { CfdiDirection } from './kinds.ts';
import { REGIMES, type TaxPerson } from './regimes.ts';
import { annotateLater } from './relate-cfdis.ts';
import * as store from './store-profile.ts';

/** The organisation as a taxpayer. */
export interface FiscalProfile {
  /** Null = not given. */
  readonly person: TaxPerson | null;
  /** A code of the SAT's catalogue, such as 626; null = not given. */
  readonly regime: string | null;
  /** IVA of 8 % in the border region. */
  readonly hasBorderVat: boolean;
  /** In upper case, in order. */
  readonly rfcs: readonly string[];
}

const NOTHING: FiscalProfile = { person: null, regime: null, hasBorderVat: false, rfcs: [] };
const MOST_RFCS = 20;
/** The pattern of the SAT's schema: name, date, and three characters, the last of which checks. */
const RFC = /^[A-ZÑ&]{3,4}\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])[A-Z0-9]{2}[0-9A]$/;
const RFC_LENGTHS: Readonly<Record<TaxPerson, number>> = { natural: 13, legal: 12 };
/** The generic RFCs of buyers without one and of foreigners: they belong to no taxpayer. */
const GENERIC_RFCS: readonly string[] = ['XAXX010101000', 'XEXX010101000'];

export async function fiscalProfile(scope: ReadScope): Promise<FiscalProfile> {
  const row = await store.find(scope);
  if (!row) return NOTHING;
  const { person, regime, has_border_vat: hasBorderVat, rfcs } = row;
  return { person, regime, hasBorderVat, rfcs };
}

/**
 * Sets the profile and the direction of all documents by it. The housekeeping shows it in orders.
 * @returns how many documents have another direction now
 * @throws Failure invalid_request
 */
export async function setFiscalProfile(
  scope: WriteScope,
  by: Doer,
  given: FiscalProfile,
): Promise<number> {
  const rfcs = readRfcs(given.rfcs);
  const { person, regime, hasBorderVat } = given;
  refusePerson(person, rfcs);
  refuseRegime(regime, person);
  await store.set(scope, { person, regime, has_border_vat: hasBorderVat, rfcs });
  await noteAct(scope, by, 'fiscal_profile_changed');
  const redirected = await store.redirect(scope, rfcs);
  await annotateLater(scope, redirected);
  return redirected.length;
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

function readRfcs(given: readonly string[]): string[] {
  const rfcs = [...new Set(given.map((rfc) => rfc.trim().toUpperCase()))].sort();
  const wrong = rfcs.find((rfc) => !RFC.test(rfc));
  if (wrong !== undefined)
    throw invalid(
      'rfcs',
      `«${wrong.slice(0, 20)}» no es un RFC válido: son 13 caracteres para una persona física y 12 para una moral, por ejemplo CACX7605101P8.`,
    );
  const generic = rfcs.find((rfc) => GENERIC_RFCS.includes(rfc));
  if (generic !== undefined)
    throw invalid('rfcs', `«${generic}» es un RFC genérico, no el de un contribuyente.`);
  if (rfcs.length > MOST_RFCS)
    throw invalid('rfcs', `Los datos fiscales admiten hasta ${MOST_RFCS} RFC.`);
  return rfcs;
}

/** An organisation may have RFCs of both; one of them has to be of the person. */
function refusePerson(person: TaxPerson | null, rfcs: readonly string[]): void {
  if (person === null || rfcs.length === 0) return;
  if (rfcs.some(({ length }) => length === RFC_LENGTHS[person])) return;
  throw invalid(
    'person',
    person === 'natural'
      ? 'Ningún RFC del perfil es de una persona física: el suyo tiene 13 caracteres.'
      : 'Ningún RFC del perfil es de una persona moral: el suyo tiene 12 caracteres.',
  );
}

function refuseRegime(code: string | null, person: TaxPerson | null): void {
  if (code === null) return;
  const regime = REGIMES.find((one) => one.code === code);
  if (!regime)
    throw invalid('regime', 'El régimen es la clave de tres dígitos del SAT, por ejemplo 626.');
  if (person !== null && !regime.persons.includes(person))
    throw invalid(
      'regime',
      `El régimen ${code} no es para personas ${person === 'natural' ? 'físicas' : 'morales'}.`,
    );
}
