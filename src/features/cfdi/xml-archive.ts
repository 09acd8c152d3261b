import { Readable } from 'node:stream';
import { type Options, ZipFile } from 'yazl';
import type { OrganizationDatabase, ReadScope, WriteScope } from '../../platform/db/database.ts';
import { invalid } from '../../platform/failure.ts';
import { type Doer, noteAct } from '../trail/index.ts';
import { xmlOf } from './cfdis.ts';
import { asStored, type CfdiFilters } from './list-cfdis.ts';
import { withId } from './store-order.ts';
import { pageOfCfdis } from './store-records.ts';

const MOST_FILES = 2_000;
/** The same archive whenever it is written. */
const ALWAYS: Partial<Options> = {
  // biome-ignore lint/style/noRestrictedGlobals: the library takes no other kind of time
  mtime: new Date(1980, 0, 1),
  forceDosTimestamp: true,
};

/** The folios of an archive. @throws Failure invalid_request where they are too many */
export async function foliosOf(scope: ReadScope, filters: CfdiFilters): Promise<string[]> {
  const { orderId, ...others } = asStored(filters);
  const found = await pageOfCfdis(scope, {
    ...others,
    order: withId(orderId),
    after: null,
    limit: MOST_FILES + 1,
  });
  if (found.length > MOST_FILES)
    throw invalid(
      'from',
      'Son más de 2,000 documentos. Elige un periodo más corto u otros filtros.',
    );
  return found.map(({ uuid }) => uuid);
}

/** The person or key that takes the XML of these documents is in the trail. */
export async function noteXmlDownload(
  scope: WriteScope,
  by: Doer,
  what: { readonly folio: string } | { readonly count: number },
): Promise<void> {
  const facts =
    'folio' in what ? { subject: what.folio, label: what.folio } : { label: String(what.count) };
  await noteAct(scope, by, 'cfdis_downloaded', facts);
}

/** A ZIP of the XML of documents, byte by byte as they came, by their folios. */
export function xmlArchive(
  organization: OrganizationDatabase,
  folios: readonly string[],
  signal: AbortSignal,
): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  zip.on('error', (error) => output.destroy(error));
  // Each is read when it is written: an archive takes the memory of one document.
  const contentOf = async (uuid: string) => {
    const found = await organization.read((scope) => xmlOf(scope, [uuid]), { signal });
    return Readable.from(found.values());
  };
  for (const uuid of folios)
    zip.addReadStreamLazy(`${uuid}.xml`, ALWAYS, (give) => {
      contentOf(uuid).then(
        (content) => void give(null, content),
        (error) => void output.destroy(error),
      );
    });
  zip.end();
  return output;
}
