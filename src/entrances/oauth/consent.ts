import type { IncomingMessage, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';
import { agree, organizationReadBy } from '../../features/grants/index.ts';
import { isScope, type Scope } from '../../features/keys/index.ts';
import { effectiveTerms, findOrganization } from '../../features/organizations/index.ts';
import { membershipsOf, scopesFor } from '../../features/people/index.ts';
import { fail } from '../../platform/failure.ts';
import { SITE_PAGES } from '../../platform/site-pages.ts';
import { contextOf } from '../http.ts';
import { readForm } from '../own-form.ts';
import { renderPage } from '../page.ts';
import type { AuthorizationParts, Visitor } from './authorization-parts.ts';
import { chooseOrganizationPage, consentPage, planPage } from './consent-pages.ts';
import type { Choice, ConsentRequest } from './consent-request.ts';
import { publicNameOf, resourceOf } from './provider.ts';
import { redirectOf } from './redirect.ts';
import { confirmedVisitorOf, redirect } from './visitor.ts';

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

interface ConsentStep {
  readonly parts: AuthorizationParts;
  readonly provider: Provider;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly interaction: Interaction;
  readonly visitor: Visitor;
  readonly consent: ConsentRequest;
  readonly choices: readonly Choice[];
}

const EXPIRED =
  'Esta solicitud de permiso ya se respondió, venció o es de otro navegador. Empieza de nuevo desde el agente.';
const NOWHERE = `Tu cuenta no pertenece a ninguna organización, o la tuya está suspendida. Revísalo en ${SITE_PAGES.account.name}.`;
const OTHER_PERSON =
  'Entraste con otra cuenta después de abrir esta página. Empieza de nuevo desde el agente.';

/** The page on which a person lets an agent read, and its answer. */
export async function answerConsent(
  parts: AuthorizationParts,
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const interaction = await interactionOf(provider, request, response);
  const visitor = await confirmedVisitorOf(parts, request, response);
  if (!visitor) return;
  if (isAnsweredBy(visitor, interaction)) return redirect(response, interaction.returnTo);
  const consent = await readConsentRequest(provider, interaction);
  if (consent.scopes.length === 0) return refuse({ provider, request, response }, 'invalid_scope');
  const choices = await choicesOf(parts, visitor, consent);
  const step = { parts, provider, request, response, interaction, visitor, consent, choices };
  await (request.method === 'POST' ? decide(step) : show(step));
}

async function interactionOf(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Interaction> {
  const interaction = await provider.interactionDetails(request, response).catch((error: Error) => {
    if (error.name === 'SessionNotFound') throw fail('invalid_request', { message: EXPIRED });
    throw error;
  });
  if (!request.url?.split('?', 1)[0]?.endsWith(`/${publicNameOf(interaction.uid)}`))
    throw fail('invalid_request', { message: EXPIRED });
  return interaction;
}

/** A form that comes again goes on as the first did. */
function isAnsweredBy({ id }: Visitor, { result }: Interaction): boolean {
  return result?.login?.accountId === id || result?.error !== undefined;
}

async function readConsentRequest(
  provider: Provider,
  { params }: Interaction,
): Promise<ConsentRequest> {
  const client = await provider.Client.find(String(params.client_id));
  if (!client) throw fail('invalid_request', { message: EXPIRED });
  const isDocument = client.clientId.startsWith('https://');
  const host = isDocument ? new URL(client.clientId).host : null;
  return {
    clientId: client.clientId,
    clientName: client.clientName ?? host ?? 'Una aplicación sin nombre',
    verifiedHost: host,
    redirect: redirectOf(String(params.redirect_uri)),
    scopes: String(params.scope ?? '')
      .split(' ')
      .filter(isScope),
  };
}

async function choicesOf(
  { database }: AuthorizationParts,
  visitor: Visitor,
  consent: ConsentRequest,
): Promise<Choice[]> {
  return database.read(async (handle) => {
    const choices: Choice[] = [];
    for (const membership of await membershipsOf(handle, visitor.id)) {
      const organization = await findOrganization(handle, membership.organizationId);
      const may = scopesFor(membership.role);
      if (organization && !organization.isSuspended)
        choices.push({
          membership,
          organization,
          allowed: consent.scopes.filter((scope) => may.includes(scope)),
        });
    }
    return choices;
  });
}

async function show(step: ConsentStep): Promise<void> {
  const { response, interaction, visitor, consent, choices } = step;
  // Only the person that saw it may answer.
  interaction.result = { shown: { personId: visitor.id } };
  await interaction.persist();
  if (choices.length === 0) throw fail('invalid_request', { message: NOWHERE });
  const choice = choices.length === 1 ? choices[0] : await chosenBy(step);
  if (!choice) return renderPage(response, chooseOrganizationPage(consent, visitor, choices));
  renderPage(response, pageOf(step, choice, null));
}

/**
 * As the person chose, by name or by «Elegir otra»; an agent that asks for more goes on where it
 * reads already.
 */
async function chosenBy({
  parts,
  request,
  visitor,
  consent,
  choices,
}: ConsentStep): Promise<Choice | undefined> {
  const chosen = new URL(request.url ?? '/', 'http://tianguis').searchParams.get('organizacion');
  const who = { personId: visitor.id, clientId: consent.clientId };
  const id = chosen ?? (await parts.database.read((handle) => organizationReadBy(handle, who)));
  return choices.find(({ organization }) => organization.id === id);
}

function pageOf(
  { request, consent, visitor, choices }: ConsentStep,
  choice: Choice,
  problem: string | null,
) {
  return effectiveTerms(choice.organization).api
    ? consentPage(consent, visitor, choice, { problem, hasOthers: choices.length > 1 })
    : planPage(consent, visitor, choice, {
        hasOthers: choices.length > 1,
        operator: contextOf(request).operator,
      });
}

async function decide(step: ConsentStep): Promise<void> {
  const { parts, request, response, interaction, visitor, consent, choices } = step;
  const form = await readForm(request, parts.people.isOwnOrigin);
  const shown = interaction.result?.shown as { personId?: string } | undefined;
  if (shown?.personId !== visitor.id) throw fail('invalid_request', { message: OTHER_PERSON });
  if (form.get('decision') !== 'permitir') return refuse(step, 'access_denied');
  const choice = choices.find(({ organization }) => organization.id === form.get('organizacion'));
  if (!choice) throw fail('invalid_request', { message: 'Esa organización no es tuya.' });
  const chosen = form.getAll('permiso').filter(isScope);
  if (
    chosen.length !== form.getAll('permiso').length ||
    chosen.some((scope) => !consent.scopes.includes(scope))
  )
    throw fail('invalid_request', { message: 'Se marcó un permiso que el agente no pidió.' });
  if (chosen.some((scope) => !choice.allowed.includes(scope)))
    throw fail('insufficient_role', {
      message: 'Tu rol en la organización no alcanza para ese permiso.',
    });
  const { api } = effectiveTerms(choice.organization);
  if (!api) return renderPage(response, { ...pageOf(step, choice, null), status: 403 });
  if (chosen.length === 0)
    return renderPage(response, {
      ...pageOf(step, choice, 'Marca al menos un permiso.'),
      status: 400,
    });
  await grant(step, choice, [...new Set(chosen)]);
}

/** Keeps what was agreed, and sends the browser on its way back to the agent. */
async function grant(step: ConsentStep, choice: Choice, chosen: readonly Scope[]): Promise<void> {
  const { parts, provider, request, response, interaction, visitor, consent } = step;
  const { clientId, clientName, redirect } = consent;
  const requested = String(interaction.params.scope ?? '').split(' ');
  const refused = requested.filter(
    (scope) => scope !== 'offline_access' && !chosen.includes(scope as Scope),
  );
  const { address } = contextOf(request);
  const agreement = {
    personId: visitor.id,
    clientId,
    clientName,
    redirectHost: redirect.name,
    scopes: chosen,
  };
  // In this order: tokens of a grant that is not stored are not valid.
  const { grantId, scopes } = await parts.database
    .within(choice.organization.id)
    .write((scope) => agree(scope, agreement, { refused: refused.filter(isScope), address }));
  const resource = resourceOf(parts);
  const given = new provider.Grant({ accountId: visitor.id, clientId });
  given.jti = grantId;
  given.addOIDCScope(['offline_access', ...scopes]);
  given.addResourceScope(resource, [...scopes]);
  if (refused.length > 0) {
    given.rejectOIDCScope(refused);
    given.rejectResourceScope(resource, refused);
  }
  await given.save();
  await provider.interactionFinished(
    request,
    response,
    { login: { accountId: visitor.id, remember: false }, consent: { grantId } },
    { mergeWithLastSubmission: false },
  );
}

async function refuse(
  { provider, request, response }: Pick<ConsentStep, 'provider' | 'request' | 'response'>,
  error: 'access_denied' | 'invalid_scope',
): Promise<void> {
  const description =
    error === 'access_denied'
      ? 'La persona no dio el permiso.'
      : 'Ninguno de los permisos pedidos existe.';
  await provider.interactionFinished(request, response, { error, error_description: description });
}
