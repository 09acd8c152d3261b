import type { Carrier } from '../../carriers/contract.ts';
import { serviceName } from '../../carriers/registry.ts';
import type { WriteScope } from '../../platform/db/database.ts';
import { raiseAlert } from '../alerts/index.ts';

/** An unknown state keeps its raw value, and a person must look at it. */
export async function alertUnknownCode(
  scope: WriteScope,
  carrier: Carrier,
  code: string,
): Promise<void> {
  const name = serviceName(carrier);
  const message = `${name} usa un estado que todavía no conocemos: «${code}». El envío conserva su categoría anterior.`;
  await raiseAlert(scope, {
    kind: 'unknown_shipment_status',
    subject: `${carrier} ${code}`,
    message,
  });
}
