import { raiseAlert, resolveAlert } from '../../features/alerts/index.ts';
import {
  annotateLateOrders,
  completeOlder,
  linkLateOrders,
  organizationsToLook,
  organizationsToRead,
  organizationsToSealInvoices,
  organizationsWithIncomplete,
  organizationsWithPendingLinks,
  readInvoices,
  reading,
  sealInvoices,
} from '../../features/cfdi/index.ts';
import { annotateOrders, organizationsWithPendingOrders } from '../../features/ledger/index.ts';
import {
  accountsToPack,
  beginRerendering,
  indexOlderOrders,
  linkDocuments,
  organizationsToIndex,
  organizationsToRerender,
  organizationsToSeal,
  packDocuments,
  sealDocuments,
} from '../../features/orders/index.ts';
import { mailDeprecations, mailEndingKeys } from '../../features/people/index.ts';
import { recountWaiting } from '../../features/sales/index.ts';
import { INSTANCE } from '../../features/schedules/index.ts';
import { organizationsToSealShipments, sealShipments } from '../../features/shipments/index.ts';
import { organizationsToSealWarehouse, sealWarehouse } from '../../features/warehouse/index.ts';
import type { Handle } from '../../platform/db/database.ts';
import type { Retention } from '../../platform/db/retention.ts';
import { defineJob } from '../../platform/job.ts';
import { openPostbox } from '../../platform/mail.ts';
import { watchApiVersions } from '../connect/api-versions.ts';
import { askForAddresses } from '../connect/event-address.ts';
import { planStreams } from '../connect/plan.ts';
import type { ExchangeParts } from '../parts.ts';
import { listenersByOrigin } from '../sync/follow-up.ts';
import { scheduleRerenders } from '../sync/rerender.ts';
import { HandedBack } from '../wire/errors.ts';
import { askSat } from './ask-sat.ts';
import { dueJobPayload } from './due-job.ts';
import { resumeExports } from './export.ts';
import { resumeGuides } from './guides.ts';
import { resumeUploads } from './read-upload.ts';
import { retentionsOf } from './retentions.ts';
import {
  forEach,
  forEachOrganization,
  inSmallTransactions,
  PAUSE_MS,
} from './small-transactions.ts';

/** An hourly task; a failed one does not stop the others. */
interface Step {
  readonly name: string;
  /** For the alert, in Spanish: «no se pudo …». */
  readonly title: string;
  run(parts: ExchangeParts): Promise<unknown>;
}

/** Rows of one transaction, whose locks last for tens of milliseconds. */
const ROWS_AT_ONCE = 1_000;
const BUNDLES_AT_ONCE = 10;
const PARCELS_AT_ONCE = 50;
const ORDERS_AT_ONCE = 200;
const INVOICES_AT_ONCE = 20;
const LINKS_AT_ONCE = 100;

const STEPS: readonly Step[] = [
  { name: 'plan-streams', title: 'programar lo que falta por sincronizar', run: planStreams },
  {
    name: 'plan-rerendering',
    title: 'programar la relectura de las órdenes guardadas',
    run: (parts) => beginRerenders(parts).finally(() => scheduleRerenders(parts)),
  },
  { name: 'ask-for-addresses', title: 'revisar las direcciones de webhooks', run: askForAddresses },
  {
    name: 'watch-api-versions',
    title: 'revisar qué versiones de las API terminan pronto',
    run: (parts) => watchApiVersions(parts),
  },
  {
    name: 'recount-sales',
    title: 'recontar ventas',
    run: ({ database }) => recountWaiting(database),
  },
  {
    name: 'index-orders',
    title: 'preparar la búsqueda de las órdenes antiguas',
    run: (parts) => forEach(parts, organizationsToIndex, ORDERS_AT_ONCE, indexOlderOrders),
  },
  {
    name: 'annotate-orders-from-ledger',
    title: 'mostrar en las órdenes los movimientos que llegaron antes que ellas',
    run: (parts) =>
      forEach(parts, organizationsWithPendingOrders, LINKS_AT_ONCE, (scope, limit) =>
        annotateOrders(scope, listenersByOrigin(parts), limit),
      ),
  },
  {
    name: 'mail-ending-keys',
    title: 'avisar de las claves que vencen',
    run: ({ database, clock, publicUrl, queue, keyring }) =>
      mailEndingKeys({ database, clock, publicUrl, postbox: openPostbox(queue, keyring) }),
  },
  {
    name: 'mail-deprecations',
    title: 'avisar del retiro de una versión de la API',
    run: ({ database, clock, publicUrl, queue, keyring }) =>
      mailDeprecations({ database, clock, publicUrl, postbox: openPostbox(queue, keyring) }),
  },
  {
    name: 'read-invoices',
    title: 'leer los CFDI que entregaron los marketplaces',
    run: (parts) =>
      reading((reader) =>
        forEachOrganization(parts, organizationsToRead, INVOICES_AT_ONCE, (organization, limit) =>
          readInvoices(organization, reader, listenersByOrigin(parts), limit),
        ),
      ),
  },
  {
    name: 'complete-cfdis',
    title: 'completar los CFDI guardados antes',
    run: (parts) =>
      forEach(parts, organizationsWithIncomplete, INVOICES_AT_ONCE, (scope, limit) =>
        completeOlder(scope, parts.orderListeners, limit),
      ),
  },
  {
    name: 'link-late-orders',
    title: 'buscar las órdenes que nombran los CFDI recientes',
    run: (parts) =>
      forEach(
        parts,
        (handle) => organizationsToLook(handle, parts.clock.now()),
        INVOICES_AT_ONCE,
        (scope, limit) => linkLateOrders(scope, listenersByOrigin(parts), limit),
      ),
  },
  {
    name: 'annotate-late-orders',
    title: 'vincular los CFDI con las órdenes que llegaron después',
    run: (parts) =>
      forEach(parts, organizationsWithPendingLinks, LINKS_AT_ONCE, (scope, limit) =>
        annotateLateOrders(scope, listenersByOrigin(parts), limit),
      ),
  },
  { name: 'resume-exports', title: 'continuar las exportaciones detenidas', run: resumeExports },
  { name: 'resume-uploads', title: 'continuar la lectura de los CFDI subidos', run: resumeUploads },
  { name: 'resume-guides', title: 'continuar los trabajos de guías detenidos', run: resumeGuides },
  { name: 'ask-sat', title: 'consultar el estado de los CFDI en el SAT', run: askSat },
  {
    name: 'link-documents',
    title: 'enlazar los documentos de las órdenes',
    run: (parts) => inSmallTransactions(parts, BUNDLES_AT_ONCE, linkDocuments),
  },
  {
    name: 'pack-documents',
    title: 'comprimir los documentos de las órdenes',
    run: packAll,
  },
  {
    name: 'seal-documents',
    title: 'sellar los documentos de las órdenes',
    run: (parts) => forEach(parts, organizationsToSeal, BUNDLES_AT_ONCE, sealDocuments),
  },
  {
    name: 'seal-shipments',
    title: 'sellar los documentos de los envíos',
    run: (parts) => forEach(parts, organizationsToSealShipments, PARCELS_AT_ONCE, sealShipments),
  },
  {
    name: 'seal-warehouse',
    title: 'sellar las direcciones y las etiquetas del almacén',
    run: (parts) => forEach(parts, organizationsToSealWarehouse, PARCELS_AT_ONCE, sealWarehouse),
  },
  {
    name: 'seal-invoices',
    title: 'sellar los CFDI que entregaron los marketplaces',
    run: (parts) => forEach(parts, organizationsToSealInvoices, INVOICES_AT_ONCE, sealInvoices),
  },
];

/** The hourly tasks of the installation. */
export const housekeepingJob = defineJob({
  name: 'housekeeping',
  policy: 'short',
  retries: 2,
  concurrency: 1,
  isResumable: true,
  payload: dueJobPayload,
  run: runHousekeeping,
});

/** Runs every step; a failed one raises an alert of the installation. */
export async function runHousekeeping(parts: ExchangeParts): Promise<null> {
  const retentions = retentionsOf(parts).map((retention) => removing(retention));
  for (const step of [...STEPS, ...retentions]) await take(parts, step);
  return null;
}

function removing(retention: Retention): Step {
  const { table, keepDays, atOnce = ROWS_AT_ONCE, remove, byOrganization } = retention;
  return {
    name: `remove:${table}`,
    title: `borrar lo vencido de ${table}`,
    run(parts) {
      const before = parts.clock.now().subtract({ hours: 24 * keepDays });
      if (!byOrganization || parts.database.kind !== 'citus')
        return inSmallTransactions(parts, atOnce, (handle, limit) => remove(handle, before, limit));
      const find = (handle: Handle) => byOrganization.find(handle, before);
      return forEach(parts, find, atOnce, (scope, limit) =>
        byOrganization.remove(scope, before, limit),
      );
    },
  };
}

function beginRerenders(parts: ExchangeParts): Promise<void> {
  return forEach(parts, organizationsToRerender, 1, async (scope) => {
    await beginRerendering(scope);
    return 0;
  });
}

async function packAll({ database, clock }: ExchangeParts): Promise<void> {
  for (const { organizationId, ...account } of await database.search(accountsToPack)) {
    const organization = database.within(organizationId);
    while (await organization.write((scope) => packDocuments(scope, account)))
      await clock.sleep(PAUSE_MS);
    await clock.sleep(PAUSE_MS);
  }
}

async function take(parts: ExchangeParts, { name, title, run }: Step): Promise<void> {
  const { database, log } = parts;
  const instance = database.within(INSTANCE);
  try {
    await run(parts);
    await instance.write((scope) => resolveAlert(scope, ALERT, name));
  } catch (error) {
    if (error instanceof HandedBack) throw error;
    log.of('jobs').error({ step: name, err: error }, 'housekeeping step failed');
    const message = `El mantenimiento de cada hora no pudo ${title}. Se intenta de nuevo en la próxima hora; si se repite, revisa el registro del servicio.`;
    await instance
      .write((scope) => raiseAlert(scope, { kind: ALERT, subject: name, message }))
      .catch((cause) => log.of('jobs').error({ step: name, err: cause }, 'alert not raised'));
  }
}

const ALERT = 'housekeeping';
