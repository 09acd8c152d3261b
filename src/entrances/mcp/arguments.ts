import type { z } from 'zod';
import { type Failure, invalid } from '../../platform/failure.ts';
import { unknownSentence } from '../inputs.ts';

type Issue = z.core.$ZodIssue;

/** Checks a tool's arguments. @throws Failure invalid_request that says what to repair, the first fault alone */
export function readArguments<Input extends z.ZodType>(input: Input, given: unknown): z.output<Input> {
  const read = input.safeParse(given ?? {});
  if (read.success) return read.data;
  throw failureOf(read.error.issues[0] as Issue, given, knownTo(input));
}

function failureOf(issue: Issue, given: unknown, known: readonly string[]): Failure {
  const [unknown = ''] = issue.code === 'unrecognized_keys' ? issue.keys : [];
  if (issue.code === 'unrecognized_keys')
    return invalid(unknown, unknownSentence('argument', unknown, known));
  const name = nameOf(issue.path);
  if (name === '') return invalid('arguments', 'Los argumentos deben ser un objeto JSON.');
  if (issue.code === 'invalid_type' && isAbsent(given, issue.path))
    return invalid(name, `Falta el argumento ${name}.`);
  return invalid(name, `El argumento ${name} ${ruleOf(issue)}`);
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'debe ser un texto.',
  number: 'debe ser un número.',
  int: 'debe ser un número entero.',
  boolean: 'debe ser true o false.',
  array: 'debe ser una lista, por ejemplo ["…"].',
  object: 'debe ser un objeto.',
};

/** Goes on from «El argumento limit». */
function ruleOf(issue: Issue): string {
  if (issue.code === 'custom') return issue.message;
  if (issue.code === 'invalid_value') return `solo admite: ${issue.values.join(', ')}.`;
  if (issue.code === 'invalid_type') return TYPES[issue.expected] ?? 'no tiene el tipo esperado.';
  if (issue.code === 'too_big') return `${MOST[issue.origin] ?? 'debe ser a lo más'} ${issue.maximum}.`;
  if (issue.code === 'too_small') return `${LEAST[issue.origin] ?? 'debe ser al menos'} ${issue.minimum}.`;
  return 'no tiene la forma esperada.';
}

const MOST: Readonly<Record<string, string>> = {
  string: 'tiene demasiados caracteres; el máximo es',
  array: 'tiene demasiados valores; el máximo es',
};
const LEAST: Readonly<Record<string, string>> = {
  string: 'tiene muy pocos caracteres; el mínimo es',
  array: 'tiene muy pocos valores; el mínimo es',
};

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

function knownTo(input: z.ZodType): string[] {
  return 'shape' in input ? Object.keys(input.shape as object) : [];
}
