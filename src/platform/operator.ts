/**
 * The operator of this installation, as shown to users. Null where no setting says it: nothing is made
 * up.
 */
export interface Operator {
  /** A person or a company. */
  readonly operatorName: string | null;
  /** Postal address. */
  readonly operatorAddress: string | null;
  readonly supportEmail: string | null;
  /** Where the privacy notice is; null = on our own page. */
  readonly privacyUrl: string | null;
}

/** Our own page. */
export const PRIVACY_PATH = '/privacidad';

/** Where a user finds help, as a part of a sentence: «escribe a ayuda@tienda.example». */
export function askForHelp({ supportEmail }: Operator): string {
  return supportEmail === null
    ? 'pide ayuda a quien administra este servicio de Tianguis'
    : `escribe a ${supportEmail}`;
}
