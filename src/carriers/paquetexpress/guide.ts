import type { Call } from '../../connectors/contract.ts';
import { walk } from '../../connectors/lists.ts';
import type { Instant } from '../../platform/time.ts';
import { inTable } from '../../platform/word-table.ts';
import type {
  FoundGuide,
  GuideAddress,
  GuideAnswer,
  GuideApi,
  GuideCancelled,
  GuideRequest,
  ListedSpan,
} from '../contract.ts';
import type { PaquetexpressCredentials } from './credentials.ts';
import { labelsOf } from './labels.ts';
import { openGuideSession, posted } from './session.ts';
import { dayOf, listPath, readListPage } from './shipments.ts';
import { type Envelope, readMade, readShipment, referencesOf } from './wire.ts';

type Ask = ReturnType<typeof openGuideSession>;

const GUIDE_PATH = '/RadRestFul/api/rad/v1/guia';
const CANCEL_PATH = '/RadRestFul/api/rad/v1/cancelguia';

/** The lengths in the carrier's documents. */
const LONGEST = { number: 15, content: 100 };
const SERVICES: Readonly<Record<string, string>> = {
  ST: 'STD-T',
  '2D': 'SEG-2D',
  DS: 'SEG-DS',
  A12: 'SEG-A12',
  MD: 'SEG-MD',
};
const ENVELOPE_CODE = '1';
/** Collected at the branch; every other value is delivered to the door. */
const AT_BRANCH = '0';

/** Our sentences for the carrier's refusals. */
const REFUSALS: Readonly<Record<string, string>> = {
  '31': 'Tu cuenta de Paquetexpress no tiene saldo suficiente para esta guía. Recárgala e intenta de nuevo.',
  '44': 'Paquetexpress no llega al código postal de destino. Elige otra paquetería.',
  '45': 'El código postal de destino no existe para Paquetexpress. Revísalo.',
  '23': 'El paquete pesa más de lo que Paquetexpress acepta. Divídelo o elige otra paquetería.',
  '17': 'Falta el peso o el contenido del paquete. Complétalo en el producto.',
  '19': 'Falta el peso o el contenido del paquete. Complétalo en el producto.',
  '35': 'Tu cuenta de Paquetexpress no tiene un contrato para este servicio. Pídelo a tu ejecutivo.',
};

/** Guides of one batch. */
export function openGuides(call: Call<PaquetexpressCredentials>): GuideApi {
  const ask = openGuideSession(call);
  return {
    create: (request) => createGuide(ask, call.credentials, request),
    find: (reference, span) => findGuide(ask, call, reference, span),
    labels: (tracking) => labelsOf(ask, call, tracking),
    cancel: (tracking) => cancelGuide(ask, tracking),
  };
}

/** The request for a guide, field by field; every figure is text. */
export function guideDocument(
  { username, client_id }: Pick<PaquetexpressCredentials, 'username' | 'client_id'>,
  request: GuideRequest,
) {
  const item = (srvcId: string, value1 = '') => ({ srvcId, value1 });
  return {
    billRad: 'REQUEST',
    billClntId: client_id ?? username,
    pymtMode: request.paymentForm,
    pymtType: 'C',
    comt: request.comments ?? '',
    dlvyType: request.deliveryType,
    ackType: request.acknowledgement,
    invType: request.coverage,
    shipType: request.serviceType,
    radGuiaAddrDTOList: [
      addressOf(request.origin, 'ORIGIN', null),
      addressOf(request.destination, 'DESTINATION', request.destinationTaxId),
    ],
    radSrvcItemDTOList: [
      {
        srvcId: request.packageCode === ENVELOPE_CODE ? 'ENVELOPES' : 'PACKETS',
        shpCode: request.packageCode,
        productIdSAT: request.productId,
        weight: request.weightKg,
        volL: request.lengthCm,
        volW: request.widthCm,
        volH: request.heightCm,
        cont: cut(request.content, LONGEST.content),
        qunt: String(request.packages),
      },
    ],
    listSrvcItemDTO: [
      ...(request.deliveryType === AT_BRANCH ? [] : [item('EAD')]),
      ...(request.acknowledgement === 'N' ? [] : [item('ACK', request.acknowledgement)]),
      ...(request.coverage === 'N' ? [] : [item('INV', request.coverage)]),
    ],
    typeSrvcId: inTable(SERVICES, request.serviceType) ?? request.serviceType,
    listRefs: [{ grGuiaRefr: request.reference }],
  };
}

function addressOf(address: GuideAddress, addrType: 'ORIGIN' | 'DESTINATION', rfc: string | null) {
  return {
    addrLin1: address.country,
    addrLin3: address.state,
    addrLin4: address.municipality,
    addrLin5: address.city,
    addrLin6: address.colony,
    strtName: address.street,
    drnr: cut(address.number, LONGEST.number),
    phno1: address.phone,
    zipCode: address.zipcode,
    clntName: address.name,
    email: address.email ?? '',
    contacto: address.name,
    ...(rfc !== null && { rfc }),
    addrType,
  };
}

/** Cuts by whole characters. */
function cut(text: string, most: number): string {
  return [...text].slice(0, most).join('');
}

async function createGuide(
  ask: Ask,
  credentials: PaquetexpressCredentials,
  request: GuideRequest,
): Promise<GuideAnswer> {
  const envelope = await ask({
    ...posted(GUIDE_PATH, [guideDocument(credentials, request)]),
    once: true,
  });
  return envelope.success
    ? { ok: true, ...readMade(envelope) }
    : { ok: false, ...refusalOf(envelope) };
}

async function cancelGuide(ask: Ask, tracking: string): Promise<GuideCancelled> {
  // A second request for one guide may be refused.
  const envelope = await ask({ ...posted(CANCEL_PATH, [tracking]), once: true });
  return envelope.success ? { ok: true } : { ok: false, ...refusalOf(envelope) };
}

/** In Spanish, ours where we know the code, else the carrier's own words. */
export function refusalOf({ messages }: Envelope): {
  readonly code: string;
  readonly message: string;
} {
  const [first] = messages;
  const code = first?.code ?? 'unknown';
  const known = inTable(REFUSALS, code);
  const reported = first?.description.trim() || 'no dijo por qué';
  return {
    code,
    message: known ?? `Paquetexpress rechazó la solicitud: ${reported.replace(/\.$/, '')}.`,
  };
}

/** The listing is by day; a day more at either end is read, since clocks differ. */
async function findGuide(
  ask: Ask,
  call: Call<PaquetexpressCredentials>,
  reference: string,
  { from, to }: ListedSpan,
): Promise<FoundGuide | null> {
  const [begin, end] = [from.subtract({ hours: 24 }), to.add({ hours: 24 })];
  const isAhead = Temporal.Instant.compare(end, call.now()) > 0;
  const days = { dateFrom: dayOf(begin), dateTo: dayOf(isAhead ? call.now() : end) };
  const list = walk(call, 1, async (page) => {
    const envelope = await ask(posted(listPath(call.credentials), { ...days, page }));
    const { rows, isLast } = readListPage(envelope, page);
    return { rows, next: isLast ? null : page + 1 };
  });
  for await (const rows of list) {
    const row = rows.find((one) => referencesOf(one).includes(reference));
    if (row !== undefined) return foundIn(row, call.now());
  }
  return null;
}

function foundIn(row: unknown, fetchedAt: Instant): FoundGuide {
  const { id, guideNumber, cost, category } = readShipment(row, { fetchedAt, history: null });
  const isCancelled = category === 'CANCELADO';
  return { tracking: id, guide: guideNumber, amount: cost, isCancelled };
}
