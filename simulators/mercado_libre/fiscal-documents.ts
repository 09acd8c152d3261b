/** What sellers upload for their buyers, kept by pack: one PDF and one XML at most. */
import { dice } from '../dice.ts';
import { rawNumber } from '../exact-json.ts';
import type { Call, Reply, Routes } from '../http.ts';
import { hasPack } from './facts.ts';
import { findOrder, findPack, refuse, type Seller, type Shop } from './shop.ts';

interface UploadedFile {
  readonly type: string;
  readonly name: string;
  readonly content: Buffer;
}

interface Document extends UploadedFile {
  readonly id: string;
  readonly uploaded: number;
}

const TYPES: Readonly<Record<string, 'pdf' | 'xml'>> = {
  'application/pdf': 'pdf',
  'application/xml': 'xml',
  'text/xml': 'xml',
};
const MOST_BYTES = 1_048_576;

export function fiscalDocumentRoutes(shop: Shop): Routes {
  const byPack = new Map<string, Document[]>();
  let count = 0;

  /** The pack's documents; an order's id replaces the pack's only where it has none. */
  function ownDocuments(call: Call): { seller: Seller; documents: Document[] } {
    const seller = shop.caller(call);
    const id = call.params.id ?? '';
    const order = findOrder(shop, id);
    const found =
      findPack(shop, id) ?? (order && !hasPack(order.order, order.seller) ? order : undefined);
    if (!found) throw refuse(404, 'not_found', `The pack ${id} was not found`);
    if (found.seller !== seller)
      throw refuse(403, 'forbidden', 'The user has not access to the pack');
    const documents = byPack.get(id) ?? [];
    byPack.set(id, documents);
    return { seller, documents };
  }

  function upload(call: Call): Reply {
    const { seller, documents } = ownDocuments(call);
    const files = filesOf(call);
    assertFit(files, documents);
    const added = files.map((file) => {
      count += 1;
      const tail = dice('fiscal document', count).whole(1e11, 9e11).toString(16);
      return {
        ...file,
        id: `${seller.id}_a96d8dea-38cd-4402-938e-${tail.padStart(12, '0')}`,
        uploaded: shop.now(),
      };
    });
    documents.push(...added);
    return { status: 201, body: { ids: added.map(({ id }) => id) } };
  }

  function list(call: Call): Reply {
    const { documents } = ownDocuments(call);
    if (documents.length === 0) throw refuse(404, 'not_found', 'There are no fiscal documents');
    return {
      body: {
        pack_id: rawNumber(call.params.id ?? '0'),
        fiscal_documents: documents.map(({ id, uploaded, type, name }) => ({
          id,
          date: new Date(uploaded).toISOString().replace(/\.\d+/, ''),
          file_type: type,
          filename: name,
        })),
      },
    };
  }

  function one(call: Call): Document {
    const { documents } = ownDocuments(call);
    const found = documents.find(({ id }) => id === call.params.document);
    if (!found) throw refuse(404, 'not_found', 'The fiscal document was not found');
    return found;
  }

  return {
    'POST /packs/:id/fiscal_documents': upload,
    'GET /packs/:id/fiscal_documents': list,
    'GET /packs/:id/fiscal_documents/:document': (call) => {
      const { type, content } = one(call);
      return { headers: { 'content-type': type }, body: content };
    },
    'DELETE /packs/:id/fiscal_documents/:document': (call) => {
      const found = one(call);
      const { documents } = ownDocuments(call);
      documents.splice(documents.indexOf(found), 1);
      return { status: 200 };
    },
  };
}

/** Throws the documented refusal of files that may not be added to the pack's documents. */
function assertFit(files: readonly UploadedFile[], documents: readonly Document[]): void {
  if (files.length === 0) throw refuse(400, 'bad_request', 'The file fiscal_document is required');
  for (const { type, content } of files) {
    const kind = TYPES[type];
    if (!kind) throw refuse(406, 'not_acceptable', `The type ${type} is not allowed`);
    if (content.length > MOST_BYTES) throw refuse(400, 'bad_request', 'The file is too large');
    if (documents.some((document) => TYPES[document.type] === kind))
      throw refuse(409, 'conflict', 'The pack has a fiscal document of this type already');
  }
}

/** The parts of a multipart form that are named as documented. */
function filesOf({ headers, bytes }: Call): UploadedFile[] {
  const boundary = /boundary="?([^";]+)/.exec(headers['content-type'] ?? '')?.[1];
  if (!boundary) return [];
  return bytes
    .toString('latin1')
    .split(`--${boundary}`)
    .flatMap((part) => {
      const [head = '', ...rest] = part.split('\r\n\r\n');
      const name = /name="fiscal_document"; filename="([^"]*)"/.exec(head)?.[1];
      const type = /content-type: *([^\r\n;]+)/i.exec(head)?.[1];
      if (name === undefined || type === undefined) return [];
      const content = rest.join('\r\n\r\n').replace(/\r\n$/, '');
      return [{ name, type, content: Buffer.from(content, 'latin1') }];
    });
}
