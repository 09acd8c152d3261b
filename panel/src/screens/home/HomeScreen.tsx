import { createLazyRoute } from '@tanstack/react-router';
import { useFrame } from '../../frame/use-frame.ts';
import { AccountsCard } from './AccountsCard.tsx';
import { AttentionCard } from './AttentionCard.tsx';
import { ParcelsCard } from './ParcelsCard.tsx';
import { SalesCard } from './SalesCard.tsx';
import { useAttention } from './use-attention.ts';
import { homeWords } from './words.ts';

export const route = createLazyRoute('/')({ component: HomeScreen });

/** What needs attention, what sold, what to pack, and whether the accounts are up to date. */
function HomeScreen() {
  const { data } = useFrame();
  return (
    <section className="screen wide">
      <h1>{homeWords.title}</h1>
      {data && <Tiles calls={new Set(data.operations)} />}
    </section>
  );
}

/** The first may be of any height, so the others are drawn when it is known and stay in place. */
function Tiles({ calls }: { calls: ReadonlySet<string> }) {
  const attention = useAttention(calls);
  return (
    <div className="tiles">
      <AttentionCard calls={calls} attention={attention} />
      {attention.isKnown && (
        <>
          {calls.has('sales.today') && <SalesCard />}
          {calls.has('warehouse.count') && <ParcelsCard />}
          <AccountsCard />
        </>
      )}
    </div>
  );
}
