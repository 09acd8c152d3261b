import { z } from 'zod';
import { invalid } from '../platform/failure.ts';
import { type Given, inputOf } from '../platform/input-fields.ts';
import { readInput, unknownName } from './inputs.ts';

/** A parameter as the documentation shows it. */
export interface Parameter {
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example: unknown;
  readonly isList: boolean;
}

/** An input that comes in an address. */
export interface QueryInput<Input extends z.ZodObject = z.ZodObject> {
  readonly input: Input;
  readonly parameters: Readonly<Record<string, Parameter>>;
}

export type RawQuery = Readonly<Record<string, string | string[] | undefined>>;

/** @param notes what the documentation adds for addresses, by parameter */
export function queryOf<Input extends z.ZodObject>(
  input: Input,
  notes: Readonly<Record<string, string>> = {},
): QueryInput<Input> {
  const { properties = {} } = z.toJSONSchema(input, { io: 'input', target: 'draft-2020-12' });
  const parameters = Object.entries(properties).map(([name, property]) => {
    const { description = '', examples = [], ...schema } = property as z.core.JSONSchema.JSONSchema;
    const isList = schema.type === 'array';
    const note = notes[name] ?? (isList ? LIST_NOTE : undefined);
    return [
      name,
      {
        description: note === undefined ? description : `${description} ${note}`,
        schema: isList ? { ...schema, minItems: 1 } : schema,
        example: examples[0],
        isList,
      },
    ];
  });
  return { input, parameters: Object.fromEntries(parameters) };
}

const LIST_NOTE = 'Uno o varios, separados por comas o repitiendo el parámetro.';

/**
 * Reads the parameters of an address. @throws Failure invalid_request naming the parameter at fault
 */
export function readQuery<Input extends z.ZodObject>(
  { input, parameters }: QueryInput<Input>,
  raw: RawQuery,
): Given<Input> {
  const given: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(raw)) {
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (!parameter) throw unknownName('parameter', name, Object.keys(parameters));
    if (value !== undefined) given[name] = typed(name, parameter, value);
  }
  return readInput('parameter', input, given);
}

function typed(name: string, { isList, schema }: Parameter, value: string | string[]): unknown {
  if (isList) return listed(name, value);
  if (Array.isArray(value)) throw invalid(name, `El parámetro ${name} debe aparecer una sola vez.`);
  if (schema.type === 'integer' && /^\d{1,9}$/.test(value)) return Number(value);
  if (schema.type === 'boolean' && /^(true|false)$/.test(value)) return value === 'true';
  return value;
}

function listed(name: string, value: string | string[]): string[] {
  const values = [value].flat().flatMap(valuesOf);
  if (values.includes(''))
    throw invalid(name, `El parámetro ${name} no puede tener valores vacíos.`);
  return values;
}

const ESCAPED_OR_ONE = /\\[\\,]|./gs;

/**
 * The values between commas, without blanks around them. `\,` is a comma of the value itself, `\\`
 * a backslash.
 */
function valuesOf(text: string): string[] {
  if (!text.includes('\\')) return text.split(',').map((value) => value.trim());
  const values = [''];
  for (const [part] of text.matchAll(ESCAPED_OR_ONE))
    if (part === ',') values.push('');
    else values.push(`${values.pop()}${part.length === 2 ? part[1] : part}`);
  return values.map((value) => value.trim());
}

/** Of an operation without parameters. */
export const NO_QUERY = queryOf(inputOf({}));
