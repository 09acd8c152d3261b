import type { z } from 'zod';
import { type Failure, invalid } from '../platform/failure.ts';
import { type Given, inOurWords } from '../platform/input-fields.ts';
import { nearestOf } from '../platform/nearest.ts';

const KINDS = {
  parameter: { one: 'parámetro', many: 'parámetros', place: 'operación' },
  argument: { one: 'argumento', many: 'argumentos', place: 'herramienta' },
} as const;

/** What callers call a field of an input. */
export type InputKind = keyof typeof KINDS;

/** Checks what a caller gave. @throws Failure invalid_request that says what to repair, the first fault alone */
export function readInput<Input extends z.ZodObject>(
  kind: InputKind,
  input: Input,
  given: unknown,
): Given<Input> {
  const read = input.safeParse(given ?? {}, { error: predicateOf });
  if (read.success) return inOurWords(read.data);
  const { issues } = read.error;
  const unknown = issues.find(({ code }) => code === 'unrecognized_keys');
  if (unknown?.code === 'unrecognized_keys')
    throw unknownName(kind, String(unknown.keys[0]), Object.keys(input.shape));
  throw faultOf(kind, issues[0] as Issue, given);
}

/** Of a name that does not exist: the one that was probably meant, or all there are. */
export function unknownName(kind: InputKind, name: string, known: readonly string[]): Failure {
  const { one, many, place } = KINDS[kind];
  const shown = name.slice(0, LONGEST_SHOWN);
  const missing = `El ${one} ${JSON.stringify(shown)} no existe`;
  if (known.length === 0) return invalid(name, `${missing}: esta ${place} no recibe ${many}.`);
  const nearest = nearestOf(shown, known);
  const hint =
    nearest === null ? `Esta ${place} admite: ${known.join(', ')}.` : `¿Quisiste decir ${nearest}?`;
  return invalid(name, `${missing}. ${hint}`);
}

const LONGEST_SHOWN = 60;

type Issue = z.core.$ZodIssue;

function faultOf(kind: InputKind, { code, path, message }: Issue, given: unknown): Failure {
  const name = nameOf(path);
  if (name === '') return invalid('arguments', 'Los argumentos deben ser un objeto JSON.');
  const { one } = KINDS[kind];
  if (code === 'invalid_type' && isAbsent(given, path)) return invalid(name, `Falta el ${one} ${name}.`);
  // An address has no places in a list.
  const shown = kind === 'parameter' ? String(path[0]) : name;
  return invalid(shown, `El ${one} ${shown} ${message}`);
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'debe ser un texto.',
  number: 'debe ser un número.',
  int: 'debe ser un número entero.',
  boolean: 'debe ser true o false.',
  array: 'debe ser una lista, por ejemplo ["…"].',
  object: 'debe ser un objeto.',
};

/** Goes on from «El argumento limit», where the field itself does not say what is wrong. */
function predicateOf(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'invalid_value') return `solo admite: ${issue.values.join(', ')}.`;
  if (issue.code === 'invalid_type') return TYPES[issue.expected] ?? 'no tiene el tipo esperado.';
  if (issue.code === 'too_big')
    return `${MOST[issue.origin] ?? 'debe ser a lo más'} ${issue.maximum}${UNITS[issue.origin] ?? ''}.`;
  if (issue.code === 'too_small' && issue.origin === 'string') return 'no puede estar vacío.';
  return 'no tiene la forma esperada.';
}

const MOST: Readonly<Record<string, string>> = { string: 'admite hasta', array: 'admite hasta' };
const UNITS: Readonly<Record<string, string>> = { string: ' caracteres', array: ' valores' };

function nameOf(path: Issue['path']): string {
  return path.map((part) => (typeof part === 'number' ? `[${part}]` : String(part))).join('');
}

function isAbsent(given: unknown, path: Issue['path']): boolean {
  let value: unknown = given ?? {};
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return true;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value === undefined;
}
