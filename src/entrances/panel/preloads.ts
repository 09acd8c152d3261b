/** What the browser may fetch before the panel asks: the files of a screen, and what it reads first. */
import { escapeHtml } from '../../platform/html.ts';
import { PAGE_NAMES, SITE_PAGES, type SitePage } from '../../platform/site-pages.ts';
import { allows, type Reader } from '../navigation.ts';
import { findOperation, type OperationName } from './contract.ts';
import { filesOf, type Manifest } from './screen-files.ts';

/** The clock before any list: a change between the two would be in neither. */
const OF_EVERY_SCREEN: readonly OperationName[] = ['clock.read', 'frame.read'];
/**
 * Reads that a screen opened without filters begins with. A read with an input is none of them: its
 * address would have to be the same to the letter.
 */
const FIRST_READS: Partial<Record<SitePage, readonly OperationName[]>> = {
  home: [
    ...(['connections.list', 'alerts.list', 'orders.open', 'keys.ending'] as const),
    ...(['sales.today', 'warehouse.count'] as const),
  ],
  orders: ['connections.list', 'orders.list', 'orders.words'],
  shipments: ['shipments.list'],
  inventory: ['inventory.list'],
  balances: ['balances.list', 'alerts.mails', 'settlements.list'],
  cfdis: ['cfdis.list'],
  connections: ['connections.ways', 'connections.overview'],
  settings: ['fiscal-profile.read', 'alerts.mails', 'plan.read', 'logistics.read'],
};

/** The panel's page of a path below the organisation, such as `/ordenes`; null = none. */
export function panelPage(path: string): SitePage | null {
  const wanted = `${SITE_PAGES.home.path}${path.replace(/\/$/, '')}`;
  return PAGE_NAMES.find((page) => SITE_PAGES[page].path === wanted) ?? null;
}

interface Opened {
  /** Null = none of the panel's. */
  readonly page: SitePage | null;
  readonly reader: Reader;
  /** Filters, or a row that is open. */
  readonly hasQuery: boolean;
}

/** The elements of a page's head. */
export function preloadsHtml(manifest: Manifest, { page, reader, hasQuery }: Opened): string {
  const first = page === null || hasQuery ? [] : (FIRST_READS[page] ?? []);
  const reads = first.filter((name) => {
    const operation = findOperation(name);
    return operation !== null && allows(reader, operation);
  });
  return [
    ...filesOf(manifest, page).map(elementOf),
    ...[...OF_EVERY_SCREEN, ...reads].map((name) => {
      const address = `${SITE_PAGES.home.path}/api/${reader.organization.id}/${name}`;
      return `<link rel="preload" as="fetch" crossorigin href="${escapeHtml(address)}">`;
    }),
  ].join('\n');
}

function elementOf(file: string): string {
  const rel = file.endsWith('.css') ? 'stylesheet' : 'modulepreload';
  return `<link rel="${rel}" crossorigin href="${SITE_PAGES.home.path}/${escapeHtml(file)}">`;
}
