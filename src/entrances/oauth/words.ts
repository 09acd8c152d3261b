/** What a person reads when an agent's request cannot go on; by the code of the standard. */
export const ERROR_WORDS: Readonly<Record<string, string>> = {
  invalid_client: 'No conocemos al programa que pide el permiso, o no pudimos leer quién es.',
  invalid_redirect_uri: 'El programa pide la respuesta en una dirección que no registró.',
  invalid_request: 'El programa hizo una solicitud que no está completa o no es válida.',
  server_error: 'Ocurrió un error de nuestro lado. Intenta de nuevo en un momento.',
};

export const UNKNOWN_ERROR = 'La solicitud del programa no se puede atender.';
