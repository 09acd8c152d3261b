import type { ReadScope, WriteScope } from '../../platform/db/database.ts';
import { fail } from '../../platform/failure.ts';
import { add, compare, type Decimal, decimal, subtract, ZERO } from '../../platform/money.ts';
import { type OrderIdentity, type OrderListener, ordersNamed } from '../orders/index.ts';
import { type Candidate, candidatesFor } from './candidates.ts';
import { documentOf } from './cfdis.ts';
import { summaryOf } from './list-cfdis.ts';
import { annotateOrders, isOwnSale, PAYMENT } from './relate-cfdis.ts';
import { inheritLinks } from './store-inherited.ts';
import * as store from './store-links.ts';
import type { CfdiSummary } from './summary.ts';
import type { CfdiRecord, PaidDocument, TaxDocument } from './xml/record.ts';

export const PAYMENT_STATES = ['unpaid', 'partial', 'paid'] as const;

/** Relations of the SAT's catalogue: a credit note, a return, and an advance that is applied. */
const CREDITS: ReadonlySet<string> = new Set(['01', '03', '07']);

/** A tax document with what others say of it. */
export interface CfdiDescription {
  readonly summary: CfdiSummary;
  readonly document: TaxDocument;
  readonly links: readonly store.OrderLink[];
  /** Orders that may belong to it. */
  readonly candidates: readonly Candidate[];
  /** The documents that name this one. */
  readonly namedBy: readonly store.RelationRow[];
  /** The newest one that substitutes it. */
  readonly replacedBy: string | null;
  /** Of an invoice that is paid later (PPD); null = of another one. */
  readonly paidTotal: Decimal | null;
  readonly paymentState: (typeof PAYMENT_STATES)[number] | null;
}

/** @throws Failure not_found */
export async function describeCfdi(scope: ReadScope, given: string): Promise<CfdiDescription> {
  const summary = await summaryOf(scope, given);
  const document = summary && (await documentOf(scope, summary.uuid));
  if (!summary || !document) throw noCfdi();
  const links = await store.linksOf(scope, [summary.uuid]);
  const orders = links.map(({ order }) => order);
  const namedBy = await store.relationsTo(scope, summary.uuid);
  const alive = namedBy.filter(({ status }) => status !== 'cancelado');
  return {
    summary,
    document,
    links,
    namedBy,
    candidates: isOwnSale(document, summary.direction)
      ? await candidatesFor(scope, document, orders)
      : [],
    replacedBy: alive.findLast((one) => isSubstitute(document, one))?.uuid ?? null,
    ...(await paymentOf(scope, document, namedBy)),
  };
}

/**
 * Links a document to an order, or undoes a link for good, as a person says.
 * @throws Failure not_found, order_not_found
 */
export async function decideLink(
  scope: WriteScope,
  given: string,
  order: OrderIdentity,
  state: 'linked' | 'rejected',
  listeners: readonly OrderListener[],
): Promise<void> {
  const summary = await summaryOf(scope, given);
  if (!summary) throw noCfdi();
  const known = await ordersNamed(scope, [order.id]);
  const isThere = known.some(
    ({ marketplace, accountId }) =>
      marketplace === order.marketplace && accountId === order.accountId,
  );
  if (!isThere) throw fail('order_not_found');
  const isChanged = await store.decideLink(scope, summary.uuid, order, state);
  if (isChanged && state === 'linked') await inheritLinks(scope, [summary.uuid]);
  if (isChanged) await annotateOrders(scope, [order], listeners);
}

/** The same as `IS_REPLACED`. */
function isSubstitute(document: TaxDocument, one: store.RelationRow): boolean {
  return (
    one.relation === store.SUBSTITUTION &&
    one.issuer_rfc === document.issuer_rfc &&
    one.uuid !== document.uuid
  );
}

function noCfdi() {
  return fail('not_found', { message: 'No existe un CFDI con ese folio fiscal.' });
}

/** Credit notes lower what is due; the last installment says whether anything is left. */
async function paymentOf(
  scope: ReadScope,
  document: TaxDocument,
  namedBy: readonly store.RelationRow[],
): Promise<Pick<CfdiDescription, 'paidTotal' | 'paymentState'>> {
  if (document.kind !== 'cfdi' || document.payment_method !== 'PPD')
    return { paidTotal: null, paymentState: null };
  const payments = namedBy.filter(({ relation }) => relation === PAYMENT);
  const paid = payments.filter(isInEffect);
  const paidTotal = add(ZERO, ...paid.map(({ amount }) => decimal(amount ?? '0')));
  const credited = namedBy.filter((one) => isCreditOf(document, one));
  const due = subtract(document.total, add(ZERO, ...credited.map(({ total }) => total ?? ZERO)));
  const isWhole = compare(paidTotal, due) >= 0 || (await isSettled(scope, document.uuid, payments));
  const some = compare(paidTotal, ZERO) > 0 ? 'partial' : 'unpaid';
  return { paidTotal, paymentState: isWhole ? 'paid' : some };
}

function isInEffect({ status, is_replaced }: store.RelationRow): boolean {
  return status !== 'cancelado' && !is_replaced;
}

/**
 * A credit note of several invoices does not say how much is for each, and one in another currency
 * not how much it is in that of the invoice.
 */
function isCreditOf({ issuer_rfc, currency }: CfdiRecord, one: store.RelationRow): boolean {
  return (
    one.type === 'egreso' &&
    one.currency === currency &&
    CREDITS.has(one.relation) &&
    one.related === 1 &&
    one.issuer_rfc === issuer_rfc &&
    isInEffect(one)
  );
}

/**
 * Whether the last installment leaves nothing to pay. Its balance counts on the installments before
 * it, so one of them that was cancelled, and not paid again, is still due.
 */
async function isSettled(
  scope: ReadScope,
  uuid: string,
  payments: readonly store.RelationRow[],
): Promise<boolean> {
  const [kept = [], lost = []] = [true, false].map((inEffect) => [
    ...new Set(payments.filter((one) => isInEffect(one) === inEffect).map((one) => one.uuid)),
  ]);
  const installments = await installmentsOf(scope, uuid, kept);
  // One that was cancelled may be issued again after the last one.
  const last = installments.toSorted((a, b) => numberOf(a) - numberOf(b)).at(-1);
  if (!last?.balance_after || compare(last.balance_after, ZERO) !== 0) return false;
  if (lost.length === 0) return true;
  const paid = new Set(installments.map(numberOf));
  const numbers = (await installmentsOf(scope, uuid, lost)).map(numberOf);
  return numbers.every((one) => one >= numberOf(last) || paid.has(one));
}

function numberOf({ installment }: PaidDocument): number {
  return Number(installment);
}

/** What these payments say of the invoice that they pay. */
async function installmentsOf(
  scope: ReadScope,
  uuid: string,
  payments: readonly string[],
): Promise<PaidDocument[]> {
  const found: PaidDocument[] = [];
  for (const one of payments) {
    const payment = await documentOf(scope, one);
    if (payment?.kind !== 'cfdi') continue;
    const paid = payment.payments.flatMap(({ documents }) => documents);
    found.push(...paid.filter((each) => each.uuid === uuid));
  }
  return found;
}
