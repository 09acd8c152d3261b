import { type StandardSchemaV1Sync, specTypeSchemas } from '@modelcontextprotocol/server';
import type { Message } from './rpc.ts';

const PAGE = specTypeSchemas.PaginatedRequestParams;
/** The SDK reports what lacks these forms in English, as a failure of ours. */
const FORMS: Readonly<Record<string, StandardSchemaV1Sync>> = {
  'prompts/list': PAGE,
  'resources/list': PAGE,
  'resources/templates/list': PAGE,
  'tools/list': PAGE,
};

/** Revisions of 2026 do not have this method. */
const LEGACY_FORMS = { ...FORMS, initialize: specTypeSchemas.InitializeRequestParams };

/** Why a request has other parameters than the protocol asks for, in Spanish; null = it has not. */
export function faultOfParams(
  { method, params, whole, id }: Message,
  isLegacy: boolean,
): string | null {
  // The SDK answers what is no request.
  if (!('jsonrpc' in whole) || whole.jsonrpc !== '2.0' || id === null) return null;
  if (method === 'tools/call' && typeof params.name !== 'string')
    return 'El nombre de la herramienta (name) debe ser un texto. tools/list dice cuáles hay.';
  const forms: typeof FORMS = isLegacy ? LEGACY_FORMS : FORMS;
  const form = Object.hasOwn(forms, method) ? forms[method] : undefined;
  const [issue] = form?.['~standard'].validate(params).issues ?? [];
  if (!issue) return null;
  const path = (issue.path ?? []).map((step) => (typeof step === 'object' ? step.key : step));
  const name = path.map(String).join('.');
  return `El parámetro ${name} de ${method} falta o no tiene la forma que pide el protocolo.`;
}
