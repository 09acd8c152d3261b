/** The release report of Mercado Pago: configured once, ordered for a span, ready later. */
import type { Call, Reply, Routes } from '../http.ts';
import { time } from './facts.ts';
import { COLUMNS, rowsOf } from './movements.ts';
import { refuse, type Seller, type Shop } from './shop.ts';

interface Report {
  readonly id: number;
  readonly seller: Seller;
  readonly begin: number;
  readonly end: number;
  readonly created: number;
}

const SHORTEST = 86_400_000;
const LONGEST = 60 * 86_400_000;

export function releaseReportRoutes(shop: Shop): Routes {
  const { caller } = shop;
  const configs = openConfigs(shop);
  const reports: Report[] = [];

  function create(call: Call): Reply {
    const seller = caller(call);
    configs.assertMade(seller);
    const { begin_date, end_date } = jsonOf(call) as { begin_date?: string; end_date?: string };
    const [begin, end] = [Date.parse(begin_date ?? ''), Date.parse(end_date ?? '')];
    const isRange = end - begin >= SHORTEST && end - begin <= LONGEST && end <= shop.now();
    if (!isRange) throw refuse(400, 'bad_request', 'Invalid date range');
    const report = { id: 5_000_000 + reports.length, seller, begin, end, created: shop.now() };
    reports.push(report);
    return { status: 202, body: { ...listed(report, shop), file_name: null } };
  }

  function reportsOf(seller: Seller): Report[] {
    const { reportsLostBefore } = shop.switches;
    return reports.filter((one) => one.seller === seller && one.created >= reportsLostBefore);
  }

  function download(call: Call): Reply {
    const seller = caller(call);
    const report = reportsOf(seller).find(
      (one) => listed(one, shop).file_name === call.params.file,
    );
    if (!report) throw refuse(404, 'not_found', 'File not found');
    const { separator, columns } = configs.of(seller);
    const names = (columns as { key: string }[]).map(({ key }) => key);
    const text = rowsOf(report, shop, names)
      .map((row) => row.join(String(separator)))
      .join('\n');
    return { headers: { 'content-type': 'text/csv; charset=utf-8' }, body: `${text}\n` };
  }

  return {
    ...configs.routes,
    'POST /v1/account/release_report': create,
    'GET /v1/account/release_report/list': (call) => {
      return { body: reportsOf(caller(call)).map((one) => listed(one, shop)) };
    },
    'GET /v1/account/release_report/:file': download,
  };
}

/** The sellers' configurations; a seller without one has the default in its place. */
function openConfigs({ caller, switches }: Shop) {
  const configs = new Map<number, Record<string, unknown>>();
  const of = (seller: Seller) => configs.get(seller.id) ?? defaultConfig(seller);

  function assertMade({ id }: Seller): void {
    if (configs.has(id) || switches.reportConfigured) return;
    throw refuse(404, 'config_not_found_for_user', 'Configuration not found');
  }

  function configure(status: number): (call: Call) => Reply {
    return (call) => {
      const seller = caller(call);
      const config = { ...defaultConfig(seller), ...(jsonOf(call) as Record<string, unknown>) };
      configs.set(seller.id, config);
      return { status, body: config };
    };
  }

  const routes: Routes = {
    'GET /v1/account/release_report/config': (call) => {
      const seller = caller(call);
      assertMade(seller);
      return { body: of(seller) };
    },
    'POST /v1/account/release_report/config': configure(201),
    'PUT /v1/account/release_report/config': configure(200),
  };
  return { of, assertMade, routes };
}

/** A report is in the list at once; its file_name comes late. */
function listed({ id, seller, begin, end, created }: Report, { now, switches }: Shop) {
  const ready = now() >= created + switches.reportSeconds * 1_000;
  return {
    id,
    user_id: seller.id,
    begin_date: new Date(begin).toISOString(),
    end_date: new Date(end).toISOString(),
    file_name: ready ? `release-report-${seller.id}-${id}.csv` : null,
    created_from: 'manual',
    date_created: time(created, -4),
  };
}

function jsonOf(call: Call): unknown {
  try {
    return call.json() ?? {};
  } catch {
    throw refuse(400, 'bad_request', 'Malformed JSON');
  }
}

function defaultConfig({ id }: Seller): Record<string, unknown> {
  return {
    file_name_prefix: `release-report-${id}`,
    include_withdrawal_at_end: true,
    scheduled: false,
    execute_after_withdrawal: false,
    separator: ';',
    display_timezone: 'GMT-04',
    frequency: { hour: 0, type: 'monthly', value: 1 },
    columns: COLUMNS.map((key) => ({ key })),
  };
}
