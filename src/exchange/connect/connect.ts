import { ZodError } from 'zod';
import type { ServiceSlug } from '../../carriers/contract.ts';
import { type ConnectedService, findService } from '../../carriers/registry.ts';
import type { Account } from '../../connectors/contract.ts';
import { invalid } from '../../platform/failure.ts';
import type { ExchangeParts } from '../parts.ts';
import { proveAndStore } from './prove.ts';

interface Typed {
  readonly organizationId: string;
  readonly service: ServiceSlug;
  /** As typed or read from a file; checked here. */
  readonly credentials: unknown;
  readonly baseUrl: string | null;
}

/**
 * Connects an account with typed credentials: proves them with the cheapest call, stores them
 * sealed, and begins to synchronise. The same account connected again keeps its id and its data.
 * @throws Failure invalid_request, upstream_error
 */
export async function connect(
  parts: ExchangeParts,
  typed: Typed,
): Promise<{ connectionId: string; account: Account<unknown> }> {
  const connector = serviceFor(typed.service);
  const credentials = readCredentials(connector, typed.credentials);
  return proveAndStore(parts, connector, { ...typed, credentials, secondsToLive: null });
}

function serviceFor(slug: ServiceSlug): ConnectedService {
  const service = findService(slug);
  if (!service) throw invalid('marketplace', `Todavía no se puede conectar ${slug}.`);
  return service;
}

function readCredentials(connector: ConnectedService, typed: unknown): unknown {
  try {
    return connector.auth.credentials.parse(typed);
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    const field = fieldOf(error);
    throw invalid(
      field,
      `Las credenciales de ${connector.name} no están completas o no tienen la forma esperada: revisa ${field}.`,
    );
  }
}

/** The first wrong field; for unknown keys zod gives the name in `issue.keys`. */
function fieldOf({ issues: [issue] }: ZodError): string {
  const path = issue?.path ?? [];
  return (
    (issue?.code === 'unrecognized_keys' ? [...path, ...issue.keys] : path).join('.') ||
    'credentials'
  );
}
