import { countText } from '../../format.ts';
import { useFrame } from '../../frame/use-frame.ts';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { useServices } from '../../parts/use-services.ts';
import { Age, When } from '../../parts/When.tsx';
import { states, words } from '../../words.ts';
import { TONES } from '../connections/tones.ts';
import { Alerts } from './Alerts.tsx';
import { alertWords } from './alert-words.ts';
import { OpenOrders } from './OpenOrders.tsx';
import { ResolvedAlerts } from './ResolvedAlerts.tsx';
import { To } from './To.tsx';
import type { useAttention } from './use-attention.ts';
import { homeWords } from './words.ts';

interface AttentionProps {
  readonly calls: ReadonlySet<string>;
  readonly attention: ReturnType<typeof useAttention>;
}

/**
 * Accounts with a problem first, then the alerts, open returns and claims, findings, and keys that
 * end soon.
 */
export function AttentionCard({ calls, attention }: AttentionProps) {
  const { troubled, reported, hasMore, opened, found, ending, failed, isKnown } = attention;
  const count = troubled.length + reported.length + opened.count + found.count + ending.length;
  if (isKnown && !failed && count === 0 && !attention.hasAccounts) return null;
  return (
    <section className="tile tile-wide" aria-labelledby="attention">
      <h2 id="attention">{homeWords.attention}</h2>
      {failed?.error && (
        <FailureNote failure={failed.error} onAgain={() => void failed.refetch()} />
      )}
      {!isKnown && <p className="ghost" />}
      {isKnown && !failed && count === 0 && <p>{homeWords.calm}</p>}
      {isKnown && (
        <ul className="items alerts">
          {troubled.map((account) => (
            <AccountProblem
              key={`${account.service} ${account.account_id}`}
              account={account}
              mayReconnect={calls.has('connections.connect')}
            />
          ))}
          <Alerts alerts={reported} maySettle={calls.has('alerts.settle')} />
          {hasMore && <li className="faint">{homeWords.moreAlerts}</li>}
          {opened.count > 0 && <OpenOrders count={opened.count} hasMore={opened.has_more} />}
          {found.count > 0 && (
            <li>
              <div>
                <StatusBadge tone="warn" word={findingsWord(found)} />
                <To page="findings" words={homeWords.seeFindings} />
              </div>
            </li>
          )}
          {ending.map(({ id, name, last_four, expires_at }) => (
            <li key={id}>
              <div>
                <StatusBadge tone="warn" word={homeWords.keyEnds(name, last_four)} />
                <To page="keys" words={homeWords.renewKey} />
              </div>
              <div className="number faint">
                <When at={expires_at} />
              </div>
            </li>
          ))}
        </ul>
      )}
      {isKnown && calls.has('alerts.resolved') && (
        <ResolvedAlerts mayReopen={calls.has('alerts.reopen')} />
      )}
    </section>
  );
}

function findingsWord({ count, hasMore }: AttentionProps['attention']['found']): string {
  const { findings, atLeastFindings } = homeWords;
  return hasMore ? atLeastFindings(countText(count)) : findings(countText(count), count === 1);
}

type Account = AttentionProps['attention']['troubled'][number];

interface ProblemProps {
  readonly account: Account;
  /** Roles that may not are told who may. */
  readonly mayReconnect: boolean;
}

function AccountProblem({ account, mayReconnect }: ProblemProps) {
  const { accountNameOf } = useServices();
  const isTrialOver = useFrame().data?.organization.is_trial_over;
  const { service, name, state, state_message, last_sync_at } = account;
  return (
    <li>
      <div>
        <StatusBadge tone={TONES[state]} word={`${accountNameOf(account)}: ${states[state]}`} />
        <span className="faint">{state_message ?? name}</span>
        {state === 'reauth_required' && !mayReconnect && (
          <span className="faint">{isTrialOver ? alertWords.afterTrial : homeWords.askHeads}</span>
        )}
        {state === 'reauth_required' && mayReconnect ? (
          <To
            page="connections"
            search={`?${new URLSearchParams({ conectar: service, cuenta: account.account_id })}`}
            words={words.connections.reconnect}
          />
        ) : (
          <To page="connections" />
        )}
      </div>
      <div className="number faint">
        <Age at={last_sync_at} never={homeWords.never} />
      </div>
    </li>
  );
}
