import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  effectiveTerms,
  findOrganization,
  isTrialOver,
  type Organization,
} from '../../features/organizations/index.ts';
import {
  type Action,
  authorize,
  mustBeAbleTo,
  type People,
  refuseLack,
  roleOf,
} from '../../features/people/index.ts';
import type { OrganizationDatabase } from '../../platform/db/database.ts';
import { fail, invalid } from '../../platform/failure.ts';
import { isId } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import { SITE_PAGES } from '../../platform/site-pages.ts';
import type { Instant } from '../../platform/time.ts';
import { planRefusal } from '../guard.ts';
import { contextOf, noteFailure, sendFailure, sendJson } from '../http.ts';
import { readInput } from '../inputs.ts';
import { allows, includes, isOpenIn } from '../navigation.ts';
import { readOwn } from '../own-form.ts';
import { NO_QUERY, type QueryInput, queryOf, type RawQuery, readQuery } from '../query.ts';
import type { Surface } from '../surface.ts';
import { NOT_YOURS } from '../words.ts';
import { findOperation, type OperationName, TABLE } from './contract.ts';
import type { AnyOperation, Caller, PanelParts, PersonDatabase } from './operation.ts';
import { openShell } from './shell.ts';

interface PanelSurfaceParts extends PanelParts {
  readonly people: People;
  readonly log: Log;
  readonly publicUrl: () => string;
}

const PANEL = SITE_PAGES.home.path;
const NOT_IN_SAMPLE = 'La organización de ejemplo no conecta cuentas. Cambia a la tuya.';
const CALLS = `${PANEL}/api/`;
/** The page says so where its person did nothing for a while. */
const UNATTENDED = 'x-unattended';

/** The panel: its page, its files, and the operations that it calls. */
export function panelSurfaces(parts: PanelSurfaceParts): Surface[] {
  const shell = openShell(parts);
  return [
    { prefix: CALLS, handle: (request, response) => answerCall(parts, request, response) },
    ...shell,
  ];
}

function answerCall(
  parts: PanelSurfaceParts,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  call(parts, request)
    .then(({ status, text }) => sendJson(response, status, withMeta(text, contextOf(request).id)))
    .catch((error) => {
      const failure = noteFailure(parts.log, request, error, 'panel operation failed');
      sendFailure(response, failure, contextOf(request));
    });
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Session → membership → role → plan → input → the operation. */
async function call(parts: PanelSurfaceParts, request: IncomingMessage): Promise<Answer> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://tianguis');
  const [organizationId = '', name = '', ...more] = pathname.slice(CALLS.length).split('/');
  const operation = findOperation(name);
  if (!operation || more.length > 0 || !isId(organizationId)) throw fail('not_found');
  const method = operation.kind === 'write' ? 'POST' : 'GET';
  if (request.method !== method) throw fail('method_not_allowed', { headers: { allow: method } });
  const caller = await callerOf(parts, request, organizationId, operation);
  const { clocks, database } = parts;
  const query = rawQueryOf(searchParams);
  if (operation.kind === 'write') {
    readQuery(NO_QUERY, query);
    const text = await change(parts, request, caller, operation);
    return { status: operation.isJob ? 202 : 200, text };
  }
  const input = readQuery(queryFor(name as OperationName), query);
  const delta = await clocks.get(organizationId);
  const text = await database.read(
    async (handle) => {
      const scope = handle.within(organizationId);
      const answer = await operation.run(
        {
          ...parts,
          ...caller,
          handle,
          scope,
          delta,
          allowed: allowedTo(caller, parts.clock.now()),
        },
        input,
      );
      return textOf(answer);
    },
    { signal: contextOf(request).signal },
  );
  return { status: 200, text };
}

async function change(
  { people, database, exchange, postbox }: PanelSurfaceParts,
  request: IncomingMessage,
  caller: Caller,
  operation: Extract<AnyOperation, { kind: 'write' }>,
): Promise<string> {
  const given = parsed(await readOwn(request, people.isOwnOrigin, operation.mostBytes));
  const input = readInput('field', operation.input, given);
  const { address, signal } = contextOf(request);
  const by = { personId: caller.person.id, address };
  const organization = writingAs(
    database.within(caller.organization.id),
    by.personId,
    operation.action,
  );
  const parts = { database: organization, exchange, postbox, by, signal };
  return textOf(await operation.run({ ...caller, ...parts }, input));
}

/**
 * Each transaction begins with the person's right, which may have changed since the call was
 * admitted. What exchange writes for a person is checked there.
 */
function writingAs(
  organization: OrganizationDatabase,
  personId: string,
  action: Action | null,
): PersonDatabase {
  return {
    read: organization.read,
    write: (work) =>
      organization.write(async (scope) => {
        await authorize(scope, personId, action);
        return work(scope);
      }),
  };
}

/** @throws Failure session_required, not_found, and as `refuse` does */
async function callerOf(
  { people, database, clock }: PanelSurfaceParts,
  request: IncomingMessage,
  organizationId: string,
  operation: AnyOperation,
): Promise<Caller> {
  const { kind } = operation;
  const isUnattended = kind === 'poll' || request.headers[UNATTENDED] !== undefined;
  const use = isUnattended && kind !== 'write' ? 'unattended' : 'attended';
  const person = await people.signedIn(request.headers, use);
  if (!person) throw fail('session_required');
  const { role, organization } = await database.read(async (handle) => ({
    role: await roleOf(handle.within(organizationId), person.id),
    organization: await findOrganization(handle, organizationId),
  }));
  if (!organization || role === null) throw fail('not_found', { message: NOT_YOURS });
  contextOf(request).organizationId = organizationId;
  const factorLack = people.factorLack(person);
  const caller = { person, role, organization, operator: contextOf(request).operator, factorLack };
  refuse(caller, operation, clock.now());
  return caller;
}

/**
 * @throws Failure organization_suspended, insufficient_role, trial_ended, plan…,
 * second_factor_required, confirmation_required
 */
function refuse(caller: Caller, operation: AnyOperation, now: Instant): void {
  const { role, organization, factorLack } = caller;
  const { action, capability } = operation;
  if (organization.isSuspended) throw fail('organization_suspended');
  if (action !== null) mustBeAbleTo(role, action);
  if (!isOpenIn(organization, action)) throw fail('not_found', { message: NOT_IN_SAMPLE });
  const terms = effectiveTerms(organization);
  if (!includes(terms, capability))
    throw capability === 'webhooks'
      ? fail('plan_does_not_include_webhooks')
      : planRefusal(terms.name);
  if (operation.kind !== 'write') return;
  if (isOverFor(operation, organization, now)) throw fail('trial_ended');
  if (operation.needsSecondFactor) refuseLack(factorLack);
}

/** What the panel offers; a second factor is asked for when it is needed. */
function allowedTo(caller: Caller, now: Instant): string[] {
  return Object.entries(TABLE).flatMap(([name, operation]) =>
    allows(caller, operation) && !isOverFor(operation, caller.organization, now) ? [name] : [],
  );
}

function isOverFor(operation: AnyOperation, organization: Organization, now: Instant): boolean {
  return (
    operation.kind === 'write' && !operation.isOpenAfterTrial && isTrialOver(organization, now)
  );
}

const queries = new Map<OperationName, QueryInput>();

function queryFor(name: OperationName): QueryInput {
  const known = queries.get(name);
  if (known) return known;
  const made = queryOf(TABLE[name].input);
  queries.set(name, made);
  return made;
}

function rawQueryOf(parameters: URLSearchParams): RawQuery {
  const names = [...new Set(parameters.keys())];
  const valuesOf = (name: string) => {
    const values = parameters.getAll(name);
    return values.length === 1 ? values[0] : values;
  };
  return Object.fromEntries(names.map((name) => [name, valuesOf(name)]));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('body', 'El cuerpo de la solicitud debe ser un objeto JSON.');
  }
}

/** An answer is an object with at least one field. */
function withMeta(text: string, requestId: string): string {
  return `${text.slice(0, -1)},"meta":{"request_id":"${requestId}"}}`;
}

function textOf(answer: unknown): string {
  const isText = typeof answer === 'object' && answer !== null && 'written' in answer;
  return isText ? String(answer.written) : JSON.stringify(answer);
}
