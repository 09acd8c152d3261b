import { randomBytes } from 'node:crypto';
import { aCfdi, folioOf } from '../cfdi-files.ts';
import { claiming, rewritten, zipOf } from '../zip.ts';

/** A file that is to be refused, and never to take much memory. */
export interface Bomb {
  readonly name: string;
  make(): Buffer | Promise<Buffer>;
  /** The reason of its one file, or what is said of the whole archive. */
  readonly refused: string | RegExp;
}

const MEGABYTE = 1_024 * 1_024;
const MOST = 24 * MEGABYTE;
const CFDI = aCfdi({ uuid: folioOf(1) });
const DRAFT = aCfdi({ uuid: null });
const ROOT = '<cfdi:Comprobante';
const END = '</cfdi:Comprobante>';
const STAMP = CFDI.slice(CFDI.indexOf('<tfd:'), CFDI.indexOf('</cfdi:Complemento>'));

/** So many characters of a repeated text. */
const much = (text: string, length = MOST) => text.repeat(Math.ceil(length / text.length));
const inAddenda = (content: string, cfdi = CFDI) =>
  Buffer.from(cfdi.replace(END, () => `<cfdi:Addenda>${content}</cfdi:Addenda>${END}`));
const withDoctype = (doctype: string, value: string) =>
  Buffer.from(CFDI.replace(ROOT, () => `${doctype}${ROOT} Serie="${value}"`));

const LAUGHS = Array.from(
  { length: 12 },
  (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`,
).join('');

const ENTITIES: readonly Bomb[] = [
  {
    name: 'a billion laughs',
    make: () => withDoctype(`<!DOCTYPE x [<!ENTITY l0 "ja">${LAUGHS}]>`, '&l12;'),
    refused: 'doctype',
  },
  {
    name: 'an entity of 12 MB that is named a thousand times',
    make: () =>
      withDoctype(`<!DOCTYPE x [<!ENTITY a "${much('a', MOST / 2)}">]>`, '&a;'.repeat(1_000)),
    refused: 'demasiado_grande',
  },
  {
    name: 'a file of the machine as an entity',
    make: () => withDoctype('<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>', '&a;'),
    refused: 'doctype',
  },
  {
    name: 'a DTD from elsewhere',
    make: () => withDoctype('<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd">', 'A'),
    refused: 'doctype',
  },
  {
    name: 'a DOCTYPE that never ends',
    make: () => Buffer.from(`<!DOCTYPE x [${much('<!ENTITY a "b">')}`),
    refused: 'demasiado_grande',
  },
  {
    name: 'an entity that is not declared',
    make: () => withDoctype('', '&a;'),
    refused: 'mal_formado',
  },
];

const SHAPES: readonly Bomb[] = [
  {
    name: 'a million levels',
    make: () => inAddenda('<a>'.repeat(1_000_000) + '</a>'.repeat(1_000_000)),
    refused: 'demasiado_grande',
  },
  {
    name: 'six million elements',
    make: () => inAddenda(much('<a/>')),
    refused: 'demasiado_grande',
  },
  {
    name: 'two million attributes of one element',
    make: () => {
      const names = Array.from({ length: 2_000_000 }, (_, at) => ` a${at.toString(36)}=""`);
      return inAddenda(
        `<a${names
          .join('')
          .slice(0, MOST)
          .replace(/ [^ ]*$/, '')}/>`,
      );
    },
    refused: 'demasiado_grande',
  },
  {
    name: 'half a million namespaces of one element',
    make: () => {
      const names = Array.from({ length: 500_000 }, (_, at) => ` xmlns:a${at}="urn:${at}"`);
      return inAddenda(`<a${names.join('')}/>`);
    },
    refused: 'demasiado_grande',
  },
  {
    name: 'an amount of 24 MB',
    make: () => Buffer.from(CFDI.replace(' Total="34.80"', ` Total="${much('1')}"`)),
    refused: 'demasiado_grande',
  },
  {
    name: 'an element whose name has 24 MB',
    make: () => inAddenda(`<${much('a')}/>`),
    refused: 'demasiado_grande',
  },
  {
    name: 'an attribute that never ends',
    make: () => Buffer.from(`<?xml version="1.0"?><a b="${much('ñ')}`),
    refused: 'demasiado_grande',
  },
  {
    name: 'a draft with 24 MB of noise',
    make: () => inAddenda(randomBytes(MOST * 0.75).toString('base64'), DRAFT),
    refused: 'demasiado_grande',
  },
  {
    name: 'a draft with a comment of 24 MB',
    make: () => inAddenda(`<!--${much('a')}-->`, DRAFT),
    refused: 'demasiado_grande',
  },
  {
    name: 'a draft with a CDATA section of 24 MB',
    make: () => inAddenda(`<![CDATA[${much(']] ')}]]>`, DRAFT),
    refused: 'demasiado_grande',
  },
  {
    name: 'more than 25 MB of spaces',
    make: () => Buffer.alloc(25 * MEGABYTE + 1, ' '),
    refused: 'demasiado_grande',
  },
];

const DISGUISES: readonly Bomb[] = [
  { name: 'a draft', make: () => Buffer.from(DRAFT), refused: 'sin_timbre' },
  {
    name: 'a stamp inside an Addenda',
    make: () => inAddenda(STAMP, DRAFT),
    refused: 'sin_timbre',
  },
  {
    name: 'a stamped document inside an Addenda',
    make: () => inAddenda(CFDI.slice(CFDI.indexOf(ROOT)), DRAFT),
    refused: 'sin_timbre',
  },
  {
    name: 'two Comprobantes in one file',
    make: () => Buffer.from(CFDI + CFDI.slice(CFDI.indexOf(ROOT))),
    refused: 'mal_formado',
  },
  {
    name: 'two Comprobantes in one envelope',
    make: () => Buffer.from(`<a>${much(CFDI.slice(CFDI.indexOf(ROOT)), 2_000)}</a>`),
    refused: 'no_es_cfdi',
  },
  {
    name: 'UTF-16',
    make: () => Buffer.from(`\ufeff${CFDI}`, 'utf16le'),
    refused: 'codificacion',
  },
  {
    name: 'Latin-1 that says UTF-8',
    make: () => Buffer.from(CFDI, 'latin1'),
    refused: 'codificacion',
  },
  {
    name: 'UTF-7',
    make: () => Buffer.from(CFDI.replace('UTF-8', 'UTF-7')),
    refused: 'codificacion',
  },
  {
    name: 'UTF-8 that is cut inside a character',
    make: () => Buffer.from(CFDI).subarray(0, Buffer.from(CFDI).indexOf('í') + 1),
    refused: 'codificacion|mal_formado',
  },
  {
    name: 'a NUL in a name',
    make: () => Buffer.from(CFDI.replace('Papelería', 'Papel\u0000ería')),
    refused: 'mal_formado',
  },
];

const inZip = (content: string | Uint8Array, name = 'a.xml') => zipOf({ [name]: content });

const ARCHIVES: readonly Bomb[] = [
  {
    name: 'a ZIP of 24 MB that is packed to 24 kB',
    make: () => inZip(much(' ')),
    refused: 'compresion_excesiva',
  },
  {
    name: 'a ZIP of 200 files of 1 MB',
    make: () =>
      zipOf(
        Object.fromEntries(
          Array.from({ length: 200 }, (_, at) => [`${at}.xml`, much(' ', MEGABYTE)]),
        ),
      ),
    refused: /100 MB/,
  },
  {
    name: 'a ZIP whose list claims less than there is',
    make: async () => claiming(await inZip(much(' ')), MOST, 2_000),
    refused: 'danado',
  },
  {
    name: 'a ZIP in a ZIP in a ZIP',
    make: async () => inZip(await inZip(await inZip(CFDI), 'b.zip'), 'c.zip'),
    refused: 'no_es_xml',
  },
  {
    name: 'a ZIP in a ZIP with the name of an XML',
    make: async () => inZip(await inZip(CFDI)),
    refused: 'mal_formado|codificacion',
  },
  {
    name: 'a path that leads out',
    make: async () =>
      rewritten(await inZip(CFDI, 'aa/bbb.xml'), 'aa/bbb.xml', '../../b.xml'.slice(1)),
    refused: 'ruta_insegura',
  },
  {
    name: 'a path from the root',
    make: async () => rewritten(await inZip(CFDI, 'a/etc.xml'), 'a/etc.xml', '//etc.xml'),
    refused: 'ruta_insegura',
  },
  {
    name: 'a path of a drive',
    make: async () => rewritten(await inZip(CFDI, 'CC/a.xml'), 'CC/a.xml', 'C:\\a.xml'),
    refused: 'ruta_insegura',
  },
  {
    name: 'a ZIP of 2,001 files',
    make: () =>
      zipOf(Object.fromEntries(Array.from({ length: 2_001 }, (_, at) => [`${at}.xml`, CFDI]))),
    refused: /2,000 archivos/,
  },
  {
    name: 'a ZIP that is cut off',
    make: async () => (await inZip(CFDI)).subarray(0, -30),
    refused: /dañado o incompleto/,
  },
];

export const BOMBS: readonly Bomb[] = [...ENTITIES, ...SHAPES, ...DISGUISES, ...ARCHIVES];
