import type { IncomingMessage } from 'node:http';
import { fail, invalid } from '../../platform/failure.ts';
import { utf8Of } from '../../platform/text.ts';
import { readBytes } from '../http.ts';
import type { BodyInput, FileInput } from './body-input.ts';

const MOST_BYTES = 64 * 1_024;
const JSON_TYPE = 'application/json';

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
