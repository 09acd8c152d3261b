import {
  alphanumeric,
  amount,
  type Draw,
  digits,
  oneOf,
  rfc,
  seal,
  text,
  time,
  uuid,
} from './values.ts';

// The SAT's schemas as data: cfdv40.xsd, cfdv33.xsd, TimbreFiscalDigitalv11.xsd, Pagos20.xsd,
// Pagos10.xsd, retencionpagov2.xsd and ServiciosPlataformasTecnologicas10.xsd, and an outline of
// complements that are not read. Codes are some of each catalogue, and some of none.

/** How many of a child there are, at least and at most; a draw stays below `MANY`. */
type Times = readonly [least: number, most: number];
export interface ElementType {
  readonly namespace: string;
  readonly name: string;
  /** A name that ends in `?` may be missing. */
  readonly attributes: Readonly<Record<string, Draw>>;
  readonly children: readonly (readonly [ElementType, ...Times])[];
}

export const MANY = 4;
export const CFD4 = 'http://www.sat.gob.mx/cfd/4';
export const CFD3 = 'http://www.sat.gob.mx/cfd/3';
export const RET2 = 'http://www.sat.gob.mx/esquemas/retencionpago/2';
export const TFD = 'http://www.sat.gob.mx/TimbreFiscalDigital';
export const PAGO20 = 'http://www.sat.gob.mx/Pagos20';
export const PAGO10 = 'http://www.sat.gob.mx/Pagos';
export const PLAT = 'http://www.sat.gob.mx/esquemas/retencionpago/1/PlataformasTecnologicas10';

export type Children = ElementType['children'];
type Of = (name: string, attributes: ElementType['attributes'], children?: Children) => ElementType;

/** Makes elements of one namespace. */
export function within(namespace: string): Of {
  return (name, attributes, children = []) => ({ namespace, name, attributes, children });
}

export const tax = oneOf('001', '002', '003');
export const code = digits(2);
export const regime = oneOf('601', '612', '616', '621', '625', '626', '699');
export const currency = oneOf('MXN', 'USD', 'EUR', 'XXX');

export const STAMP = within(TFD)('TimbreFiscalDigital', {
  Version: oneOf('1.1'),
  UUID: uuid,
  FechaTimbrado: time,
  RfcProvCertif: rfc,
  'Leyenda?': text(150),
  SelloCFD: seal,
  NoCertificadoSAT: digits(20),
  SelloSAT: seal,
});

/** Recognised by their names, and not read. */
const porte = within('http://www.sat.gob.mx/CartaPorte31');
const place = porte('Ubicacion', {
  TipoUbicacion: oneOf('Origen', 'Destino'),
  FechaHoraSalidaLlegada: time,
});
export const WAY_BILL = porte(
  'CartaPorte',
  { Version: oneOf('3.1'), IdCCP: uuid, TranspInternac: oneOf('Sí', 'No') },
  [[porte('Ubicaciones', {}, [[place, 2, MANY]]), 1, 1]],
);
export const LOCAL_TAXES = within('http://www.sat.gob.mx/implocal')('ImpuestosLocales', {
  version: oneOf('1.0'),
  TotaldeRetenciones: amount,
  TotaldeTraslados: amount,
});
export const OF_TOMORROW = within('http://www.sat.gob.mx/Futuro50')('Futuro', {
  'Version?': alphanumeric(3),
});
