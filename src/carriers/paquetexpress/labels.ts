import { z } from 'zod';
import type { Call } from '../../connectors/contract.ts';
import type { GuideLabels } from '../contract.ts';
import type { PaquetexpressCredentials } from './credentials.ts';
import { posted } from './session.ts';
import { solicitude, TRACK_PATH } from './shipments.ts';
import type { Envelope } from './wire.ts';

const PDF_PATH = '/wsReportPaquetexpress/GenCartaPorte';
/** The request and its labels, in one text. */
const WITH_LABELS = '1';

const Printed = z.object({
  retornoSolicitud: z.object({ cadenaImpresion: z.string().trim().startsWith('^XA') }),
});

/**
 * Both labels of a guide. A label that is not available is null: the guide exists, and its labels
 * can be fetched again.
 */
export async function labelsOf(
  ask: (request: ReturnType<typeof posted>) => Promise<Envelope>,
  call: Call<PaquetexpressCredentials>,
  tracking: string,
): Promise<GuideLabels> {
  const [zpl, pdf] = await Promise.allSettled([zplOf(ask, tracking), pdfOf(call, tracking)]);
  return {
    zpl: zpl.status === 'fulfilled' ? zpl.value : null,
    pdfBase64: pdf.status === 'fulfilled' ? pdf.value : null,
  };
}

async function zplOf(
  ask: (request: ReturnType<typeof posted>) => Promise<Envelope>,
  tracking: string,
): Promise<string | null> {
  const { data } = await ask(posted(TRACK_PATH, solicitude(tracking, WITH_LABELS)));
  const found = Printed.safeParse(data);
  return found.success ? found.data.retornoSolicitud.cadenaImpresion : null;
}

/**
 * The page answers 200 to everything; only its first bytes distinguish a document from an error
 * page.
 */
async function pdfOf(
  call: Call<PaquetexpressCredentials>,
  tracking: string,
): Promise<string | null> {
  const { body } = await call.request({
    method: 'GET',
    host: 'guide',
    rate: 'guides',
    path: PDF_PATH,
    query: { trackingNoGen: tracking, measure: '4x6' },
    headers: { accept: 'application/pdf' },
    anonymous: true,
    isBinary: true,
  });
  return body.startsWith('%PDF-') ? Buffer.from(body, 'latin1').toString('base64') : null;
}
