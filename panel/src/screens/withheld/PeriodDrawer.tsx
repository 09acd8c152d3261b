import { Fragment, type ReactNode } from 'react';
import { organizationId } from '../../client.ts';
import { useMay } from '../../frame/use-frame.ts';
import { Money } from '../../parts/Money.tsx';
import { PanelLink } from '../../parts/PanelLink.tsx';
import { ServiceMark } from '../../parts/ServiceMark.tsx';
import { SidePanel } from '../../parts/SidePanel.tsx';
import { useServices } from '../../parts/use-services.ts';
import { periodText, type WithheldPeriod, withheldWords } from '../../withheld-words.ts';
import { Amounts } from './Amounts.tsx';
import { Lines } from './Lines.tsx';

interface DrawerProps {
  /** Null = none is open. */
  readonly period: WithheldPeriod | null;
  readonly onClose: () => void;
  /** The one whose lines are shown; undefined = none. */
  readonly marketplace: string | undefined;
  readonly onMarketplace: (slug: string | undefined) => void;
}

/** One period, over the list: each marketplace, and each certificate. */
export function PeriodDrawer({ period, onClose, ...opened }: DrawerProps) {
  return (
    <SidePanel
      isOpen={period !== null}
      title={period ? periodText(period.period) : ''}
      onClose={onClose}
    >
      {period && <Period period={period} {...opened} />}
    </SidePanel>
  );
}

type PeriodProps = Omit<DrawerProps, 'period' | 'onClose'> & { readonly period: WithheldPeriod };

function Period({ period, marketplace: open, onMarketplace }: PeriodProps) {
  const { ledger, certificates, ledger_total, certified_total, difference } = period;
  const { nameOf } = useServices();
  const totals = [
    [withheldWords.ledger, ledger_total],
    [withheldWords.certified, certified_total],
    [withheldWords.difference, difference],
  ] as const;
  return (
    <div className="details">
      <dl className="pairs">
        {totals.map(([title, amount]) => (
          <Fragment key={title}>
            <dt>{title}</dt>
            <dd>
              <Money amount={amount} currency="MXN" absent={withheldWords.noCertificate} />
            </dd>
          </Fragment>
        ))}
      </dl>
      <h3>{withheldWords.byMarketplace}</h3>
      {ledger.length === 0 && <p className="faint">{withheldWords.noMovements}</p>}
      <ul className="items withheld-sums">
        {ledger.map(({ marketplace, ...sum }) => (
          <Item
            key={marketplace}
            head={<ServiceMark name={nameOf(marketplace)} />}
            amounts={withheldWords.taxes(sum)}
          >
            <Lines
              period={period.period}
              marketplace={marketplace}
              isOpen={marketplace === open}
              onToggle={() => onMarketplace(marketplace === open ? undefined : marketplace)}
            />
          </Item>
        ))}
      </ul>
      <h3>{withheldWords.certificates}</h3>
      {certificates.length === 0 && <NoCertificate />}
      <ul className="items">
        {certificates.map(({ uuid, issuer_rfc, isr, iva, base }) => (
          <Item
            key={uuid}
            head={
              <PanelLink address={`/panel/${organizationId}/facturas?folio=${uuid}`}>
                {issuer_rfc}
              </PanelLink>
            }
            amounts={[
              [withheldWords.isr, isr],
              [withheldWords.iva, iva],
              [withheldWords.base, base],
            ]}
          />
        ))}
      </ul>
    </div>
  );
}

/** A certificate comes from its marketplace, and is uploaded with the invoices. */
function NoCertificate() {
  const mayUpload = useMay('cfdis.upload');
  return (
    <p className="faint">
      {withheldWords.noCertificate}.{' '}
      {mayUpload && (
        <PanelLink address={`/panel/${organizationId}/facturas`}>
          {withheldWords.uploadOne}
        </PanelLink>
      )}
    </p>
  );
}

interface ItemProps {
  readonly head: ReactNode;
  readonly amounts: readonly [string, number][];
  readonly children?: ReactNode;
}

function Item({ head, amounts, children }: ItemProps) {
  return (
    <li>
      <div>
        {head}
        <Amounts amounts={amounts} />
        {children}
      </div>
    </li>
  );
}
