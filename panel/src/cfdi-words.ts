/** Sentences of the screen of tax documents. */
import * as codes from '../../src/words/codes.ts';
import type { Output } from './client.ts';
import { counted } from './format.ts';

type Cfdi = Output<'cfdis.get'>['data'];

export const cfdiTypes: Readonly<Record<Cfdi['type'], string>> = {
  ingreso: 'Ingreso',
  egreso: 'Egreso',
  traslado: 'Traslado',
  pago: 'Pago',
  nomina: 'Nómina',
  retencion: 'Retenciones',
  desconocido: 'Otro',
};

export const cfdiDirections: Readonly<Record<Cfdi['direction'], string>> = {
  issued: 'Emitido',
  received: 'Recibido',
  other: 'De terceros',
};

/** Of one whose XML was read. */
export function cfdiName(type: Cfdi['type']): string {
  return type === 'desconocido' ? cfdiWords.one : `CFDI de ${cfdiTypes[type].toLowerCase()}`;
}

export const cfdiStatuses: Readonly<Record<Cfdi['status'], string>> = codes.cfdiStatuses;

export const cfdiPayments: Readonly<Record<NonNullable<Cfdi['payment_state']>, string>> = {
  unpaid: 'Por pagar',
  partial: 'Pago parcial',
  paid: 'Pagada',
};

export const cfdiOrigins: Readonly<Record<Cfdi['links'][number]['origin'], string>> = {
  marketplace: 'La vinculó el marketplace',
  document: 'El CFDI la nombra',
  person: 'La vinculó tu equipo',
};

export const cfdiReasons: Readonly<Record<Cfdi['candidates'][number]['reason'], string>> = {
  named: 'El CFDI la nombra',
  sku_total_and_date: 'Coinciden SKU, total y fecha',
  total_and_date: 'Coinciden total y fecha',
};

export const cfdiWords = {
  title: 'Facturas',
  one: 'CFDI',
  unread: 'Documento sin leer',
  notAsked:
    'Todavía no consultamos su estado ante el SAT. Puedes verificarlo en el portal del SAT con el folio fiscal.',
  uuid: 'Folio fiscal',
  folio: 'Serie y folio',
  issued: 'Fecha de emisión',
  type: 'Tipo',
  direction: 'Sentido',
  status: 'Estado SAT',
  parties: 'Emisor y receptor',
  issuer: 'Emisor',
  receiver: 'Receptor',
  foreigner: 'Extranjero',
  rfc: 'RFC',
  orders: 'Órdenes',
  total: 'Total',
  transferred: 'Impuestos trasladados',
  withheld: 'Impuestos retenidos',
  payment: 'Pago',
  related: 'CFDI relacionados',
  replaced: (uuid: string) => `Lo sustituye ${uuid}.`,
  items: (count: number) => `Conceptos (${count})`,
  noOrders: 'No está vinculado a ninguna orden.',
  noneOfOrder: 'Esta orden no tiene un CFDI vinculado.',
  uploadOfOrder: 'Subir su XML en Facturas',
  candidates: 'Órdenes que podrían corresponder',
  others: 'Vincular otra orden',
  noOthers: 'Ninguna orden coincide.',
  moreOthers: (shown: number) =>
    `Se muestran ${shown}. Si no está la que buscas, escribe su número completo.`,
  link: 'Vincular',
  unlink: 'Desvincular',
  open: 'Ver el CFDI',
  download: 'Descargar XML',
  downloadAll: 'Descargar ZIP',
  downloadAllHelp: 'Los XML de esta lista, con sus filtros. Hasta 2,000 documentos.',
  notDownloaded: 'No se pudo descargar el ZIP',
  upload: 'Subir XML o ZIP',
  uploadHelp:
    'Elige o arrastra aquí uno o varios XML y ZIP. Cada ZIP, de hasta 2,000 archivos y 9 MB.',
  sending: (number: number, count: number) =>
    count === 1 ? 'Enviando el archivo…' : `Enviando el archivo ${number} de ${count}…`,
  unreadable: 'No pudimos leer el archivo. Elígelo de nuevo.',
  notUploaded: 'No se pudo subir el archivo',
  /** @param isAtHand the files need not be chosen again */
  left: ([next = '', ...more]: readonly string[], isAtHand: boolean) => {
    const files =
      more.length === 0 ? `«${next}»` : `«${next}» y ${counted(more.length, 'más', 'más')}`;
    const verb = more.length === 0 ? 'Quedó' : 'Quedaron';
    const rest = more.length === 0 ? 'Elígelo de nuevo.' : 'Elígelos de nuevo.';
    return `${verb} sin enviar ${files}.${isAtHand ? '' : ` ${rest}`}`;
  },
  uploading: (read: number, files: number) => `${read} de ${files} archivos leídos`,
  noneTaken: (refused: number) =>
    refused === 1
      ? 'No se guardó el archivo: no es un CFDI que podamos leer.'
      : `No se guardó ninguno de los ${refused} archivos: no son CFDI que podamos leer.`,
  uploaded: (added: number, known: number, refused: number) => {
    const parts = [
      counted(added, 'nuevo'),
      known > 0 && counted(known, 'ya guardado', 'ya guardados'),
      refused > 0 && counted(refused, 'no se guardó', 'no se guardaron'),
    ];
    return `Listo: ${parts.filter(Boolean).join(', ')}.`;
  },
  empty: 'Aquí verás tus CFDI: los que entregan los marketplaces y los que subas.',
  noProfile:
    'Aún no indicas tu RFC: por ahora no sabemos qué CFDI emitiste y cuáles recibiste, y todos aparecen como «De terceros».',
  toProfile: 'Indicar mi RFC',
  emptyFiltered: 'No hay CFDI con esos filtros.',
  count: (count: string, more: boolean) => (more ? `Más de ${count} CFDI` : `${count} CFDI`),
} as const;

/** What a buyer gave for the invoice of an order. */
export const billingWords = {
  show: 'Ver datos de facturación del comprador',
  title: 'Datos de facturación',
  noted: 'La consulta queda registrada en la actividad de tu organización.',
  name: 'Nombre o razón social',
  rfc: 'RFC',
  public: 'público en general: no pidió factura a su nombre',
  regime: 'Régimen fiscal',
  use: 'Uso de CFDI',
  address: 'Domicilio fiscal',
  none: 'No indicado',
} as const;
