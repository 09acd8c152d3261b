import { createLazyRoute } from '@tanstack/react-router';
import type { Output } from '../../client.ts';
import { useFrame } from '../../frame/use-frame.ts';
import { isAwaited, useRead } from '../../queries.ts';
import { words } from '../../words.ts';
import { AlertMails } from './AlertMails.tsx';
import { FiscalSection } from './FiscalSection.tsx';
import { LogisticsSection } from './LogisticsSection.tsx';
import { OrganizationForm } from './OrganizationForm.tsx';
import { PlanSection } from './PlanSection.tsx';
import { settingsWords } from './words.ts';

export const route = createLazyRoute('/ajustes')({ component: SettingsScreen });

/** The organisation, what it is to the SAT, its plan and how its guides are made, each for the roles that may. */
function SettingsScreen() {
  const { data } = useFrame();
  return (
    <section className="screen narrow">
      <h1>{settingsWords.settings.title}</h1>
      {data && <Parts calls={new Set(data.operations)} organization={data.organization} />}
    </section>
  );
}

interface PartsProps {
  readonly calls: ReadonlySet<string>;
  readonly organization: Output<'frame.read'>['organization'];
}

/** Those that read something are drawn together: one drawn later would move those below. */
function Parts({ calls, organization }: PartsProps) {
  const reads = [
    useRead('fiscal-profile.read', {}, { isEnabled: calls.has('fiscal-profile.read') }),
    useRead('alerts.mails', {}, { isEnabled: calls.has('alerts.set-mails') }),
    useRead('plan.read', {}),
    useRead('logistics.read', {}, { isEnabled: calls.has('logistics.change') }),
  ];
  return (
    <>
      {calls.has('organization.change') && <OrganizationForm organization={organization} />}
      {reads.some(isAwaited) ? (
        <p className="part" role="status" aria-busy="true">
          {words.parts.loading}
        </p>
      ) : (
        <>
          {calls.has('fiscal-profile.read') && (
            <FiscalSection mayChange={calls.has('fiscal-profile.change')} />
          )}
          {calls.has('alerts.set-mails') && <AlertMails />}
          <PlanSection mayAsk={calls.has('plan.request')} />
          {calls.has('logistics.change') && <LogisticsSection />}
        </>
      )}
    </>
  );
}
