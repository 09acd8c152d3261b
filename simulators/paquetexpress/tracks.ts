/** What is asked of parcels: their list, one of them, its history and its label. */
import type { Call, Reply, Routes } from '../http.ts';
import { dayOf, eventRow, listed, pdfOf, returned, zplOf } from './documents.ts';
import { done, refused } from './envelope.ts';
import { happened, type Parcel } from './parcel.ts';
import { dataOf, type Sessions, securityOf } from './session.ts';

interface Solicitude {
  readonly rastreo?: string;
  readonly datosAdicionales?: { readonly datoAdicional?: readonly { valorDataAd?: string }[] };
}

const FROM = /^\d{4}-\d\d-\d\d$/;
/** Which figures of getZPL ask for the text of the labels. */
const WITH_LABELS: readonly string[] = ['1', '3', '4', '5'];

interface Tracks {
  readonly sessions: Sessions;
  readonly pageSize: number;
  now(): number;
  find(tracking: string): Parcel | undefined;
  parcels(): readonly Parcel[];
}

export function trackRoutes({ sessions, now, pageSize, find, parcels }: Tracks): Routes {
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
    if (!parcel || parcel.hasNoHistory)
      throw refused('60', 'No se encontró información del rastreo', 'text');
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
      return {
        headers: { 'content-type': 'application/pdf' },
        body: Buffer.from(pdfOf(parcel), 'latin1'),
      };
    },
  };
}
