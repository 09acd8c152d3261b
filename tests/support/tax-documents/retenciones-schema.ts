import {
  type Children,
  code,
  type ElementType,
  MANY,
  PLAT,
  RET2,
  regime,
  STAMP,
  tax,
  within,
} from './schema.ts';
import {
  alphanumeric,
  amount,
  certificate,
  day,
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

const platform = within(PLAT);
const PLATFORM_SALE = platform(
  'DetallesDelServicio',
  {
    FormaPagoServ: code,
    TipoDeServ: oneOf('01', '03', '11', '99'),
    'SubTipServ?': oneOf('01', '08', '09', '42'),
    'RFCTerceroAutorizado?': rfc,
    FechaServ: day,
    PrecioServSinIVA: amount,
  },
  [
    [
      platform('ImpuestosTrasladadosdelServicio', {
        Base: amount,
        Impuesto: oneOf('02'),
        TipoFactor: oneOf('Tasa'),
        TasaCuota: rate,
        Importe: amount,
      }),
      1,
      1,
    ],
    [
      platform('ContribucionGubernamental', {
        ImpContrib: amount,
        EntidadDondePagaLaContribucion: code,
      }),
      0,
      1,
    ],
    [
      platform('ComisionDelServicio', {
        'Base?': amount,
        'Porcentaje?': rate,
        Importe: amount,
      }),
      1,
      1,
    ],
  ],
);
export const PLATFORMS = platform(
  'ServiciosPlataformasTecnologicas',
  {
    Version: oneOf('1.0'),
    Periodicidad: code,
    NumServ: digits(3),
    MonTotServSIVA: amount,
    TotalIVATrasladado: amount,
    TotalIVARetenido: amount,
    TotalISRRetenido: amount,
    DifIVAEntregadoPrestServ: amount,
    MonTotalporUsoPlataforma: amount,
    'MonTotalContribucionGubernamental?': amount,
  },
  [[platform('Servicios', {}, [[PLATFORM_SALE, 1, MANY]]), 1, 1]],
);

/** `Retenciones` 2.0. */
export function retenciones(isNational: boolean, complements: Children): ElementType {
  const of = within(RET2);
  const receiver = isNational
    ? of('Nacional', {
        RfcR: rfc,
        NomDenRazSocR: text(300),
        'CurpR?': alphanumeric(18),
        DomicilioFiscalR: zip,
      })
    : of('Extranjero', { 'NumRegIdTribR?': alphanumeric(20), NomDenRazSocR: text(300) });
  const withheld = of('ImpRetenidos', {
    'BaseRet?': amount,
    'ImpuestoRet?': tax,
    MontoRet: amount,
    TipoPagoRet: code,
  });
  return of(
    'Retenciones',
    {
      Version: oneOf('2.0'),
      'FolioInt?': alphanumeric(20),
      Sello: seal,
      NoCertificado: digits(20),
      Certificado: certificate,
      FechaExp: time,
      LugarExpRetenc: zip,
      CveRetenc: code,
      'DescRetenc?': text(100),
    },
    [
      [of('CfdiRetenRelacionados', { TipoRelacion: code, UUID: uuid }), 0, 1],
      [of('Emisor', { RfcE: rfc, NomDenRazSocE: text(300), RegimenFiscalE: regime }), 1, 1],
      [
        of('Receptor', { NacionalidadR: oneOf(isNational ? 'Nacional' : 'Extranjero') }, [
          [receiver, 1, 1],
        ]),
        1,
        1,
      ],
      [of('Periodo', { MesIni: code, MesFin: code, Ejercicio: oneOf('2025', '2026') }), 1, 1],
      [
        of(
          'Totales',
          {
            MontoTotOperacion: amount,
            MontoTotGrav: amount,
            MontoTotExent: amount,
            MontoTotRet: amount,
            'UtilidadBimestral?': amount,
          },
          [[withheld, 0, MANY]],
        ),
        1,
        1,
      ],
      [of('Complemento', {}, [...complements, [STAMP, 1, 1]]), 1, 1],
    ],
  );
}
