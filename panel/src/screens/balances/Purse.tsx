import { useState } from 'react';
import { type Output, organizationId } from '../../client.ts';
import { moneyText } from '../../format.ts';
import { useMay } from '../../frame/use-frame.ts';
import { AccountName } from '../../parts/AccountName.tsx';
import { InlineForm } from '../../parts/InlineForm.tsx';
import { Money } from '../../parts/Money.tsx';
import { PanelLink } from '../../parts/PanelLink.tsx';
import { ServiceMark } from '../../parts/ServiceMark.tsx';
import { useDraft } from '../../parts/use-draft.ts';
import { useOpener } from '../../parts/use-opener.ts';
import { Age, When } from '../../parts/When.tsx';
import { purses } from '../../payout-words.ts';
import { useChange } from '../../queries.ts';
import { words } from '../../words.ts';
import { balanceWords } from './words.ts';

type PurseData = Output<'balances.list'>['data'][number];
const MOST_RELEASES = 5;

interface PurseProps {
  readonly purse: PurseData;
  /** Whether this person is mailed when an alert begins; null = unknown. */
  readonly isMailed: boolean | null;
}

/** What one account has in one currency; carriers have three figures of their own. */
export function Purse({ purse, isMailed }: PurseProps) {
  const { currency } = purse;
  const facts =
    purse.is_carrier && !purse.is_told_with_guides
      ? [
          { name: balanceWords.prepaid, amount: purse.balance },
          { name: balanceWords.spendable, amount: purse.available },
          { name: balanceWords.credit, amount: purse.credit_limit },
        ]
      : [
          { name: balanceWords.available, amount: purse.available },
          ...(purse.is_carrier ? [] : [{ name: balanceWords.pending, amount: purse.pending }]),
        ];
  return (
    <section className="tile" aria-label={`${purse.name} ${purse.account_id} ${currency}`}>
      <h2>
        <ServiceMark name={purse.name} />
      </h2>
      <p className="faint">
        <AccountName service={purse.service} id={purse.account_id} />
        {purse.purse && ` · ${purses[purse.purse] ?? purse.purse}`}
      </p>
      <dl className="facts">
        {facts.map(({ name, amount }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Money amount={amount} currency={currency} absent={balanceWords.notReported} />
            </dd>
          </div>
        ))}
      </dl>
      <Releases of={purse} />
      <p className="faint">
        {purse.is_told_with_guides ? balanceWords.told : balanceWords.taken}{' '}
        <Age at={purse.taken_at} />
        {purse.is_derived && ` · ${balanceWords.derived}`}
      </p>
      <Least purse={purse} isMailed={isMailed} />
    </section>
  );
}

/** When the pending money is released, the soonest first. */
function Releases({ of: { releases, currency } }: { of: PurseData }) {
  const list = (some: PurseData['releases']) => (
    <ul className="items">
      {some.map(({ at, amount }) => (
        <li key={at}>
          <When at={at} />
          <Money amount={amount} currency={currency} />
        </li>
      ))}
    </ul>
  );
  if (releases.length === 0) return null;
  const more = releases.slice(MOST_RELEASES);
  return (
    <>
      <h3>{balanceWords.releases}</h3>
      {list(releases.slice(0, MOST_RELEASES))}
      {more.length > 0 && (
        <details>
          <summary>{words.orders.andMore(more.length)}</summary>
          {list(more)}
        </details>
      )}
    </>
  );
}

/** The amount below which an alert begins; roles that may set it are offered that. */
function Least({ purse, isMailed }: PurseProps) {
  const maySet = useMay('balances.set-floor');
  const { key, least, currency } = purse;
  const amount = purse.available ?? purse.balance;
  const isBelow = least !== null && amount !== null && amount < least;
  const draft = useDraft(`floor:${key}`, { least: least === null ? '' : String(least) });
  const [isEdited, setEdited] = useState(draft.isChanged);
  const opener = useOpener(isEdited);
  const close = () => {
    draft.clear();
    setEdited(false);
  };
  const set = useChange('balances.set-floor', { onRefreshed: close });
  // What is not reported can never be known to fall.
  const isOffered = maySet && (amount !== null || least !== null);
  if (!isEdited)
    return (
      <>
        {(least !== null || isOffered) && (
          <p>
            {isBelow && <strong>{balanceWords.below(moneyText(least, currency))}</strong>}
            {least !== null && !isBelow && balanceWords.least(moneyText(least, currency))}{' '}
            {isOffered && (
              <button
                ref={opener}
                type="button"
                className="link-button"
                onClick={() => setEdited(true)}
              >
                {least === null ? balanceWords.setLeast : balanceWords.changeLeast}
              </button>
            )}
          </p>
        )}
        {least !== null && (
          <p>
            <ToldBy isMailed={isMailed} />
          </p>
        )}
      </>
    );
  return (
    <InlineForm
      label={balanceWords.leastField(currency)}
      value={draft.values.least}
      onChange={(typed) => draft.set('least', typed)}
      inputMode="decimal"
      hint={
        <>
          <ToldBy isMailed={isMailed} /> {balanceWords.leastHint}
        </>
      }
      isSending={set.isPending}
      failure={set.error}
      onSave={() => {
        const typed = draft.values.least.trim();
        set.mutate(typed === '' ? { key } : { key, least: typed });
      }}
      onClose={close}
    />
  );
}

/** The ways in which this person gets the alert, with the link that changes them. */
function ToldBy({ isMailed }: Pick<PurseProps, 'isMailed'>) {
  const { home, mail, noMail } = balanceWords.toldBy;
  const known = isMailed ? mail : noMail;
  return (
    <span className="faint">
      {isMailed === null ? home : known}{' '}
      <PanelLink address={`/panel/${organizationId}/ajustes`}>{balanceWords.changeMails}</PanelLink>
    </span>
  );
}
