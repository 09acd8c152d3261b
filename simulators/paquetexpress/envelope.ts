/** The one envelope of every answer: a 200, whatever became of the request. */
import { Refusal, type Reply } from '../http.ts';

/** Every answer says how long it took, which is not read. */
const TIME = '412.0 miliseconds';

export function done(data: unknown, objectDTO: unknown = null, more: object = {}): Reply {
  const response = { success: true, messages: null, data, objectDTO, ...more, time: TIME };
  return { body: { header: null, body: { request: null, response } } };
}

/**
 * `messages` is a list, as documented; client programs have met a single object and plain text too.
 */
export function refused(
  code: string,
  description: string,
  shape: 'list' | 'object' | 'text' = 'list',
): Refusal {
  const message = { code, description, typeError: 'ERROR' };
  const messages = { list: [message], object: message, text: description }[shape];
  const response = { success: false, messages, data: null, objectDTO: null, time: TIME };
  return new Refusal({ body: { header: null, body: { request: null, response } } });
}
