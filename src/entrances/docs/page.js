/* global Scalar */
const TITLE = document.title;
/** What the package says in English in every language: labels and texts. */
const LEFT_IN_ENGLISH = {
  'Set dark mode': 'Cambiar al modo oscuro',
  'Set light mode': 'Cambiar al modo claro',
  'Notifications alt+T': 'Avisos',
  'Request Example for': 'Ejemplo de solicitud de',
  'HTTP Method:': 'Método HTTP:',
  'Select a value': 'Elige un valor',
  'array of': 'lista de',
  Copy: 'Copiar',
};
/** Where code stands, which is not translated. */
const CODE = 'code, pre, [contenteditable]';
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
          instructions:
            'Flecha arriba o abajo para moverte, Enter para elegir; escribe para filtrar.',
        },
        // The words of the package do not fit beside their heading.
        apiClient: { authSelector: { selectedType: 'Tipo: {type}' } },
      },
    },
    modelsSectionLabel: 'Esquemas',
    documentDownloadType: 'json',
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    setPageTitle: ({ title, document: api }) =>
      title === api.title ? TITLE : `${title} · API de Tianguis`,
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
  new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes)
      for (const node of type === 'childList' ? addedNodes : [target]) translate(node);
  }).observe(document.body, {
    childList: true,
    subtree: true,
    characterData: true,
    attributeFilter: ['aria-label'],
  });
}

function translate(node) {
  if (node instanceof Element)
    for (const element of [node, ...node.querySelectorAll('[aria-label], button')]) {
      translateLabel(element);
      nameCopyButton(element);
    }
  const texts = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  for (let text = texts.currentNode; text; text = texts.nextNode()) translateText(text);
}

/** The package's buttons that copy have a picture alone. */
function nameCopyButton(element) {
  if (element.matches('button[class*="copy-button"]') && !element.getAttribute('aria-label'))
    element.setAttribute('aria-label', 'Copiar');
}

function translateLabel(element) {
  const spanish = LEFT_IN_ENGLISH[element.getAttribute('aria-label')];
  if (spanish) element.setAttribute('aria-label', spanish);
}

function translateText(text) {
  if (text.nodeType !== Node.TEXT_NODE) return;
  const english = text.data.trim();
  if (!Object.hasOwn(LEFT_IN_ENGLISH, english) || text.parentElement?.closest(CODE)) return;
  text.data = text.data.replace(english, LEFT_IN_ENGLISH[english]);
}
