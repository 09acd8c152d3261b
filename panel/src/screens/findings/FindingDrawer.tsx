import type { FormEvent } from 'react';
import { organizationId } from '../../client.ts';
import { type Finding, findingKinds, findingMeanings, findingWords } from '../../finding-words.ts';
import { useFrame } from '../../frame/use-frame.ts';
import { Field } from '../../parts/Field.tsx';
import { Money } from '../../parts/Money.tsx';
import { PanelLink } from '../../parts/PanelLink.tsx';
import { SaveRow } from '../../parts/SaveRow.tsx';
import { SidePanel } from '../../parts/SidePanel.tsx';
import { useDraft } from '../../parts/use-draft.ts';
import { useServices } from '../../parts/use-services.ts';
import { When } from '../../parts/When.tsx';
import { useChange } from '../../queries.ts';
import { daysOf } from '../cfdis/search.ts';
import { Subject } from './Subject.tsx';

interface DrawerProps {
  /** Null = none is open. */
  readonly finding: Finding | null;
  readonly onClose: () => void;
  /** @param state that its note gave it */
  readonly onExplained: (state: Finding['state']) => void;
}

/** One finding, over the list: what it means, what it is about, and its note. */
export function FindingDrawer({ finding, onClose, onExplained }: DrawerProps) {
  return (
    <SidePanel isOpen={finding !== null} title={findingWords.one} onClose={onClose}>
      {finding && <Details key={finding.id} finding={finding} onExplained={onExplained} />}
    </SidePanel>
  );
}

interface DetailsProps extends Pick<DrawerProps, 'onExplained'> {
  readonly finding: Finding;
}

function Details({ finding, onExplained }: DetailsProps) {
  const { kind, subject, marketplace, account_id, since, currency, amount, expected, state, note } =
    finding;
  const { accountOf } = useServices();
  const mayExplain = useFrame().data?.operations.includes('findings.explain') ?? false;
  const link = linkOf(finding);
  return (
    <div className="details">
      <p className="details-head">
        <strong>{findingKinds[kind]}</strong>
      </p>
      <p>{findingMeanings[kind]}</p>
      <dl className="pairs">
        <dt>{findingWords.amount}</dt>
        <dd>
          <Money amount={amount} currency={currency} />
        </dd>
        {expected !== null && (
          <>
            <dt>{findingWords.expected}</dt>
            <dd>
              <Money amount={expected} currency={currency} />
            </dd>
          </>
        )}
        <dt>{findingWords.subject}</dt>
        <dd>
          <Subject kind={kind} subject={subject} />
        </dd>
        {account_id !== null && (
          <>
            <dt>{findingWords.account}</dt>
            <dd>{marketplace === null ? account_id : accountOf(marketplace, account_id)}</dd>
          </>
        )}
        <dt>{findingWords.since}</dt>
        <dd>
          <When at={since} />
        </dd>
      </dl>
      {link && <PanelLink address={link.address}>{link.word}</PanelLink>}
      {mayExplain && state !== 'resolved' && <Note {...{ finding, onExplained }} />}
      {(!mayExplain || state === 'resolved') && note !== null && (
        <p>
          {findingWords.note}: {note}
        </p>
      )}
    </div>
  );
}

function Note({ finding: { id, note }, onExplained }: DetailsProps) {
  const { values, set, clear, isChanged } = useDraft(`finding:${id}`, { note: note ?? '' });
  const explain = useChange('findings.explain', {
    onSuccess: ({ data }) => onExplained(data.state),
    onRefreshed: clear,
  });
  const typed = values.note;
  const send = () => explain.mutate({ id, ...(typed.trim() !== '' && { note: typed }) });
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    send();
  }
  return (
    <form onSubmit={submit}>
      <Field
        label={findingWords.note}
        value={typed}
        onChange={(value) => set('note', value)}
        hint={findingWords.noteHint}
        isLong
      />
      <SaveRow
        label={findingWords.save}
        isSending={explain.isPending}
        isDone={explain.isSuccess && !isChanged}
        isDisabled={typed.trim() === (note ?? '')}
        done={findingWords.saved}
        failure={explain.error}
        onAgain={send}
      />
    </form>
  );
}

const OF_ORDER: readonly Finding['kind'][] = [
  'order_unpaid',
  'fee_charged_twice',
  'withheld_differs',
  'fee_kept_on_refund',
  'cfdi_total_differs',
  'fee_unusual',
];

function linkOf({ kind, subject, marketplace, account_id }: Finding) {
  const base = `/panel/${organizationId}`;
  if (kind === 'certificate_differs')
    return {
      address: `${base}/retenciones?periodo=${encodeURIComponent(subject)}`,
      word: findingWords.openPeriod,
    };
  if (kind === 'fee_invoices_differ') {
    const received = new URLSearchParams({ sentido: 'received', ...daysOf(subject) });
    return { address: `${base}/facturas?${received}`, word: findingWords.openInvoices };
  }
  if (marketplace === null || account_id === null) return null;
  if (OF_ORDER.includes(kind)) {
    const order = new URLSearchParams({ orden: subject, de: marketplace, cuenta: account_id });
    return { address: `${base}/ordenes?${order}`, word: findingWords.openOrder };
  }
  if (kind === 'orders_without_cfdi') {
    const month = { vista: 'pendientes', canal: marketplace, ...daysOf(subject.slice(0, 7)) };
    const address = `${base}/facturas?${new URLSearchParams(month)}`;
    return { address, word: findingWords.openUninvoiced };
  }
  if (kind !== 'payout_unexplained') return null;
  const payout = new URLSearchParams({ marketplace, cuenta: account_id, pago: subject });
  return { address: `${base}/saldos?${payout}`, word: findingWords.openPayout };
}
