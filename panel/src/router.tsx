/** The screens by their addresses; each is a chunk of its own. */
import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { BrokenScreen } from './frame/BrokenScreen.tsx';
import { Frame } from './frame/Frame.tsx';
import { NoPage } from './frame/NoPage.tsx';
import { isEntering, noteNavigation } from './queries.ts';
import { payoutSearch } from './screens/balances/search.ts';
import { cfdiSearch } from './screens/cfdis/search.ts';
import { connectionSearch } from './screens/connections/search.ts';
import { figuresSearch } from './screens/figures/search.ts';
import { findingSearch } from './screens/findings/search.ts';
import { inventorySearch } from './screens/inventory/search.ts';
import { orderSearch } from './screens/orders/search.ts';
import { salesSearch } from './screens/sales/periods.ts';
import { shipmentSearch } from './screens/shipments/search.ts';
import { usageSearch } from './screens/usage/search.ts';
import { warehouseSearch } from './screens/warehouse/search.ts';
import { withheldSearch } from './screens/withheld/search.ts';

const root = createRootRoute({ component: Frame, notFoundComponent: NoPage });

const home = createRoute({ getParentRoute: () => root, path: '/' }).lazy(() =>
  import('./screens/home/HomeScreen.tsx').then(({ route }) => route),
);
const orders = createRoute({
  getParentRoute: () => root,
  path: '/ordenes',
  validateSearch: only(orderSearch),
}).lazy(() => import('./screens/orders/OrdersScreen.tsx').then(({ route }) => route));
const sales = createRoute({
  getParentRoute: () => root,
  path: '/ventas',
  validateSearch: only(salesSearch),
}).lazy(() => import('./screens/sales/SalesScreen.tsx').then(({ route }) => route));
const balances = createRoute({
  getParentRoute: () => root,
  path: '/saldos',
  validateSearch: only(payoutSearch),
}).lazy(() => import('./screens/balances/BalancesScreen.tsx').then(({ route }) => route));
const findings = createRoute({
  getParentRoute: () => root,
  path: '/hallazgos',
  validateSearch: only(findingSearch),
}).lazy(() => import('./screens/findings/FindingsScreen.tsx').then(({ route }) => route));
const withheld = createRoute({
  getParentRoute: () => root,
  path: '/retenciones',
  validateSearch: only(withheldSearch),
}).lazy(() => import('./screens/withheld/WithheldScreen.tsx').then(({ route }) => route));
const inventory = createRoute({
  getParentRoute: () => root,
  path: '/inventario',
  validateSearch: only(inventorySearch),
}).lazy(() => import('./screens/inventory/InventoryScreen.tsx').then(({ route }) => route));
const connections = createRoute({
  getParentRoute: () => root,
  path: '/conexiones',
  validateSearch: only(connectionSearch),
}).lazy(() => import('./screens/connections/ConnectionsScreen.tsx').then(({ route }) => route));

const settings = createRoute({ getParentRoute: () => root, path: '/ajustes' }).lazy(() =>
  import('./screens/settings/SettingsScreen.tsx').then(({ route }) => route),
);
const cfdis = createRoute({
  getParentRoute: () => root,
  path: '/facturas',
  validateSearch: only(cfdiSearch),
}).lazy(() => import('./screens/cfdis/CfdisScreen.tsx').then(({ route }) => route));

const shipments = createRoute({
  getParentRoute: () => root,
  path: '/envios',
  validateSearch: only(shipmentSearch),
}).lazy(() => import('./screens/shipments/ShipmentsScreen.tsx').then(({ route }) => route));
const warehouse = createRoute({
  getParentRoute: () => root,
  path: '/almacen',
  validateSearch: only(warehouseSearch),
}).lazy(() => import('./screens/warehouse/WarehouseScreen.tsx').then(({ route }) => route));
const figures = createRoute({
  getParentRoute: () => root,
  path: '/metricas',
  validateSearch: only(figuresSearch),
}).lazy(() => import('./screens/figures/FiguresScreen.tsx').then(({ route }) => route));

const usage = createRoute({
  getParentRoute: () => root,
  path: '/uso',
  validateSearch: only(usageSearch),
}).lazy(() => import('./screens/usage/UsageScreen.tsx').then(({ route }) => route));

/** The router shows a screen also what `read` leaves out of an address, unless it is undefined. */
function only<Search extends object>(read: (given: Record<string, unknown>) => Search) {
  return (given: Record<string, unknown>): Search => {
    const nothing = Object.fromEntries(Object.keys(given).map((name) => [name, undefined]));
    return { ...nothing, ...read(given) };
  };
}

const [, panel = 'panel', organizationId = ''] = location.pathname.split('/');

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    orders,
    warehouse,
    shipments,
    sales,
    withheld,
    findings,
    inventory,
    balances,
    cfdis,
    connections,
    figures,
    usage,
    settings,
  ]),
  basepath: `/${panel}/${organizationId}`,
  // The query of an address is plain text, as the API's is.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
    const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
    return query.size === 0 ? '' : `?${query}`;
  },
  defaultErrorComponent: BrokenScreen,
  defaultPreload: 'intent',
  scrollRestoration: true,
});

// Before the router draws the screen that is navigated to.
router.history.subscribe(({ action }) => noteNavigation(action.type));

// A list loads the rows at the place of the window, so a screen that is entered anew is drawn at its
// top. By then the router knows the place that is left.
router.subscribe('onBeforeRouteMount', ({ fromLocation, pathChanged }) => {
  if (fromLocation && pathChanged && isEntering()) scrollTo(0, 0);
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
