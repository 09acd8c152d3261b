import { MARKETPLACES } from '../../connectors/contract.ts';
import { listConnections } from '../../features/connections/index.ts';
import {
  askForExport,
  deleteExport,
  EXPORTS,
  type Exported,
  getExport,
  type KeptExport,
  listExports,
  WHAT_NAMES,
} from '../../features/exports/index.ts';
import { may, type Role, scopesFor } from '../../features/people/index.ts';
import type { ReadScope } from '../../platform/db/database.ts';
import { fail, invalid } from '../../platform/failure.ts';
import { isId } from '../../platform/ids.ts';
import { makeExportLink } from '../export-links.ts';
import { noteIn } from '../page.ts';
import { queueExport } from '../queue-export.ts';
import { daysOfPeriod } from './export-periods.ts';
import { EXPORT_PATHS, type ExportTyped, exportsReply } from './exports-pages.ts';
import {
  addressIn,
  inOrganization,
  noteEventIn,
  type PageMembership,
  refuseSuspended,
  writeAs,
} from './membership.ts';
import { orShowAgain, type PageRequest, type Reply, typed } from './page-request.ts';

const NOTES: Readonly<Record<string, string>> = {
  pedida: 'Pedimos tu exportación. Cuando diga «Lista», descárgala aquí abajo.',
  eliminada: 'La exportación quedó eliminada.',
};

/** A screen leads here with what it shows (`que`) and its days (`desde`, `hasta`). */
export async function exportsPage(request: PageRequest): Promise<Reply> {
  return atExports(request, (membership) =>
    show(request, membership, { typed: wantedIn(request), said: noteIn(NOTES, request.query) }),
  );
}

/** A form that comes again asks for no second export: the export has the form's id. */
export async function makeExport(request: PageRequest): Promise<Reply> {
  return atExports(request, (membership) =>
    orShowAgain(
      async () => {
        refuseSuspended(membership);
        const wish = wishIn(request, membership);
        await writeAs(request, membership, 'read_orders', async (scope, by) => {
          const { kept, isNew } = await askForExport(scope, by, wish);
          if (isNew) await queueExport(request.queue, scope, kept.id);
        });
        noteEventIn(request, membership, 'export_requested', { subject: wish.id });
        return { to: addressIn(membership, EXPORT_PATHS.list, { aviso: 'pedida' }) };
      },
      ({ message }) => show(request, membership, { typed: typedIn(request), wrong: message }),
    ),
  );
}

/** Leads to the file, by a link that lasts a quarter of an hour. */
export async function exportFile(request: PageRequest): Promise<Reply> {
  return atExports(request, async (membership) => {
    refuseSuspended(membership);
    const { organization, person } = membership;
    const kept = await request.database
      .within(organization.id)
      .read((scope) => asked(scope, membership, request.query.get('exportacion') ?? ''));
    if (kept.state !== 'done') throw fail('export_not_ready');
    const { url } = makeExportLink(
      { cursors: request.cursors, publicUrl: '', now: request.clock.now() },
      {
        organizationId: organization.id,
        exportId: kept.id,
        by: { personId: person.id, address: request.address },
      },
    );
    return { to: url };
  });
}

export async function removeExport(request: PageRequest): Promise<Reply> {
  return atExports(request, async (membership) => {
    const id = typed(request, 'exportacion');
    await writeAs(request, membership, 'read_orders', async (scope, by) => {
      await asked(scope, membership, id);
      await deleteExport(scope, by, id);
    });
    noteEventIn(request, membership, 'export_deleted', { subject: id });
    return { to: addressIn(membership, EXPORT_PATHS.list, { aviso: 'eliminada' }) };
  });
}

function atExports(
  request: PageRequest,
  work: (membership: PageMembership) => Promise<Reply>,
): Promise<Reply> {
  return inOrganization(request, EXPORT_PATHS.list, work);
}

/** What a person with this role may export: what they may read. */
function kindsFor(role: Role): Exported[] {
  const scopes = scopesFor(role);
  return WHAT_NAMES.filter((what) => scopes.includes(EXPORTS[what].scope));
}

/** Another member's export may hold what this role does not see. */
function mayTake(role: Role, { what, terms }: KeptExport): boolean {
  const isWithin = terms.view === 'without earnings' || may(role, 'read_money');
  return isWithin && kindsFor(role).includes(what);
}

/** @throws Failure not_found */
async function asked(scope: ReadScope, { role }: PageMembership, id: string): Promise<KeptExport> {
  const kept = isId(id) ? await getExport(scope, id) : null;
  if (kept && mayTake(role, kept)) return kept;
  throw fail('not_found', { message: 'No existe una exportación con ese identificador.' });
}

/** @throws Failure invalid_request, insufficient_role */
function wishIn(request: PageRequest, { role, organization }: PageMembership) {
  const id = typed(request, 'formulario');
  if (!isId(id))
    throw invalid('formulario', 'El formulario llegó incompleto. Llénalo de nuevo en esta página.');
  const wanted = typedIn(request);
  const { what, format, period, ...days } = wanted;
  const today = request.clock.now().toZonedDateTimeISO(organization.timezone).toPlainDate();
  const named = daysOfPeriod(period, today);
  if (!named && period !== '') throw invalid('periodo', 'Elige un periodo de la lista.');
  const { from, to } = named ?? days;
  if (WHAT_NAMES.some((one) => one === what) && !kindsFor(role).some((one) => one === what))
    throw fail('insufficient_role', { message: 'Tu rol no permite exportar esos datos.' });
  const view = may(role, 'read_money') ? ('whole' as const) : ('without earnings' as const);
  const { marketplace: only, payout } = wanted;
  const marketplace = only || null;
  return { id, what, format, view, from: from || null, to: to || null, marketplace, payout };
}

function wantedIn({ query }: PageRequest): ExportTyped {
  return {
    what: query.get('que') ?? 'orders',
    format: 'excel',
    period: '',
    from: query.get('desde') ?? '',
    to: query.get('hasta') ?? '',
    marketplace: query.get('marketplace') ?? '',
    payout: payoutIn((name) => query.get(name) ?? ''),
    hasMore: query.get('filtros') === 'otros',
  };
}

function typedIn(request: PageRequest): ExportTyped {
  return {
    what: typed(request, 'que'),
    format: typed(request, 'formato'),
    period: typed(request, 'periodo'),
    from: typed(request, 'desde'),
    to: typed(request, 'hasta'),
    marketplace: typed(request, 'marketplace'),
    payout: payoutIn((name) => typed(request, name)),
  };
}

function payoutIn(of: (name: string) => string): ExportTyped['payout'] {
  const [accountId, id] = [of('cuenta'), of('pago')];
  return accountId && id ? { accountId, id } : null;
}

async function show(
  request: PageRequest,
  membership: PageMembership,
  about: { typed: ExportTyped; said?: string | null; wrong?: string },
): Promise<Reply> {
  const { role, organization } = membership;
  const { exports, connections } = await request.database
    .within(organization.id)
    .read(async (scope) => ({
      exports: await listExports(scope),
      connections: await listConnections(scope),
    }));
  const services = new Set<string>(connections.map(({ service }) => service));
  return exportsReply(membership, {
    marketplaces: MARKETPLACES.filter((one) => services.has(one)),
    exports: exports.filter((kept) => mayTake(role, kept)),
    kinds: kindsFor(role),
    seesEarnings: may(role, 'read_money'),
    ...about,
  });
}
