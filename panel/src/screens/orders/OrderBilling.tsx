import { billingWords } from '../../cfdi-words.ts';
import type { Output } from '../../client.ts';
import { BusyButton } from '../../parts/BusyButton.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { useChange } from '../../queries.ts';
import { whichOf } from './which.ts';

type Order = Output<'orders.get'>['data'];
type BillingData = Output<'billing-data.view'>;

/** The generic RFC: the buyer asked for no invoice in their own name. */
const PUBLIC_RFC = 'XAXX010101000';

/** What the buyer gave for the invoice, shown on request, since each view is noted. */
export function OrderBilling({ order }: { order: Order }) {
  const view = useChange('billing-data.view');
  const show = () => view.mutate(whichOf(order));
  if (view.data) return <Data of={view.data} />;
  return (
    <>
      {view.error && <FailureNote failure={view.error} onAgain={show} />}
      <p>
        <BusyButton className="link-button" isBusy={view.isPending} onClick={show}>
          {billingWords.show}
        </BusyButton>{' '}
        <span className="faint">{billingWords.noted}</span>
      </p>
    </>
  );
}

function Data({ of: { name, rfc, regime, cfdi_use, ...place } }: { of: BillingData }) {
  const { street, neighborhood, city, state, zipcode } = place;
  const address = [street, neighborhood, zipcode, city, state].filter(Boolean).join(', ');
  return (
    <>
      <h3>{billingWords.title}</h3>
      <dl className="pairs">
        <dt>{billingWords.name}</dt>
        <dd>{name ?? billingWords.none}</dd>
        <dt>{billingWords.rfc}</dt>
        <dd>{rfc === PUBLIC_RFC ? `${rfc} (${billingWords.public})` : rfc}</dd>
        <dt>{billingWords.regime}</dt>
        <dd>{regime ?? billingWords.none}</dd>
        <dt>{billingWords.use}</dt>
        <dd>{cfdi_use ?? billingWords.none}</dd>
        <dt>{billingWords.address}</dt>
        <dd>{address || billingWords.none}</dd>
      </dl>
    </>
  );
}
