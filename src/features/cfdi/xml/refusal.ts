/** Why a file is no tax document that we can read; the words are stored and shown. */
const REFUSALS = {
  sin_timbre: 'No tiene timbre fiscal: es un borrador y no un CFDI.',
  no_es_cfdi: 'No es un CFDI ni una constancia de retenciones.',
  varios_timbres: 'Tiene más de un timbre fiscal.',
  mal_formado: 'No es un XML válido: puede estar incompleto o dañado.',
  doctype: 'Declara un DOCTYPE, que ningún CFDI lleva.',
  codificacion: 'No está en UTF-8.',
  demasiado_grande: 'Es más grande de lo que puede ser un CFDI.',
  dato_invalido: 'Un dato falta o no tiene la forma que debe.',
  no_es_xml: 'No es un archivo XML.',
  ruta_insegura: 'Su nombre en el ZIP lleva una ruta que no se acepta.',
  cifrado: 'Está protegido con contraseña.',
  compresion: 'Está comprimido de una forma que no se puede leer.',
  compresion_excesiva: 'Está comprimido mucho más de lo que un XML puede estarlo.',
  danado: 'El archivo está dañado dentro del ZIP.',
} as const;
export type RefusalReason = keyof typeof REFUSALS;
export const REFUSAL_REASONS = Object.keys(REFUSALS) as [RefusalReason, ...RefusalReason[]];

/** Thrown by the reader; the file is set aside with it. */
export class DocumentRefusal extends Error {
  override readonly name = 'DocumentRefusal';
  readonly reason: RefusalReason;
  /** Where in the document, such as `Comprobante/@Total`; null = in the whole of it. */
  readonly path: string | null;

  constructor(reason: RefusalReason, path: string | null = null, detail?: string) {
    const sentence = detail ?? REFUSALS[reason];
    super(path === null ? sentence : `${path}: ${sentence}`);
    this.reason = reason;
    this.path = path;
  }
}
