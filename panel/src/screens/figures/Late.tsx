import { type Output, organizationId } from '../../client.ts';
import { useMay } from '../../frame/use-frame.ts';
import { PanelLink } from '../../parts/PanelLink.tsx';
import { useServices } from '../../parts/use-services.ts';
import { Age, When } from '../../parts/When.tsx';
import { useRead } from '../../queries.ts';
import { durationText, figuresWords as words } from './words.ts';

type Account = Output<'connections.list'>['data'][number];
type Delay = Output<'figures.read'>['delays'][number];

const LATE: readonly Account['state'][] = ['delayed', 'reauth_required', 'error'];

/** The accounts that are broken or late now: since when, beside the usual delay. */
export function Late({ delays }: { delays: readonly Delay[] }) {
  const late = (useRead('connections.list', {}).data?.data ?? []).filter(({ state }) =>
    LATE.includes(state),
  );
  if (late.length === 0) return null;
  return (
    <section className="note note-warn" aria-labelledby="late">
      <h2 id="late">{words.late}</h2>
      <ul>
        {late.map((account) => (
          <LateAccount
            key={`${account.service} ${account.account_id}`}
            account={account}
            delay={delays.find(({ marketplace }) => marketplace === account.service)}
          />
        ))}
      </ul>
    </section>
  );
}

function LateAccount({ account, delay }: { account: Account; delay: Delay | undefined }) {
  const { service, name, state_message: message, last_sync_at: at } = account;
  const { accountNameOf } = useServices();
  const mayOpen = useMay('connections.overview');
  return (
    <li>
      <strong>{accountNameOf({ service, name })}</strong>:{' '}
      {at === null ? (
        words.neverRead
      ) : (
        <>
          {words.since} <When at={at} /> (<Age at={at} />)
        </>
      )}
      . {delay && `${words.usual(durationText(delay.median))} `}
      {message && `${message} `}
      {mayOpen && (
        <PanelLink address={`/panel/${organizationId}/conexiones`}>
          {words.seeConnections}
        </PanelLink>
      )}
    </li>
  );
}
