/** Where Paquetexpress sends webhooks to, of an organisation that the operator's commands make. */
import { runCommand } from './commands.ts';
import type { Env } from './ground.ts';

/** @returns path and query */
export async function addressIn(env: Env): Promise<string> {
  const named = ['create-organization', '--name', 'Tienda de prueba', '--plan', 'intermedio'];
  const { organization_id: id } = await runCommand<{ organization_id: string }>(env, named);
  const { webhook_url } = await runCommand<{ webhook_url: string }>(env, [
    'carrier-webhook',
    ...['--organization', id],
  ]);
  const { pathname, search } = new URL(webhook_url);
  return `${pathname}${search}`;
}
