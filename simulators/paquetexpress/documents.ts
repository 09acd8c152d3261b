/**
 * Parcels in the carrier's words: what infotrack returns, rows of the listing, events of the
 * history.
 */
import { cents, decimal } from '../order.ts';
import { happened, type Parcel, type ParcelEvent, TITLES } from './parcel.ts';

const MONTHS =
  'Enero Febrero Marzo Abril Mayo Junio Julio Agosto Septiembre Octubre Noviembre Diciembre'.split(
    ' ',
  );
const DAY = 86_400_000;
/** Mexico City has no summer time any more. */
const MEXICO_CITY = -6 * 3_600_000;
const BRANCH = {
  clntId: '700100',
  clntName: 'TIENDA SIMULADA SA DE CV',
  siteId: 'GDL',
  siteName: 'GUADALAJARA',
  branchId: 'GDL01',
  branchName: 'GUADALAJARA',
  rfc: null,
  address: {
    country: 'MEXICO',
    state: 'JALISCO',
    city: 'GUADALAJARA',
    strtName: 'CALLE SIMULADA',
    drnr: '10',
    colonyName: 'CENTRO',
    zipCode: '44100',
    phoneNo: '3300000000',
  },
};

export function dayOf(at: number): string {
  return local(at).slice(0, 10);
}

/** The newest event is in the listing alone. */
export function listed(parcel: Parcel, now: number) {
  const events = happened(parcel, now);
  const last = events.reduce<ParcelEvent | null>(
    (latest, event) => (latest && latest.at > event.at ? latest : event),
    null,
  );
  return { ...returned(parcel), evento: last && eventRow(parcel, last) };
}

/** `retornoSolicitud`, with the text for label printers where it was requested. */
export function returned(parcel: Parcel, zpl: string | null = null) {
  const { receiver, sides } = parcel;
  const [length, width, height] = sides;
  const total = cents(parcel.amount);
  const subtotal = Math.round(total / 1.16);
  const [year = '', month = '', day = ''] = dayOf(parcel.documentedAt).split('-');
  return {
    originClient: BRANCH,
    destinationClient: {
      dlvy: '1',
      dlvyTxt: 'EAD',
      clntId: '700999',
      clntName: receiver.name,
      branchId: 'PBC01',
      rout: 'RUTA-3',
      rfc: 'XAXX010101000',
      address: {
        country: 'MÉXICO',
        state: receiver.state,
        city: receiver.city,
        strtName: receiver.street,
        drnr: receiver.number,
        colonyName: receiver.colony,
        zipCode: receiver.zip,
        phoneNo: receiver.phone,
      },
    },
    detalleEmbarque: {
      embarque: [
        {
          cont: parcel.content,
          productIdSAT: parcel.productId,
          shpCode: parcel.packageCode,
          qunt: parcel.packages,
          weight: parcel.kilograms,
          volL: length,
          volW: width,
          volH: height,
          volume: Number(((length * width * height) / 1e6).toFixed(4)),
          slabNo: 'T3',
        },
      ],
    },
    servicios: {
      comments: 'null',
      referencias: { referencia: [{ claveRef: parcel.reference, datosAdicionales: null }] },
      ackType: 'ACK-N',
      ackTypeName: 'SIN ACUSE',
      dlvyType: null,
      invType: '',
      totldeclVlue: 0,
      importe: {
        subTotlAmnt: decimal(subtotal),
        taxAmnt: decimal(total - subtotal),
        // As some of its programs write amounts.
        totalAmnt: withCommas(parcel.amount),
      },
    },
    rastreo: parcel.tracking,
    guiaNo: parcel.guide.replace(/^.{5}(WE)0*/, '$1'),
    guiaNoFormat: parcel.guide,
    numPack: parcel.packages,
    pymtMode: 'PAID',
    pymtType: 'C',
    pymtTypeTxt: 'CRE',
    shipType: parcel.serviceType,
    guiaType: 'H',
    docuType: 'Q',
    fecha: `${day}/${month}/${year}`,
    hora: '00:00',
    cadenaImpresion: zpl,
  };
}

export function eventRow(parcel: Parcel, { code, at }: ParcelEvent) {
  return {
    fecha: ` ${inWords(at, 'De', 'Del')}`,
    hora: local(at).slice(11, 16),
    sucursal: 'Guadalajara',
    status: TITLES[code] ?? code,
    eventoId: code,
    eventoDescripcion: 'null',
    eventoImagen: null,
    sucursalOrigen: 'GDL01',
    sucursalDestino: null,
    promesa: ` ${inWords(parcel.documentedAt + 3 * DAY, 'de', 'del')}`,
    ciudadDestino: `${parcel.receiver.city}, ${parcel.receiver.state}, Mexico`,
    ciudadEvento: 'Guadalajara, Jalisco, Mexico',
    guia: parcel.guide,
    rastreo: parcel.tracking,
    referencia: parcel.reference,
    tipoEntrega: 'ENT_EAD',
    fechahora: at,
  };
}

/** In the form of a webhook. */
export function pushed(parcel: Parcel, event: ParcelEvent) {
  return {
    ...eventRow(parcel, event),
    fecha: dayOf(event.at),
    eventoDescripcion: TITLES[event.code] ?? null,
  };
}

export function zplOf({ tracking, guide, packages }: Parcel): string {
  return `^XA\n^FO50,40^A0N,40,35^FD${tracking}^FS\n^FO50,100^A0N,30,25^FD${guide}^FS\n^PQ${packages},0,0,Y\n^XZ`;
}

/** A real document of one page: the carrier's own program shows it, and so does any other. */
export function pdfOf({ tracking, guide }: Parcel): string {
  const page = `BT /F1 18 Tf 36 380 Td (Paquetexpress) Tj 0 -30 Td (${tracking}) Tj 0 -24 Td (${guide}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 288 432] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${page.length} >>\nstream\n${page}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  // Bytes that are no text, as every PDF begins with, so that it is not taken for one.
  let file = '%PDF-1.4\n%\u00e2\u00e3\u00cf\u00d3\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const count = objects.length + 1;
  const end = `trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return `${file}xref\n0 ${count}\n0000000000 65535 f \n${table}${end}`;
}

function withCommas(amount: string): string {
  return amount.replace(/\B(?=(\d{3})+\.)/g, ',');
}

function local(at: number): string {
  return new Date(at + MEXICO_CITY).toISOString();
}

function inWords(at: number, ofDay: string, ofYear: string): string {
  const [year, month, day] = dayOf(at).split('-');
  return `${day} ${ofDay} ${MONTHS[Number(month) - 1]} ${ofYear} ${year}`;
}
