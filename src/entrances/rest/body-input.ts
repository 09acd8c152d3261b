import { z } from 'zod';
import { invalid } from '../../platform/failure.ts';
import type { Given } from '../../platform/input-fields.ts';
import { isStorable } from '../../platform/json.ts';
import { readInput } from '../inputs.ts';

/** An input that comes as a JSON body. */
export interface BodyInput<Input extends z.ZodObject = z.ZodObject> {
  readonly input: Input;
  readonly schema: object;
  readonly example: unknown;
}

/** An input that comes as the bytes of a file. */
export interface FileInput {
  readonly types: readonly string[];
  readonly mostBytes: number;
}

/** @param leftOut of the example: what excludes another field */
export function bodyInput<Input extends z.ZodObject>(
  input: Input,
  leftOut: readonly (keyof Input['shape'] & string)[] = [],
): BodyInput<Input> {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input', target: 'draft-2020-12' });
  const examples = Object.entries(schema.properties ?? {})
    .filter(([name]) => !leftOut.some((one) => one === name))
    .map(([name, property]) => [name, (property as z.core.JSONSchema.JSONSchema).examples?.[0]]);
  return { input, schema, example: Object.fromEntries(examples) };
}

/** @throws Failure invalid_request naming the field at fault */
export function readFields<Input extends z.ZodObject>(
  { input }: BodyInput<Input>,
  body: unknown,
): Given<Input> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid('body', 'El cuerpo debe ser un objeto JSON.');
  const odd = Object.entries(body).find(([, value]) => !isStorable(value));
  if (odd) throw invalid(odd[0], `El campo ${odd[0]} tiene caracteres que no son texto: quítalos.`);
  return readInput('field', input, body);
}
