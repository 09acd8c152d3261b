/**
 * Paquetexpress as its integration documents describe it: one envelope for everything, sessions of
 * half a minute, dates in words. The listing of an account's shipments is in no document: this is
 * what we suppose of it.
 */
import { createFaults, type Faults } from '../faults.ts';
import { type Call, type LoggedRequest, type Reply, type Routes, serve } from '../http.ts';
import { cents, wholeSecond } from '../order.ts';
import { createWorld, type World } from '../world.ts';
import { dayOf, eventRow, listed, pdfOf, returned, zplOf } from './documents.ts';
import { done, refused } from './envelope.ts';
import { type Account, creditOf, guideRoutes } from './guides.ts';
import { guideOf, happened, type Parcel, parcelOf, priceOf, trackingOf } from './parcel.ts';
import { dataOf, openSessions, type Sessions, securityOf } from './session.ts';
import { openWebhooks, type Webhooks } from './webhooks.ts';

export interface PaquetexpressOptions {
  seed?: string | number;
  /** Epoch milliseconds. */
  now?: () => number;
  /** A shop whose packed orders are sent with this carrier. */
  world?: World;
  port?: number;
  username?: string;
  /** How long a session lives. */
  sessionSeconds?: number;
  /** Prepaid, decimal text in MXN. */
  credit?: string;
  pageSize?: number;
  /** How long an hour in the life of a guide lasts that was asked for here. */
  hour?: number;
}

export interface Paquetexpress {
  readonly url: string;
  readonly world: World;
  readonly faults: Faults;
  readonly requests: readonly LoggedRequest[];
  readonly webhooks: Webhooks;
  credentials(): { username: string; token: string };
  /** What is left of the prepaid credit. */
  credit(): string;
  /** Everything documented by now, oldest first. */
  parcels(): readonly Parcel[];
  /** A parcel to which nothing happens by itself. */
  document(spec?: { tracking?: string; reference?: string; at?: number }): Parcel;
  happen(tracking: string, code: string, at?: number): void;
  /** How many calls of a path there were. */
  calls(path: RegExp): number;
  /** Every session opened so far is over. */
  expireTokens(): void;
  revoke(): void;
  close(): Promise<void>;
}

const FROM = /^\d{4}-\d\d-\d\d$/;
/** Which figures of getZPL ask for the text of the labels. */
const WITH_LABELS: readonly string[] = ['1', '3', '4', '5'];

export async function startPaquetexpress(
  options: PaquetexpressOptions = {},
): Promise<Paquetexpress> {
  const { seed = 'tianguis', username = 'TIENDA01', pageSize = 50, hour = 3_600_000 } = options;
  const now = options.now ?? options.world?.now ?? Date.now;
  const world = options.world ?? createWorld({ seed: `paquetexpress/${seed}`, now });
  const account: Account = { credit: cents(options.credit ?? '25000.00') };
  const own = new Map<string, Parcel>();
  const sessions = openSessions({
    seed: `paquetexpress/${seed}`,
    username,
    seconds: options.sessionSeconds ?? 30,
    now,
  });

  function parcels(): Parcel[] {
    const ofOrders = world.orders().flatMap((order) => parcelOf(order, now()) ?? []);
    const replaced = ofOrders.filter(({ tracking }) => !own.has(tracking));
    return [...replaced, ...own.values()].sort((a, b) => a.documentedAt - b.documentedAt);
  }

  function find(tracking: string): Parcel | undefined {
    return own.get(tracking) ?? parcels().find((parcel) => parcel.tracking === tracking);
  }

  function document({
    tracking,
    reference,
    at = now(),
  }: Parameters<Paquetexpress['document']>[0] = {}): Parcel {
    const number = 8e15 + own.size;
    const documentedAt = wholeSecond(at);
    const parcel: Parcel = {
      tracking: tracking ?? trackingOf(number),
      guide: guideOf(number),
      reference: reference ?? `REF-${own.size}`,
      documentedAt,
      content: 'COLCHON',
      productId: '56101508',
      packageCode: '3',
      packages: 1,
      kilograms: 12,
      sides: [190, 40, 40],
      amount: priceOf(12),
      serviceType: 'ST',
      receiver: {
        name: 'COMPRADORA SIMULADA',
        street: 'CALLE DE LAS FLORES',
        number: '7',
        colony: 'CENTRO',
        city: 'PUEBLA',
        state: 'PUEBLA',
        zip: '72000',
        phone: '2220000000',
      },
      events: [{ code: 'SWB', at: documentedAt }],
    };
    own.set(parcel.tracking, parcel);
    return parcel;
  }

  function happen(tracking: string, code: string, at = now()): void {
    const parcel = find(tracking);
    if (!parcel) throw new Error(`there is no parcel ${tracking}`);
    own.set(tracking, parcel);
    parcel.events = [...happened(parcel, now()), { code, at }];
  }

  const faults = createFaults({
    seed,
    replies: {
      expired_token: refused('500', 'The Token has expired on Mon Nov 16 12:00:00 CST 2026.').reply,
    },
    spared: /loginv1|\/v1\/(cancel)?guia(\?|$)/,
  });
  const shop = {
    sessions,
    now,
    hour,
    find,
    keep: (parcel: Parcel) => void own.set(parcel.tracking, parcel),
  };
  const server = await serve({
    routes: {
      'POST /RadRestFul/api/rad/loginv1/login': sessions.logIn,
      ...guideRoutes(shop, account),
      ...trackRoutes({ sessions, now, pageSize, find, parcels }),
    },
    missing: {
      status: 404,
      headers: { 'content-type': 'text/html' },
      body: '<h1>HTTP Status 404</h1>',
    },
    through: faults.through,
    now,
    port: options.port ?? 0,
  });
  const webhooks = openWebhooks(parcels, now);
  return {
    url: server.url,
    requests: server.requests,
    world,
    faults,
    webhooks,
    credentials: sessions.credentials,
    credit: () => creditOf(account),
    parcels,
    document,
    happen,
    calls: (path) => server.requests.filter((request) => path.test(request.path)).length,
    expireTokens: sessions.expire,
    revoke: sessions.revoke,
    close: () => {
      webhooks.stop();
      return server.close();
    },
  };
}

interface Tracks {
  readonly sessions: Sessions;
  readonly pageSize: number;
  now(): number;
  find(tracking: string): Parcel | undefined;
  parcels(): readonly Parcel[];
}

function trackRoutes({ sessions, now, pageSize, find, parcels }: Tracks): Routes {
  function list(call: Call): Reply {
    sessions.admit(securityOf(call).token);
    const { dateFrom = '', dateTo = '', page = 1 } = dataOf<Record<string, string>>(call) ?? {};
    if (!FROM.test(dateFrom) || !FROM.test(dateTo))
      throw refused('10', 'dateFrom y dateTo: AAAA-MM-DD');
    const found = parcels().filter(({ documentedAt }) => {
      const day = dayOf(documentedAt);
      return day >= dateFrom && day <= dateTo;
    });
    const first = (Number(page) - 1) * pageSize;
    const rows = found.slice(first, first + pageSize).map((parcel) => listed(parcel, now()));
    const pages = Math.max(1, Math.ceil(found.length / pageSize));
    return done({ page: Number(page), pages, total: found.length, rows });
  }

  function track(call: Call): Reply {
    sessions.admit(securityOf(call).token);
    const asked = dataOf<{ solicitudEnvio?: Solicitude }>(call)?.solicitudEnvio;
    const parcel = find(asked?.rastreo ?? '');
    if (!parcel) throw refused('60', 'No se encontró información del rastreo');
    const [{ valorDataAd = '0' } = {}] = asked?.datosAdicionales?.datoAdicional ?? [];
    const zpl = WITH_LABELS.includes(valorDataAd) ? zplOf(parcel) : null;
    return done({ retornoSolicitud: returned(parcel, zpl) });
  }

  function history({ params }: Call): Reply {
    sessions.admit(params.session);
    const parcel = find(params.tracking ?? '');
    if (!parcel) throw refused('60', 'No se encontró información del rastreo', 'text');
    return done(happened(parcel, now()).map((event) => eventRow(parcel, event)));
  }

  return {
    'POST /ptxws/rest/api/v1/guia/consulta': list,
    'POST /RadRestFul/api/rad/v1/infotrack': track,
    'GET /ptxws/rest/api/v3/guia/historico/:tracking/:session': history,
    /** Public, and answers 200 to everything. */
    'GET /wsReportPaquetexpress/GenCartaPorte': ({ query }) => {
      const parcel = find(query.get('trackingNoGen') ?? '');
      if (!parcel)
        return { headers: { 'content-type': 'text/html' }, body: '<p>No existe la guía</p>' };
      return { headers: { 'content-type': 'application/pdf' }, body: pdfOf(parcel) };
    },
  };
}

interface Solicitude {
  readonly rastreo?: string;
  readonly datosAdicionales?: { readonly datoAdicional?: readonly { valorDataAd?: string }[] };
}
