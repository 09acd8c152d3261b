/** What the requests about one endpoint have in common. */
import { once } from '../../../features/idempotency/index.ts';
import { effectiveTerms } from '../../../features/organizations/index.ts';
import type { Act, PersonDoing } from '../../../features/trail/index.ts';
import { type Endpoint, getEndpoint, listAttempts } from '../../../features/webhooks-out/index.ts';
import type { WriteScope } from '../../../platform/db/database.ts';
import { invalid } from '../../../platform/failure.ts';
import { isId } from '../../../platform/ids.ts';
import { confirmLack } from '../confirm.ts';
import { addressIn, noteEventIn, type PageMembership, refuseSuspended } from '../membership.ts';
import { type PageRequest, type Reply, typed } from '../page-request.ts';
import { requireEndpoints, WEBHOOK_PATHS, type WebhookPage, write } from './access.ts';
import { endpointReply } from './endpoint-page.ts';

const MOST_ATTEMPTS = 20;
/** What went well, by the word in the address. */
export const NOTES: Readonly<Record<string, string>> = {
  cambiado: 'Los cambios quedaron guardados.',
  activo: 'El endpoint quedó activo.',
  inactivo: 'El endpoint quedó desactivado. Lo que espera se entrega cuando lo actives de nuevo.',
  eliminado: 'El endpoint quedó eliminado.',
  prueba: 'El evento de prueba va en camino. Vuelve a cargar la página para ver el resultado.',
  reenviado: 'El evento va en camino de nuevo.',
  reenviados: 'Los eventos que fallaron van en camino de nuevo.',
  ninguno: 'No había nada que enviar de nuevo.',
};

/** @throws Failure plan_does_not_include_webhooks, organization_suspended */
export function requireServed(membership: PageMembership): void {
  refuseSuspended(membership);
  requireEndpoints(membership);
}

export function lackOf(
  request: PageRequest,
  membership: PageMembership,
  page: WebhookPage,
): Reply | null {
  const endpoint = idIn(request);
  const more: Record<string, string> = endpoint === '' ? {} : { endpoint };
  const back = addressIn(membership, WEBHOOK_PATHS[page], more);
  return confirmLack(request, membership.person, back);
}

/** A form that comes again gets the first answer for a day. */
export async function makeOnce(
  request: PageRequest,
  membership: PageMembership,
  what: unknown,
  make: (scope: WriteScope, by: PersonDoing) => Promise<{ id: string; secret: string }>,
): Promise<{ id: string; secret: string }> {
  const idempotencyKey = typed(request, 'formulario');
  if (!isId(idempotencyKey))
    throw invalid('formulario', 'El formulario llegó incompleto. Llénalo de nuevo en esta página.');
  const askedOnce = { callerId: membership.person.id, idempotencyKey, what };
  const text = await write(request, membership, (scope, by) =>
    once(scope, askedOnce, async () => JSON.stringify(await make(scope, by))),
  );
  return JSON.parse(text) as { id: string; secret: string };
}

export function said(
  request: PageRequest,
  membership: PageMembership,
  { id }: Endpoint,
  event: Act,
  word: string,
): Reply {
  noteEventIn(request, membership, event, { subject: id });
  return { to: addressIn(membership, WEBHOOK_PATHS.one, { endpoint: id, aviso: word }) };
}

export async function show(
  request: PageRequest,
  membership: PageMembership,
  about: { said?: string | null; wrong?: string },
): Promise<Reply> {
  const endpoint = await asked(request, membership);
  const page = {
    endpointId: endpoint.id,
    limit: MOST_ATTEMPTS,
    cursor: request.query.get('cursor'),
  };
  const { attempts, nextCursor } = await within(request, membership).read((scope) =>
    listAttempts(scope, request.cursors, page),
  );
  const { organization } = membership;
  const isServed = effectiveTerms(organization).webhooks === 'full' && !organization.isSuspended;
  return endpointReply(membership, { endpoint, attempts, nextCursor, isServed, ...about });
}

/** @throws Failure not_found */
export function asked(request: PageRequest, membership: PageMembership): Promise<Endpoint> {
  return within(request, membership).read((scope) => getEndpoint(scope, idIn(request)));
}

function idIn({ form, query }: PageRequest): string {
  return form.get('endpoint') ?? query.get('endpoint') ?? '';
}

export function within({ database }: PageRequest, { organization }: PageMembership) {
  return database.within(organization.id);
}
