import { ZodError, type z } from 'zod';
import type { ServiceSlug } from '../../carriers/contract.ts';
import { type ConnectedService, findService } from '../../carriers/registry.ts';
import { invalid } from '../../platform/failure.ts';

export function settingsBeyond({ auth }: ConnectedService, typed: unknown): readonly string[] {
  const given = Object.keys(typed ?? {});
  return (auth.form?.settings ?? []).filter((name) => !given.includes(name));
}

export function serviceFor(slug: ServiceSlug): ConnectedService {
  const service = findService(slug);
  if (!service) throw invalid('marketplace', `Todavía no se puede conectar ${slug}.`);
  return service;
}

export function readCredentials(connector: ConnectedService, typed: unknown): unknown {
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
