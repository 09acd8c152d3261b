/** What a person reads when an agent's request cannot go on; by the code of the standard. */
export const ERROR_WORDS: Readonly<Record<string, string>> = {
  invalid_client: 'No conocemos la aplicación que pide el permiso, o no pudimos leer quién es.',
  invalid_redirect_uri: 'La aplicación pide la respuesta en una dirección que no registró.',
  invalid_request: 'La aplicación envió una solicitud incompleta o no válida.',
  server_error: 'Ocurrió un error de nuestro lado. Intenta de nuevo en un momento.',
};

/**
 * Spanish sentences in place of the library's English, which some agents show to people. The standard
 * allows ASCII alone, so these do without accents. `invalid_request` says which parameter is wrong,
 * and keeps the library's words.
 */
export const AGENT_WORDS: Readonly<Record<string, string>> = {
  invalid_grant: 'Este permiso ya no vale, o no es de esta aplicacion. Conecta de nuevo el agente.',
  invalid_client: 'Tianguis no conoce esta aplicacion. Conecta de nuevo el agente.',
  invalid_target:
    'Los tokens son solo para la entrada de agentes de Tianguis, tal como se anuncia.',
  invalid_scope: 'Se pide un permiso que no existe o que la persona no dio.',
  unauthorized_client: 'Esta aplicacion se registro para otro uso.',
  unsupported_grant_type: 'Los tokens no se piden de esa forma.',
  unsupported_response_type: 'Solo se responde con code.',
  login_required: 'Hace falta que la persona responda en su navegador.',
  consent_required: 'Hace falta que la persona responda en su navegador.',
  interaction_required: 'Hace falta que la persona responda en su navegador.',
  server_error: 'Hubo un error de nuestro lado. Intenta de nuevo en un momento.',
};

/**
 * What the library has against a client's description, by its own sentence. Ours begin with the
 * field's name, too.
 */
const METADATA_WORDS: readonly (readonly [said: RegExp, words: string])[] = [
  [/^(\w+) must be a non-empty string if provided$/, '$1: debe ser un texto, o faltar'],
  [
    /^(redirect_uris) for native clients using claimed HTTPS.*/,
    '$1: en la misma computadora se usa http',
  ],
  [
    /^client_id metadata document is not .*/,
    'El documento de la aplicacion debe ser un objeto JSON',
  ],
  [
    /^client_id metadata document (client_id) does not .*/,
    '$1: el documento debe nombrar su propia direccion',
  ],
  [/^client_id metadata document .*shared-secret.*/, 'token_endpoint_auth_method: debe ser none'],
  [
    /^client_id metadata document must not contain (\w+).*/,
    '$1: el documento no debe llevar un secreto',
  ],
  [/^client_id metadata document (\w+) must be an https: URL$/, '$1: debe ser una direccion https'],
  [/^([a-z]+_[a-z_]+) .*/, '$1: no es valido'],
];
const METADATA_CODES = ['invalid_client_metadata', 'invalid_redirect_uri'];
const OURS = /^[a-z_]+: /;

/**
 * @param code may be anything that an agent wrote into its own address
 * @param said the library's words
 * @returns null where they stay
 */
export function agentWords(code: string, said = ''): string | null {
  if (METADATA_CODES.includes(code)) return OURS.test(said) ? null : metadataWords(said);
  return Object.hasOwn(AGENT_WORDS, code) ? (AGENT_WORDS[code] ?? null) : null;
}

/** For a registration whose body is no metadata at all. */
export const NO_DESCRIPTION =
  'Se espera la descripcion de la aplicacion: un objeto JSON de 64 KB a lo mas, como application/json.';

function metadataWords(said: string): string {
  const [known, words] = METADATA_WORDS.find(([pattern]) => pattern.test(said)) ?? [];
  return known && words
    ? said.replace(known, words)
    : 'La descripcion de la aplicacion no es valida';
}

export const UNKNOWN_ERROR = 'No podemos atender la solicitud de la aplicación.';
