import { createLazyRoute } from '@tanstack/react-router';
import { useFrame } from '../../frame/use-frame.ts';
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
  const calls = new Set(data?.operations);
  return (
    <section className="screen narrow">
      <h1>{settingsWords.settings.title}</h1>
      {data && (
        <>
          {calls.has('organization.change') && (
            <OrganizationForm organization={data.organization} />
          )}
          {calls.has('fiscal-profile.read') && (
            <FiscalSection mayChange={calls.has('fiscal-profile.change')} />
          )}
          {calls.has('alerts.set-mails') && <AlertMails />}
          <PlanSection mayAsk={calls.has('plan.request')} />
          {calls.has('logistics.change') && <LogisticsSection />}
        </>
      )}
    </section>
  );
}
