import { createLazyRoute } from '@tanstack/react-router';
import { useFrame } from '../../frame/use-frame.ts';
import { words } from '../../words.ts';
import { AccountsCard } from './AccountsCard.tsx';
import { AttentionCard } from './AttentionCard.tsx';
import { ParcelsCard } from './ParcelsCard.tsx';
import { SalesCard } from './SalesCard.tsx';

export const route = createLazyRoute('/')({ component: HomeScreen });

/** What needs attention, what sold, what to pack, and whether the accounts are up to date. */
function HomeScreen() {
  const { data } = useFrame();
  const calls = new Set(data?.operations);
  return (
    <section className="screen wide">
      <h1>{words.home.title}</h1>
      {data && (
        <div className="tiles">
          <AttentionCard calls={calls} />
          {calls.has('sales.today') && <SalesCard />}
          {calls.has('warehouse.count') && <ParcelsCard />}
          <AccountsCard />
        </div>
      )}
    </section>
  );
}
