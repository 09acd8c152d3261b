/** Guides that are requested: prepaid, with the refusals that cost an afternoon. */
import type { Call, Reply, Routes } from '../http.ts';
import { cents, decimal, wholeSecond } from '../order.ts';
import { done, refused } from './envelope.ts';
import { guideOf, isCollected, lifeFrom, type Parcel, priceOf, trackingOf } from './parcel.ts';
import { dataOf, type Sessions, securityOf } from './session.ts';

interface GuideShop {
  readonly sessions: Sessions;
  now(): number;
  /** How long an hour of a parcel's life lasts. */
  readonly hour: number;
  find(tracking: string): Parcel | undefined;
  keep(parcel: Parcel): void;
}

export interface Account {
  /** Cents. */
  credit: number;
}

interface Address {
  readonly addrType?: string;
  readonly clntName?: string;
  readonly strtName?: string;
  readonly drnr?: string;
  readonly addrLin3?: string;
  readonly addrLin5?: string;
  readonly addrLin6?: string;
  readonly zipCode?: string;
  readonly phno1?: string;
}

interface Item {
  readonly weight?: unknown;
  readonly volL?: unknown;
  readonly volW?: unknown;
  readonly volH?: unknown;
  readonly qunt?: unknown;
  readonly cont?: string;
  readonly shpCode?: string;
  readonly productIdSAT?: string;
}

interface Asked {
  readonly radGuiaAddrDTOList?: readonly Address[];
  readonly radSrvcItemDTOList?: readonly Item[];
  readonly typeSrvcId?: string;
  readonly listRefs?: readonly { grGuiaRefr?: string }[];
}

const MOST_LINES = 6;
const MOST_KILOGRAMS = 70;
const LONGEST_NUMBER = 15;
/** Baja California Sur's islands, say. */
const UNCOVERED = /^23999$/;
/** Of the whole country, the postal codes that exist. */
const KNOWN_ZIP = /^(0[1-9]|[1-9]\d)\d{3}$/;
const WITHOUT_CONTRACT = 'SEG-MD';

export function guideRoutes(shop: GuideShop, account: Account): Routes {
  let made = 0;

  function create(call: Call): Reply {
    shop.sessions.admit(securityOf(call).token);
    const [asked] = dataOf<readonly Asked[]>(call) ?? [];
    const parcel = parcelFor(asked ?? {});
    const price = cents(parcel.amount);
    if (price > account.credit) throw refused('31', 'Crédito insuficiente');
    account.credit -= price;
    shop.keep(parcel);
    const additionalData = {
      creditAmnt: account.credit / 100,
      subTotlAmnt: Math.round(price / 1.16) / 100,
      totalAmnt: price / 100,
    };
    return done(parcel.tracking, `folioLetterPorte: ${parcel.guide}`, { additionalData });
  }

  function parcelFor(asked: Asked): Parcel {
    const items = asked.radSrvcItemDTOList ?? [];
    const to = asked.radGuiaAddrDTOList?.find(({ addrType }) => addrType === 'DESTINATION') ?? {};
    const [item = {}] = items;
    assertTaken(asked, items, to);
    made += 1;
    // Beyond the numbers of the shop's own orders.
    const number = 7e15 + made;
    const kilograms = items.reduce(
      (sum, { weight, qunt }) => sum + Number(weight) * Number(qunt),
      0,
    );
    const at = wholeSecond(shop.now());
    return {
      tracking: trackingOf(number),
      guide: guideOf(made),
      reference: asked.listRefs?.[0]?.grGuiaRefr ?? '',
      documentedAt: at,
      content: item.cont ?? '',
      productId: item.productIdSAT ?? '',
      packageCode: item.shpCode ?? '3',
      packages: items.reduce((sum, { qunt }) => sum + Number(qunt), 0),
      kilograms,
      sides: [Number(item.volL), Number(item.volW), Number(item.volH)],
      amount: priceOf(kilograms),
      serviceType: 'ST',
      receiver: {
        name: to.clntName ?? '',
        street: to.strtName ?? '',
        number: to.drnr ?? '',
        colony: to.addrLin6 ?? '',
        city: to.addrLin5 ?? '',
        state: to.addrLin3 ?? '',
        zip: to.zipCode ?? '',
        phone: to.phno1 ?? '',
      },
      events: lifeFrom(at, shop.hour),
    };
  }

  function cancel(call: Call): Reply {
    shop.sessions.admit(securityOf(call).token);
    const [tracking = ''] = dataOf<readonly string[]>(call) ?? [];
    const parcel = shop.find(tracking);
    if (!parcel) throw refused('404', 'El rastreo no existe');
    if (isCollected(parcel, shop.now())) throw refused('52', 'La guía ya fue recolectada', 'text');
    if (parcel.events.some(({ code }) => code === 'CWB'))
      throw refused('53', 'La guía ya está cancelada', 'text');
    const now = wholeSecond(shop.now());
    parcel.events = [...parcel.events.filter(({ at }) => at <= now), { code: 'CWB', at: now }];
    account.credit += cents(parcel.amount);
    return done('Guía cancelada');
  }

  return {
    'POST /RadRestFul/api/rad/v1/guia': create,
    'POST /RadRestFul/api/rad/v1/cancelguia': cancel,
  };
}

/** Throws the carrier's refusal. */
function assertTaken({ typeSrvcId }: Asked, items: readonly Item[], to: Address): void {
  if (items.length === 0 || items.length > MOST_LINES)
    throw refused('12', 'De 1 a 6 líneas de captura');
  for (const item of items) assertItemTaken(item);
  const zip = to.zipCode ?? '';
  if (!KNOWN_ZIP.test(zip)) throw refused('45', 'Código postal inválido');
  if (UNCOVERED.test(zip)) throw refused('44', 'Código postal sin cobertura', 'object');
  if ((to.drnr ?? '').length > LONGEST_NUMBER) throw refused('13', 'drnr: máximo 15 caracteres');
  if (typeSrvcId === WITHOUT_CONTRACT) throw refused('35', 'El cliente no tiene convenio');
}

/** Every figure must be text. */
function assertItemTaken({ weight, volL, volW, volH, qunt, cont }: Item): void {
  const isFigure = (value: unknown) => typeof value === 'string' && Number(value) > 0;
  if (!isFigure(weight)) throw refused('17', 'Falta el peso');
  if (!cont) throw refused('19', 'Falta el contenido');
  if (![volL, volW, volH, qunt].every(isFigure))
    throw refused('18', 'Faltan las medidas o la cantidad');
  if (Number(weight) > MOST_KILOGRAMS) throw refused('23', 'Sobrepeso');
}

/** Of the account, as decimal text. */
export function creditOf({ credit }: Account): string {
  return decimal(credit);
}
