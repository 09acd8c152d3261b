import { useState } from 'react';
import { type Output, organizationId } from '../../client.ts';
import { countText } from '../../format.ts';
import { useFrame } from '../../frame/use-frame.ts';
import { AccountName } from '../../parts/AccountName.tsx';
import { FailureNote } from '../../parts/FailureNote.tsx';
import { PanelLink } from '../../parts/PanelLink.tsx';
import { ServiceMark } from '../../parts/ServiceMark.tsx';
import { SidePanel } from '../../parts/SidePanel.tsx';
import { StatusBadge } from '../../parts/StatusBadge.tsx';
import { useServices } from '../../parts/use-services.ts';
import { Age } from '../../parts/When.tsx';
import { useRead } from '../../queries.ts';
import { words as common } from '../../words.ts';
import { Equivalences } from './Equivalences.tsx';
import { MeasuresForm } from './MeasuresForm.tsx';
import { inventoryWords as words } from './words.ts';

type Sku = Output<'inventory.get'>;

/** As the address of Almacén names it. */
const REVIEW = 'revision';

interface SkuDrawerProps {
  readonly sku: string | null;
  /** Where in Almacén its measures were missed; null = nowhere. */
  readonly from: string | null;
  readonly onClose: () => void;
}

/** One SKU: where it is listed, what it measures, and under which codes it is sold. */
export function SkuDrawer({ sku, from, onClose }: SkuDrawerProps) {
  return (
    <SidePanel isOpen={sku !== null} title={sku ?? ''} onClose={onClose}>
      {from !== null && <Back from={from} />}
      {sku !== null && <Details key={sku} sku={sku} />}
    </SidePanel>
  );
}

function Back({ from }: { from: string }) {
  const search = new URLSearchParams(from);
  return (
    <p>
      <PanelLink address={`/panel/${organizationId}/almacen?${search}`}>
        {search.get('lote') === REVIEW ? words.backToReview : words.backToLine}
      </PanelLink>
    </p>
  );
}

function Details({ sku }: { sku: string }) {
  const { data, error, refetch } = useRead('inventory.get', { sku });
  const failure = error && <FailureNote failure={error} onAgain={() => void refetch()} />;
  if (!data) return failure ?? <p role="status">{common.parts.loading}</p>;
  return (
    <>
      {failure}
      <Parts data={data} />
    </>
  );
}

function Parts({ data }: { data: Sku }) {
  const calls = useFrame().data?.operations ?? [];
  // What is missing comes first, and stays there when it was typed in.
  const [wasLacking] = useState(data.lack !== null);
  const measures = (
    <>
      <h3>{words.measures}</h3>
      {calls.includes('products.change') ? <MeasuresForm data={data} /> : <Measured data={data} />}
    </>
  );
  return (
    <>
      <p>{data.title}</p>
      <p className="acts">
        {data.lack && <StatusBadge tone="warn" word={words.lacks[data.lack]} />}
        {data.has_difference && <StatusBadge tone="warn" word={words.difference} />}
      </p>
      <p>
        <PanelLink
          address={`/panel/${organizationId}/ordenes?${new URLSearchParams({ buscar: data.sku })}`}
        >
          {words.seeOrders}
        </PanelLink>
      </p>
      <StandsFor data={data} />
      {wasLacking && measures}
      <h3>{words.listings}</h3>
      <Listings levels={data.levels} />
      {!wasLacking && measures}
      <h3>{words.equivalences}</h3>
      <Equivalences data={data} mayChange={calls.includes('products.add-equivalence')} />
    </>
  );
}

function StandsFor({ data: { stands_for } }: { data: Sku }) {
  const { nameOf } = useServices();
  return stands_for.map(({ marketplace, account_id, sku, units }) => (
    <p key={`${marketplace} ${account_id} ${sku}`} className="note">
      {words.standsFor(nameOf(marketplace), units)} <code>{sku}</code>.
    </p>
  ));
}

function Listings({ levels }: { levels: Sku['levels'] }) {
  if (levels.length === 0) return <p className="faint">{words.noListings}</p>;
  return (
    <ul className="items">
      {levels.map((level) => (
        <li key={Object.values(level).slice(0, KEY_FIELDS).join(' ')}>
          <div>
            <ServiceMark name={level.name} />
            <span className="faint">
              {common.order.account}{' '}
              <AccountName service={level.marketplace} id={level.account_id} /> ·{' '}
              <code>{level.item_id}</code>
              {level.code !== null && ` · ${words.asCode(level.code, level.units)}`}
            </span>
          </div>
          <div className="number">
            <span>
              {level.available === null
                ? words.unlimited
                : words.pieces(countText(level.available))}
            </span>
            <span className="faint">
              {level.warehouse === 'marketplace' && `${words.full} · `}
              <Age at={level.updated_at} />
            </span>
          </div>
        </li>
      ))}
    </ul>
  );
}

/** Marketplace, name, account, item, variation and warehouse. */
const KEY_FIELDS = 6;

function Measured({ data: { measures } }: { data: Sku }) {
  return (
    <dl className="facts">
      {(Object.keys(words.fields) as (keyof typeof words.fields)[]).map((name) => (
        <div key={name}>
          <dt>{words.fields[name]}</dt>
          <dd>{measures?.[name] ?? <span className="faint">{words.unknown}</span>}</dd>
        </div>
      ))}
    </dl>
  );
}
