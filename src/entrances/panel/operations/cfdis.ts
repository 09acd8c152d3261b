import { z } from 'zod';
import { requestReading } from '../../../exchange/jobs/read-upload.ts';
import { listenersOf } from '../../../exchange/sync/follow-up.ts';
import {
  CFDI_DESCRIPTION,
  CFDI_FILTERS,
  CFDI_SUMMARY,
  type CfdiDescription,
  decideLink,
  describeCfdi,
  filesOf,
  foliosOf,
  listCfdis,
  uploadOf,
  writeDescription,
  writeSummary,
} from '../../../features/cfdi/index.ts';
import { fieldsIn } from '../../../platform/documents.ts';
import { fail, invalid } from '../../../platform/failure.ts';
import { schemaOf, shape } from '../../../platform/fields.ts';
import { isId } from '../../../platform/ids.ts';
import { inputOf, pageInput } from '../../../platform/input-fields.ts';
import { linkTo, linkToArchive } from '../../cfdi-downloads.ts';
import { defineRead, defineWrite } from '../operation.ts';
import { ORDER_INPUT } from './order-input.ts';

const UUID = '5F0C8A34-9D1E-4B7A-8C52-2A6B1F0E9D73';
const ID = '019a8f54-1c2d-7e53-8b64-5f0a9d3c7e28';
const named = (description: string, example: string) =>
  z
    .string()
    .min(1)
    .max(500)
    .meta({ description, examples: [example] });
const OF_MONEY = { action: 'read_money', capability: null } as const;
const OF_ONE = inputOf({ uuid: named('El folio fiscal.', UUID) });
/** Of a file in base64: a ZIP of two thousand CFDI takes half of it. */
const MOST_CHARACTERS = 12 * 1_024 * 1_024;

/** The tax documents that were read, the newest first. */
export const listCfdisOperation = defineRead({
  ...OF_MONEY,
  input: inputOf({ ...pageInput({ usual: 50, most: 100 }), ...CFDI_FILTERS }),
  output: z.object({
    data: z.array(schemaOf(shape('Un CFDI.', fieldsIn('list', CFDI_SUMMARY)))),
    next_cursor: z.string().nullable(),
  }),
  async run({ scope, cursors }, query) {
    const { cfdis, nextCursor } = await listCfdis(scope, cursors, query);
    const rows = cfdis.map((one) => writeSummary(one, 'list'));
    return { written: `{"data":[${rows}],"next_cursor":${JSON.stringify(nextCursor)}}` };
  },
});

const Item = z.object({
  description: z.string(),
  sku: z.string().nullable(),
  quantity: z.string(),
  amount: z.string(),
});
const Shown = z.object({
  name: z.string(),
  issuer_name: z.string().nullable(),
  receiver_name: z.string().nullable(),
  taxes_transferred: z.string().nullable(),
  taxes_withheld: z.string().nullable(),
  /** The first ones. */
  items: z.array(Item),
  item_count: z.int(),
});
const MOST_ITEMS = 100;

/** One document with its orders, and those that it may belong to. */
export const getCfdiOperation = defineRead({
  ...OF_MONEY,
  input: OF_ONE,
  output: z.object({ data: schemaOf(CFDI_DESCRIPTION), shown: Shown }),
  async run({ scope }, { uuid }) {
    const found = await describeCfdi(scope, uuid);
    const shown = JSON.stringify(shownOf(found));
    return { written: `{"data":${writeDescription(found)},"shown":${shown}}` };
  },
});

/** Links a document to an order, or undoes it. */
export const linkCfdiOperation = defineWrite({
  ...OF_MONEY,
  input: inputOf({
    uuid: named('El folio fiscal.', UUID),
    ...ORDER_INPUT,
    state: z
      .enum(['linked', 'rejected'])
      .meta({ description: 'Vincular o desvincular.', examples: ['linked'] }),
  }),
  output: z.object({ settled: z.boolean() }),
  async run({ database, exchange }, { uuid, marketplace, accountId, orderId, state }) {
    const order = { marketplace, accountId, id: orderId };
    await database.write((scope) => decideLink(scope, uuid, order, state, listenersOf(exchange)));
    return { settled: true };
  },
});

/** A link to the XML, for ten minutes. */
export const linkToXmlOperation = defineRead({
  ...OF_MONEY,
  input: OF_ONE,
  output: z.object({ url: z.string(), expires_at: z.string() }),
  async run({ scope, cursors, clock, exchange, organization, person }, { uuid }) {
    const { summary } = await describeCfdi(scope, uuid);
    const by = { personId: person.id, address: null };
    const parts = { cursors, clock, publicUrl: () => exchange.publicUrl };
    return linkTo(parts, { organizationId: organization.id, by }, summary.uuid);
  },
});

/** A link to a ZIP of the XML that the filters find, for ten minutes. */
export const linkToArchiveOperation = defineRead({
  ...OF_MONEY,
  input: inputOf(CFDI_FILTERS),
  output: z.object({ url: z.string(), expires_at: z.string() }),
  async run({ scope, cursors, clock, exchange, organization, person }, filters) {
    // Too many documents are refused here, where the screen can say so.
    await foliosOf(scope, filters);
    const by = { personId: person.id, address: null };
    const parts = { cursors, clock, publicUrl: () => exchange.publicUrl };
    return linkToArchive(parts, { organizationId: organization.id, by }, filters);
  },
});

/** Takes an XML or a ZIP; its files are read afterwards. */
export const uploadCfdisOperation = defineWrite({
  ...OF_MONEY,
  isJob: true,
  mostBytes: MOST_CHARACTERS,
  input: inputOf({
    name: named('El nombre del archivo.', 'facturas.zip'),
    content: z
      .base64({ error: 'debe ser un archivo en base64.' })
      .meta({ description: 'El archivo, en base64.', examples: ['PGEvPg=='] }),
  }),
  output: z.object({ id: z.string() }),
  async run({ database, exchange }, { name, content }) {
    const bytes = Buffer.from(content, 'base64');
    if (bytes.byteLength === 0) throw invalid('content', 'El archivo está vacío.');
    const files = await filesOf(bytes, name);
    return { id: await database.write((scope) => requestReading(exchange, scope, files)) };
  },
});

/** How far an upload is. */
export const readUploadOperation = defineRead({
  ...OF_MONEY,
  kind: 'poll',
  input: inputOf({ id: named('La carga.', ID) }),
  output: z.object({
    files: z.int(),
    waiting: z.int(),
    added: z.int(),
    known: z.int(),
    refused: z.int(),
    errors: z.array(z.object({ file: z.string(), reason: z.string(), message: z.string() })),
  }),
  async run({ scope }, { id }) {
    const found = isId(id) ? await uploadOf(scope, id) : null;
    if (!found) throw fail('not_found', { message: 'No existe una carga con ese identificador.' });
    const { id: _, ...upload } = found;
    return { ...upload, errors: [...upload.errors] };
  },
});

function shownOf({ document }: CfdiDescription): z.output<typeof Shown> {
  const { issuer_name, receiver_name, folio } = document;
  if (document.kind === 'withholding')
    return {
      name: folio ?? '',
      issuer_name,
      receiver_name,
      items: [],
      item_count: 0,
      taxes_transferred: null,
      taxes_withheld: document.withheld_total,
    };
  const items = document.items.map(({ description, sku, quantity, amount }) => ({
    description,
    sku,
    quantity,
    amount,
  }));
  return {
    name: [document.serie, folio].filter((part) => part !== null).join(' '),
    issuer_name,
    receiver_name,
    taxes_transferred: document.total_transferred,
    taxes_withheld: document.total_withheld,
    items: items.slice(0, MOST_ITEMS),
    item_count: items.length,
  };
}
