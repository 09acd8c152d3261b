import type { FormEvent } from 'react';
import type { CallFailure } from '../../client.ts';
import { type Finding, findingKinds, findingMeanings, findingWords } from '../../finding-words.ts';
import { useFrame } from '../../frame/use-frame.ts';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { Field } from '../../parts/Field.tsx';
import { Money } from '../../parts/Money.tsx';
import { PanelLink } from '../../parts/PanelLink.tsx';
import { SaveRow } from '../../parts/SaveRow.tsx';
import { SidePanel } from '../../parts/SidePanel.tsx';
import { useDraft } from '../../parts/use-draft.ts';
import { useServices } from '../../parts/use-services.ts';
import { When } from '../../parts/When.tsx';
import { useChange } from '../../queries.ts';
import { linksOf } from './links.ts';
import { Subject } from './Subject.tsx';

/** The address names none, or nothing that is a finding's id. */
const ABSENT: readonly string[] = ['not_found', 'invalid_request'];

interface DrawerProps {
  /** Null = none is open. */
  readonly finding: Finding | null;
  /** Why the one that the address names cannot be shown; null = it can. */
  readonly failure: CallFailure | null;
  readonly onAgain: () => void;
  readonly onClose: () => void;
  /** @param state that its note gave it */
  readonly onExplained: (state: Finding['state']) => void;
}

/** One finding, over the list: what it means, what it is about, and its note. */
export function FindingDrawer(props: DrawerProps) {
  const { finding, failure, onAgain, onClose, onExplained } = props;
  const isOpen = finding !== null || failure !== null;
  const isMissing = failure !== null && ABSENT.includes(failure.code);
  return (
    <SidePanel isOpen={isOpen} title={findingWords.one} onClose={onClose}>
      {isMissing && <p role="status">{findingWords.missing}</p>}
      {failure && !isMissing && <FailureNote failure={failure} onAgain={onAgain} />}
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
  const { accountOf, nameOf } = useServices();
  const operations = useFrame().data?.operations ?? [];
  const mayExplain = operations.includes('findings.explain');
  const links = linksOf(finding, operations);
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
            <dd>
              {marketplace === null
                ? account_id
                : `${nameOf(marketplace)} · ${accountOf(marketplace, account_id)}`}
            </dd>
          </>
        )}
        <dt>{findingWords.since}</dt>
        <dd>
          <When at={since} />
        </dd>
      </dl>
      {links.length > 0 && (
        <p className="acts">
          {links.map(({ address, word }) => (
            <PanelLink key={word} address={address}>
              {word}
            </PanelLink>
          ))}
        </p>
      )}
      {mayExplain && state !== 'resolved' && <Note finding={finding} onExplained={onExplained} />}
      {(!mayExplain || state === 'resolved') && note !== null && (
        <p>
          {findingWords.note}: {note}
        </p>
      )}
    </div>
  );
}

function Note({ finding: { id, note }, onExplained }: DetailsProps) {
  const { values, set, settle, isChanged } = useDraft(`finding:${id}`, { note: note ?? '' });
  const explain = useChange('findings.explain', {
    onSuccess: ({ data }) => onExplained(data.state),
    onRefreshed: settle,
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
      />
    </form>
  );
}
