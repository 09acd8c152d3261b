/** What a person reads when an agent's request cannot go on; by the code of the standard. */
export const ERROR_WORDS: Readonly<Record<string, string>> = {
  invalid_client: 'No conocemos al programa que pide el permiso, o no pudimos leer quién es.',
  invalid_redirect_uri: 'El programa pide la respuesta en una dirección que no registró.',
  invalid_request: 'El programa hizo una solicitud que no está completa o no es válida.',
  server_error: 'Ocurrió un error de nuestro lado. Intenta de nuevo en un momento.',
};

/**
 * What an agent is told in place of the library's English, which some show to people. The standard allows ASCII alone,
 * so these do without accents; codes that are missing here say which parameter is wrong, and keep the library's words.
 */
export const AGENT_WORDS: Readonly<Record<string, string>> = {
  invalid_grant: 'Este permiso ya no vale, o no es de este programa. Conecta de nuevo el agente.',
  invalid_client: 'Tianguis no conoce a este programa. Conecta de nuevo el agente.',
  invalid_target: 'Los tokens son solo para la entrada de agentes de Tianguis, tal como se anuncia.',
  invalid_scope: 'Se pide un permiso que no existe o que la persona no dio.',
  unauthorized_client: 'Este programa se hizo presente para otra cosa.',
  unsupported_grant_type: 'Los tokens no se piden de esa forma.',
  unsupported_response_type: 'Solo se responde con code.',
  login_required: 'Hace falta que la persona responda en su navegador.',
  consent_required: 'Hace falta que la persona responda en su navegador.',
  interaction_required: 'Hace falta que la persona responda en su navegador.',
  server_error: 'Hubo un error de nuestro lado. Intenta de nuevo en un momento.',
};

/** The code may be anything that an agent wrote into its own address. */
export function agentWords(code: string): string | null {
  return Object.hasOwn(AGENT_WORDS, code) ? (AGENT_WORDS[code] ?? null) : null;
}

export const UNKNOWN_ERROR = 'La solicitud del programa no se puede atender.';
