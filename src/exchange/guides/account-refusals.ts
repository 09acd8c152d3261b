import type { Carrier } from '../../carriers/contract.ts';
import { serviceName } from '../../carriers/registry.ts';
import type { Connection } from '../../features/connections/index.ts';
import { type Failure, fail } from '../../platform/failure.ts';

export function notConnected(
  carrier: Carrier,
  accountId: string | null,
  connected: readonly Connection[],
): Failure {
  if (accountId === null || connected.length === 0)
    return fail('carrier_not_connected', { details: { carrier } });
  return fail('carrier_not_connected', {
    param: 'account_id',
    message: `La cuenta ${accountId} de ${serviceName(carrier)} no está conectada. Las que sí: ${sentenceOf(connected)}.`,
    details: { carrier, accounts: detailsOf(connected) },
  });
}

export function ambiguous(carrier: Carrier, accounts: readonly Connection[]): Failure {
  return fail('carrier_account_ambiguous', {
    param: 'account_id',
    message: `Tienes varias cuentas de ${serviceName(carrier)} conectadas: ${sentenceOf(accounts)}. Indica cuál usar.`,
    details: { carrier, accounts: detailsOf(accounts) },
  });
}

function sentenceOf(accounts: readonly Connection[]): string {
  return accounts
    .map(({ accountId, name }) => (name === accountId ? accountId : `${accountId} (${name})`))
    .join(', ');
}

function detailsOf(accounts: readonly Connection[]) {
  return accounts.map(({ accountId, name }) => ({ id: accountId, name }));
}
