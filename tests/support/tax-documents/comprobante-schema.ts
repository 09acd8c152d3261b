import {
  CFD3,
  CFD4,
  type Children,
  code,
  currency,
  type ElementType,
  MANY,
  PAGO10,
  PAGO20,
  regime,
  STAMP,
  tax,
  within,
} from './schema.ts';
import {
  alphanumeric,
  amount,
  certificate,
  type Draw,
  digits,
  oneOf,
  rate,
  rfc,
  seal,
  text,
  time,
  uuid,
  zip,
} from './values.ts';

/** What 4.0 and 2.0 have, and 3.3 and 1.0 do not. */
const only = (is: boolean, attributes: Record<string, Draw>) => (is ? attributes : {});
const factor = oneOf('Tasa', 'Cuota', 'Exento');
const taxed = { Base: amount, Impuesto: tax, TipoFactor: factor };
const rated = { TasaOCuota: rate, Importe: amount };
const mayBeRated = { 'TasaOCuota?': rate, 'Importe?': amount };

/** `Comprobante` 4.0 or 3.3. */
export function comprobante(is4: boolean, complements: Children): ElementType {
  const of = within(is4 ? CFD4 : CFD3);
  const parties = (role: string, attributes: Record<string, Draw>) =>
    of(role, { Rfc: rfc, [is4 ? 'Nombre' : 'Nombre?']: text(254), ...attributes });
  const issuer = {
    RegimenFiscal: regime,
    ...only(is4, { 'FacAtrAdquirente?': digits(10) }),
  };
  const receiver = {
    ...only(is4, { DomicilioFiscalReceptor: zip, RegimenFiscalReceptor: regime }),
    'ResidenciaFiscal?': alphanumeric(3),
    'NumRegIdTrib?': alphanumeric(40),
    UsoCFDI: oneOf('G01', 'G03', 'S01', 'CP01', 'Z99'),
  };
  const period = { Periodicidad: code, Meses: code, Año: oneOf('2025', '2026') };
  const related = of('CfdiRelacionado', { UUID: uuid });
  return of('Comprobante', rootOf(is4), [
    [of('InformacionGlobal', period), 0, is4 ? 1 : 0],
    [of('CfdiRelacionados', { TipoRelacion: code }, [[related, 1, MANY]]), 0, is4 ? MANY : 1],
    [parties('Emisor', issuer), 1, 1],
    [parties('Receptor', receiver), 1, 1],
    [of('Conceptos', {}, [[itemOf(is4), 1, MANY]]), 1, 1],
    [taxesOf(is4), 0, 1],
    [of('Complemento', {}, [...complements, [STAMP, 1, 1]]), 1, 1],
  ]);
}

function rootOf(is4: boolean): Record<string, Draw> {
  return {
    Version: oneOf(is4 ? '4.0' : '3.3'),
    'Serie?': alphanumeric(25),
    'Folio?': alphanumeric(40),
    Fecha: time,
    Sello: seal,
    'FormaPago?': code,
    NoCertificado: digits(20),
    Certificado: certificate,
    'CondicionesDePago?': text(1_000),
    SubTotal: amount,
    'Descuento?': amount,
    Moneda: currency,
    'TipoCambio?': amount,
    Total: amount,
    TipoDeComprobante: oneOf('I', 'E', 'T', 'P', 'N'),
    ...only(is4, { Exportacion: code }),
    'MetodoPago?': oneOf('PUE', 'PPD'),
    LugarExpedicion: zip,
    'Confirmacion?': alphanumeric(5),
  };
}

/** The taxes of the whole document. */
function taxesOf(is4: boolean): ElementType {
  const of = within(is4 ? CFD4 : CFD3);
  const withheld = of('Retencion', { Impuesto: tax, Importe: amount });
  const transferred = is4
    ? { ...taxed, ...mayBeRated }
    : { Impuesto: tax, TipoFactor: factor, ...rated };
  return of(
    'Impuestos',
    { 'TotalImpuestosRetenidos?': amount, 'TotalImpuestosTrasladados?': amount },
    [
      [of('Retenciones', {}, [[withheld, 1, MANY]]), 0, 1],
      [of('Traslados', {}, [[of('Traslado', transferred), 1, MANY]]), 0, 1],
    ],
  );
}

function itemOf(is4: boolean): ElementType {
  const of = within(is4 ? CFD4 : CFD3);
  const transferred = of('Traslado', { ...taxed, ...mayBeRated });
  const taxes = of('Impuestos', {}, [
    [of('Traslados', {}, [[transferred, 1, MANY]]), 0, 1],
    [of('Retenciones', {}, [[of('Retencion', { ...taxed, ...rated }), 1, MANY]]), 0, 1],
  ]);
  const thirdParty = of('ACuentaTerceros', {
    RfcACuentaTerceros: rfc,
    NombreACuentaTerceros: text(300),
    RegimenFiscalACuentaTerceros: regime,
    DomicilioFiscalACuentaTerceros: zip,
  });
  const customs = of('InformacionAduanera', { NumeroPedimento: text(21) });
  const part = { ClaveProdServ: digits(8), Cantidad: amount, Descripcion: text(1_000) };
  return of(
    'Concepto',
    {
      ClaveProdServ: digits(8),
      'NoIdentificacion?': text(100),
      Cantidad: amount,
      ClaveUnidad: alphanumeric(3),
      'Unidad?': text(20),
      Descripcion: text(1_000),
      ValorUnitario: amount,
      Importe: amount,
      'Descuento?': amount,
      ...only(is4, { ObjetoImp: code }),
    },
    [
      [taxes, 0, 1],
      [thirdParty, 0, is4 ? 1 : 0],
      [customs, 0, MANY],
      [of('CuentaPredial', { Numero: alphanumeric(20) }), 0, is4 ? MANY : 1],
      [of('Parte', part, [[customs, 0, MANY]]), 0, MANY],
    ],
  );
}

/** `Pagos` 2.0 or 1.0. */
export function payments(is20: boolean): ElementType {
  const of = within(is20 ? PAGO20 : PAGO10);
  const paid = of('DoctoRelacionado', {
    IdDocumento: uuid,
    'Serie?': alphanumeric(25),
    'Folio?': alphanumeric(40),
    MonedaDR: currency,
    [is20 ? 'EquivalenciaDR?' : 'TipoCambioDR?']: amount,
    NumParcialidad: digits(2),
    ImpSaldoAnt: amount,
    ImpPagado: amount,
    ImpSaldoInsoluto: amount,
    ...only(is20, { ObjetoImpDR: code }),
  });
  const payment = {
    FechaPago: time,
    FormaDePagoP: code,
    MonedaP: currency,
    'TipoCambioP?': amount,
    Monto: amount,
    'NumOperacion?': alphanumeric(100),
    'RfcEmisorCtaOrd?': rfc,
    'NomBancoOrdExt?': text(300),
    'CtaOrdenante?': alphanumeric(50),
  };
  const totals = of('Totales', {
    'TotalTrasladosBaseIVA16?': amount,
    'TotalTrasladosImpuestoIVA16?': amount,
    MontoTotalPagos: amount,
  });
  return of('Pagos', { Version: oneOf(is20 ? '2.0' : '1.0') }, [
    ...(is20 ? [[totals, 1, 1] as const] : []),
    [of('Pago', payment, [[paid, is20 ? 1 : 0, MANY]]), 1, MANY],
  ]);
}
