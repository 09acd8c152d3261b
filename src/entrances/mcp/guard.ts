import type { IncomingMessage } from 'node:http';
import type { AgentAccess, AgentAccessCache } from '../../features/grants/index.ts';
import { SCOPES, type Scope } from '../../features/keys/index.ts';
import { ROLE_NAMES, type Role, rolesWith, scopesFor } from '../../features/people/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Failure, fail } from '../../platform/failure.ts';
import {
  admitOrganization,
  bearerOf,
  type CountingParts,
  type CredentialOwner,
  hasPassed,
  refuseCaller,
} from '../guard.ts';

interface TokenParts {
  readonly access: AgentAccessCache;
  readonly clock: Clock;
  /**
   * The address that access tokens must have been made for, `…/mcp`. Asked late: the system may
   * choose the port.
   */
  readonly resource: () => string;
}

export interface GuardParts extends TokenParts, CountingParts {}

/**
 * The caller, by an access token that was issued for this address.
 * @throws Failure invalid_token, with the challenge that names where an agent gets one
 */
export async function identifyAgent(
  parts: GuardParts,
  request: IncomingMessage,
): Promise<AgentAccess> {
  const { quota } = parts;
  const token = bearerOf(request);
  if (token === null)
    throw refuseCaller(
      quota,
      request,
      fail('invalid_token', { message: NO_TOKEN, ...challenge(parts, null, SCOPES) }),
    );
  const found = await readToken(parts, token);
  if (found) return found;
  throw refuseCaller(
    quota,
    request,
    fail('invalid_token', challenge(parts, 'invalid_token', SCOPES)),
  );
}

/** Whom a text is a valid access token of. */
export async function ownerOfToken(
  parts: TokenParts,
  text: string,
): Promise<CredentialOwner | null> {
  const found = await readToken(parts, text);
  return found && ownerOf(found);
}

function ownerOf({ organization, grantId }: AgentAccess): CredentialOwner {
  return { organization, caller: { kind: 'agent', id: grantId } };
}

async function readToken(
  { access, resource, clock }: TokenParts,
  text: string,
): Promise<AgentAccess | null> {
  const found = await access.find(text);
  return found?.audience === resource() && !hasPassed(found.expiresAt, clock) ? found : null;
}

/**
 * Lets an agent in, once it is known what it asks for.
 * @param needed all scopes of what it asks for
 */
export async function admitAgent(
  parts: GuardParts,
  request: IncomingMessage,
  access: AgentAccess,
  needed: readonly Scope[],
): Promise<void> {
  await admitOrganization(parts, request, ownerOf(access), lackOf(parts, access, needed));
}

function lackOf(
  parts: GuardParts,
  { scopes, role }: AgentAccess,
  needed: readonly Scope[],
): Failure | null {
  const missing = needed.filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return null;
  const allowed = scopesFor(role);
  const forbidden = missing.filter((scope) => !allowed.includes(scope));
  return forbidden.length === 0
    ? insufficient(parts, scopes, missing)
    : forbiddenTo(role, forbidden);
}

/** Without a challenge: another consent of this person gives no more. */
function forbiddenTo(role: Role, scopes: readonly Scope[]): Failure {
  const others = rolesWith(scopes).map((other) => ROLE_NAMES[other]);
  return fail('insufficient_role', {
    message: `El rol ${ROLE_NAMES[role]} no permite leer esto (${scopes.join(', ')}), y volver a conectar el agente no lo cambia. Lo permiten los roles ${inSpanish.format(others)}: pide a quien administra la organización que te cambie de rol, o que alguien con uno de ellos conecte su agente.`,
    details: { required_scopes: scopes },
  });
}

const inSpanish = new Intl.ListFormat('es', { type: 'conjunction' });

/**
 * Names what is held, too: a client that asks anew for the challenge's scopes alone would lose it.
 */
function insufficient(
  parts: GuardParts,
  held: readonly Scope[],
  missing: readonly Scope[],
): Failure {
  const all = SCOPES.filter((scope) => held.includes(scope) || missing.includes(scope));
  return fail('insufficient_scope', {
    message: `El agente no tiene permiso para esto: le falta ${missing.join(', ')}. Vuelve a conectarlo y márcalo.`,
    details: { required_scopes: missing },
    ...challenge(parts, 'insufficient_scope', all),
  });
}

/**
 * RFC 6750 and RFC 9728: the error, the missing scopes, and the address of the resource metadata.
 */
function challenge({ resource }: GuardParts, error: string | null, scopes: readonly Scope[]) {
  const { origin, pathname } = new URL(resource());
  const parts = [
    ...(error === null ? [] : [`error="${error}"`]),
    `scope="${scopes.join(' ')}"`,
    `resource_metadata="${origin}/.well-known/oauth-protected-resource${pathname}"`,
  ];
  return { headers: { 'www-authenticate': `Bearer ${parts.join(', ')}` } };
}

const NO_TOKEN =
  'Este acceso es para agentes autorizados con OAuth. Conecta el agente con tu cuenta de Tianguis.';
