import { serviceName } from '../../carriers/registry.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { compare, type Decimal, moneyText } from '../../platform/money.ts';
import { raiseAlert, resolveAlert } from '../alerts/index.ts';
import { accountName } from '../connections/index.ts';
import type { Balance } from './balance.ts';
import { isCarrierPurse } from './fields.ts';
import { listFloors, type PurseKey, putFloor, removeFloor } from './store-floors.ts';

const ALERT = 'low_balance';

/** A purse whose amounts may not have been read yet. */
type Purse = PurseKey & Partial<Pick<Balance, 'available' | 'balance'>>;

/**
 * @param purse with its amounts as they stand; absent = the next balance is compared
 * @param least null = no alert any more
 */
export async function setFloor(
  scope: WriteScope,
  purse: Purse,
  least: Decimal | null,
): Promise<void> {
  if (least === null) {
    await removeFloor(scope, purse);
    await resolveAlert(scope, ALERT, subjectOf(purse));
    return;
  }
  await putFloor(scope, { ...keyOf(purse), least });
  await alertIfLow(scope, purse, least);
}

/** Raises an alert for each purse below its floor, and ends those of the others. */
export async function alertLowBalances(
  scope: WriteScope,
  balances: readonly Balance[],
): Promise<void> {
  if (balances.length === 0) return;
  const floors = new Map((await listFloors(scope)).map((floor) => [subjectOf(floor), floor.least]));
  for (const balance of balances) {
    const least = floors.get(subjectOf(balance));
    if (least !== undefined) await alertIfLow(scope, balance, least);
  }
}

async function alertIfLow(scope: WriteScope, purse: Purse, least: Decimal): Promise<void> {
  const subject = subjectOf(purse);
  const amount = purse.available ?? purse.balance ?? null;
  if (amount === null || compare(amount, least) >= 0) {
    await resolveAlert(scope, ALERT, subject);
    return;
  }
  const { service, accountId, currency } = purse;
  const name = serviceName(service);
  const account = await accountName(scope, service, accountId);
  const message = `${figureOf(purse)} de ${name} (${account}) es de ${moneyText(amount, currency)}, menos de los ${moneyText(least, currency)} que pusiste como mínimo.`;
  await raiseAlert(scope, { kind: ALERT, subject, message });
}

/** As Saldos calls it. */
function figureOf({ service, available, balance }: Purse): string {
  if (available && isCarrierPurse({ service }) && balance) return 'El disponible (saldo + crédito)';
  return available ? 'El saldo disponible' : 'El saldo';
}

function keyOf({ service, accountId, purse, currency }: PurseKey): PurseKey {
  return { service, accountId, purse, currency };
}

export function subjectOf({ service, accountId, purse, currency }: PurseKey): string {
  return JSON.stringify([service, accountId, purse, currency]);
}
