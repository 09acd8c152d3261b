/** Named entities of HTML that WordPress writes into titles, and the letters of Spanish. */
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  lsquo: '‘',
  rsquo: '’',
  sbquo: '‚',
  ldquo: '“',
  rdquo: '”',
  bdquo: '„',
  laquo: '«',
  raquo: '»',
  bull: '•',
  middot: '·',
  times: '×',
  deg: '°',
  ordf: 'ª',
  ordm: 'º',
  prime: '′',
  Prime: '″',
  frac12: '½',
  frac14: '¼',
  frac34: '¾',
  reg: '®',
  copy: '©',
  trade: '™',
  euro: '€',
  cent: '¢',
  pound: '£',
  iexcl: '¡',
  iquest: '¿',
  aacute: 'á',
  eacute: 'é',
  iacute: 'í',
  oacute: 'ó',
  uacute: 'ú',
  uuml: 'ü',
  ntilde: 'ñ',
  ccedil: 'ç',
  Aacute: 'Á',
  Eacute: 'É',
  Iacute: 'Í',
  Oacute: 'Ó',
  Uacute: 'Ú',
  Uuml: 'Ü',
  Ntilde: 'Ñ',
  Ccedil: 'Ç',
};
const ENTITY = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z][a-zA-Z0-9]{1,9}));/g;
const TAG = /<\/?[a-zA-Z][^<>]{0,200}>/g;

/**
 * What people read of a text that may hold HTML; WordPress encodes titles, and plugins put tags
 * around them.
 */
export function plainText(html: string): string {
  return html
    .replace(TAG, '')
    .replace(ENTITY, (entity, decimal, hexadecimal, name) => {
      if (name) return NAMED[name] ?? entity;
      const code = decimal ? Number(decimal) : Number.parseInt(hexadecimal, 16);
      const isCharacter = code > 0 && code <= 0x10_ffff && (code < 0xd800 || code > 0xdfff);
      return isCharacter ? String.fromCodePoint(code) : '';
    })
    .trim();
}
