/**
 * Where a person does things: what each page is called and its address. A page of the panel is about
 * an organisation: without one in its address it leads to the person's last.
 */
export const SITE_PAGES = {
  home: { name: 'Inicio', path: '/panel' },
  orders: { name: 'Órdenes', path: '/panel/ordenes' },
  sales: { name: 'Ventas', path: '/panel/ventas' },
  inventory: { name: 'Inventario', path: '/panel/inventario' },
  balances: { name: 'Saldos y pagos', path: '/panel/saldos' },
  withheld: { name: 'Impuestos retenidos', path: '/panel/retenciones' },
  findings: { name: 'Hallazgos', path: '/panel/hallazgos' },
  shipments: { name: 'Envíos', path: '/panel/envios' },
  warehouse: { name: 'Almacén', path: '/panel/almacen' },
  cfdis: { name: 'Facturas', path: '/panel/facturas' },
  connections: { name: 'Conexiones', path: '/panel/conexiones' },
  figures: { name: 'Métricas', path: '/panel/metricas' },
  usage: { name: 'Uso', path: '/panel/uso' },
  settings: { name: 'Ajustes', path: '/panel/ajustes' },
  signIn: { name: 'Entrar', path: '/entrar' },
  account: { name: 'Mi cuenta', path: '/cuenta' },
  members: { name: 'Miembros', path: '/cuenta/miembros' },
  keys: { name: 'Claves de API', path: '/cuenta/claves' },
  webhooks: { name: 'Webhooks', path: '/cuenta/webhooks' },
  exports: { name: 'Exportaciones', path: '/cuenta/exportaciones' },
  sheet: { name: 'Hojas de cálculo', path: '/cuenta/hoja' },
  agents: { name: 'Agentes conectados', path: '/cuenta/agentes' },
  activity: { name: 'Actividad', path: '/cuenta/actividad' },
  docs: { name: 'Guía rápida de la API', path: '/docs/guia' },
} as const;
export type SitePage = keyof typeof SITE_PAGES;
export const PAGE_NAMES = Object.keys(SITE_PAGES) as [SitePage, ...SitePage[]];

/** A page in a sentence without a link: «Claves de API (/cuenta/claves)». */
export function nameAndPath(page: SitePage): string {
  const { name, path } = SITE_PAGES[page];
  return `${name} (${path})`;
}
