import { ZodError, type z } from 'zod';
import type { ServiceSlug } from '../../carriers/contract.ts';
import { type ConnectedService, findService } from '../../carriers/registry.ts';
import type { Account } from '../../connectors/contract.ts';
import type { PersonDoing } from '../../features/trail/index.ts';
import { invalid } from '../../platform/failure.ts';
import type { ExchangeParts } from '../parts.ts';
import { proveAndStore } from './prove.ts';

interface Typed {
  readonly organizationId: string;
  readonly service: ServiceSlug;
  /** As typed or read from a file; checked here. */
  readonly credentials: unknown;
  readonly baseUrl: string | null;
  /** For the trail; absent = the operator. */
  readonly by?: PersonDoing;
  /** They were typed into the form, which lacks some settings: stored ones stay. */
  readonly isForm?: true;
  /** The account that is connected again; absent = whichever they belong to. */
  readonly accountId?: string | null;
  /** Once it aborts, nothing is stored; absent = it is not cancelled. */
  readonly signal?: AbortSignal;
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
  return proveAndStore(parts, connector, {
    ...typed,
    by: typed.by ?? null,
    accountId: typed.accountId ?? null,
    credentials,
    secondsToLive: null,
    settings: typed.isForm ? settingsBeyond(connector, typed.credentials) : [],
  });
}

function settingsBeyond({ auth }: ConnectedService, typed: unknown): readonly string[] {
  const given = Object.keys(typed ?? {});
  return (auth.form?.settings ?? []).filter((name) => !given.includes(name));
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
    const [field = 'credentials'] = error.issues.map(fieldOf);
    throw invalid(
      field,
      `Las credenciales de ${connector.name} no están completas o no tienen la forma esperada: revisa ${field}.`,
    );
  }
}

/** For unknown keys zod gives the names in `issue.keys`. */
function fieldOf(issue: z.core.$ZodIssue): string {
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys] : issue.path;
  return path.join('.') || 'credentials';
}

/** What is wrong with a field of a form. */
interface FieldFault {
  readonly field: string;
  /** In Spanish. */
  readonly message: string;
}

/** All faults of a typed form at once; none = its credentials have the right shape. */
export function faultsOfForm(
  slug: ServiceSlug,
  typed: Readonly<Record<string, string>>,
): FieldFault[] {
  const { auth } = serviceFor(slug);
  const fields = auth.form?.fields ?? [];
  const missing = fields.filter(({ name, isOptional }) => !isOptional && !typed[name]);
  const { error } = auth.credentials.safeParse(typed);
  const wrong = new Set(error?.issues.map(fieldOf));
  for (const { name } of missing) wrong.delete(name);
  return [
    ...missing.map(({ name, label }) => ({ field: name, message: `Falta: ${label}.` })),
    ...[...wrong].map((name) => {
      const known = fields.find((field) => field.name === name);
      return {
        field: known ? name : (fields[0]?.name ?? name),
        message: known
          ? `Revisa «${known.label}». ${known.hint}`
          : 'Estos datos no están completos: revisa todos los campos.',
      };
    }),
  ];
}
