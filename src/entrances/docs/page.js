/* global Scalar */
const TITLE = document.title;
/** What the package says in English in every language. */
const LEFT_IN_ENGLISH = {
  'Set dark mode': 'Cambiar al modo oscuro',
  'Set light mode': 'Cambiar al modo claro',
  'Notifications alt+T': 'Avisos',
};
const reference = document.querySelector('#reference');
if (typeof Scalar === 'undefined') {
  reference.querySelector('p').textContent =
    'No se pudo cargar la documentación. Vuelve a cargar la página en unos segundos.';
} else {
  reference.replaceChildren();
  Scalar.createApiReference(reference, {
    url: '/v1/openapi.json',
    // Requests can be tried where the page came from and nowhere else.
    servers: [{ url: location.origin }],
    localization: {
      locale: 'es',
      translations: {
        search: {
          instructions: 'Flecha arriba o abajo para moverte, Enter para elegir; escribe para filtrar.',
        },
        // The words of the package do not fit beside their heading.
        apiClient: { authSelector: { selectedType: 'Tipo: {type}' } },
      },
    },
    modelsSectionLabel: 'Esquemas',
    documentDownloadType: 'json',
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    setPageTitle: ({ title, document: api }) => (title === api.title ? TITLE : `${title} · API de Tianguis`),
    // A typed key is forgotten with the page.
    persistAuth: false,
    // What would ask other hosts; the page's policy forbids it besides.
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
  });
  new MutationObserver(translateLabels).observe(document.body, {
    childList: true,
    subtree: true,
    attributeFilter: ['aria-label'],
  });
}

function translateLabels() {
  for (const [english, spanish] of Object.entries(LEFT_IN_ENGLISH))
    for (const element of document.querySelectorAll(`[aria-label="${english}"]`))
      element.setAttribute('aria-label', spanish);
}
