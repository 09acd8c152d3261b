import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { fail, invalid } from '../../platform/failure.ts';
import type { Given } from '../../platform/input-fields.ts';
import { isStorable } from '../../platform/json.ts';
import { utf8Of } from '../../platform/text.ts';
import { readBytes } from '../http.ts';
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

const MOST_BYTES = 64 * 1_024;
const JSON_TYPE = 'application/json';

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

/**
 * The body of a request as JSON; an empty one is an object without fields.
 * @throws Failure invalid_request, payload_too_large
 */
async function readJson(request: IncomingMessage): Promise<unknown> {
  const bytes = await readBytes(request, MOST_BYTES);
  if (bytes.byteLength === 0) return {};
  if (typeOf(request) !== JSON_TYPE)
    throw fail('invalid_request', {
      message: `Envía el cuerpo como JSON, con el encabezado Content-Type: ${JSON_TYPE}.`,
    });
  const text = utf8Of(bytes);
  if (text === null) throw fail('invalid_request', { message: 'Envía el cuerpo en UTF-8.' });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw fail('invalid_request', { message: 'El cuerpo no es un JSON válido.', cause });
  }
}

/**
 * What an operation is given as its body: fields, or a file's bytes.
 * @throws Failure invalid_request, payload_too_large
 */
export function readGiven(
  request: IncomingMessage,
  body: BodyInput | FileInput | null,
): Promise<unknown> | object {
  if (body === null) return {};
  return 'types' in body ? readFile(request, body) : readJson(request);
}

async function readFile(
  request: IncomingMessage,
  { types, mostBytes }: FileInput,
): Promise<Buffer> {
  const bytes = await readBytes(request, mostBytes);
  if (!types.includes(typeOf(request)))
    throw fail('invalid_request', {
      message: `Envía el archivo tal cual, con el encabezado Content-Type: ${types.join(' o ')}.`,
    });
  if (bytes.byteLength === 0) throw invalid('body', 'El archivo está vacío.');
  return bytes;
}

/** Without its parameters, in lower case. */
function typeOf({ headers }: IncomingMessage): string {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  return type.trim().toLowerCase();
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

const LONGEST_KEY = 200;
const KEY_HEADER = 'Idempotency-Key';

/** @returns null where it was not sent @throws Failure invalid_request */
export function idempotencyKeyOf(request: IncomingMessage): string | null {
  const given = request.headers[KEY_HEADER.toLowerCase()];
  if (given === undefined) return null;
  if (typeof given !== 'string' || !/^[\x21-\x7e]+$/.test(given) || given.length > LONGEST_KEY)
    throw invalid(
      KEY_HEADER,
      `El encabezado ${KEY_HEADER} admite de 1 a ${LONGEST_KEY} caracteres ASCII sin espacios.`,
    );
  return given;
}
