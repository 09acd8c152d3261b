import { Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { Output } from '../client.ts';
import { organizationId } from '../client.ts';
import { FailureNote } from '../parts/FailureNote.tsx';
import { PanelLink } from '../parts/PanelLink.tsx';
import { MovedAt, useLive } from '../queries.ts';
import { words } from '../words.ts';
import { FindOrder } from './FindOrder.tsx';
import { FrameMenu } from './FrameMenu.tsx';
import { Notices } from './Notices.tsx';
import { Shortcuts } from './Shortcuts.tsx';
import { TIMEZONE, Timezone, useFrame } from './use-frame.ts';

type FrameData = Output<'frame.read'>;
const GROUPS = ['work', 'organization'] as const;

/** What surrounds every screen; `page-frame.ts` draws the same for the pages. */
export function Frame() {
  const { isOffline, isSignedOut, movedAt } = useLive();
  const { data, error, refetch } = useFrame();
  return (
    <Timezone value={data?.organization.timezone ?? TIMEZONE}>
      <a className="frame-skip" href="#contenido">
        {words.frame.skip}
      </a>
      <header className="frame-header">
        <a className="frame-brand" href="/">
          Tianguis
        </a>
        {data && <Organization frame={data} />}
        <span className="frame-space" />
        <FindOrder />
        {data && <Person person={data.person} />}
      </header>
      <Navigation links={data?.navigation ?? []} />
      <main id="contenido">
        <Notices frame={data} isOffline={isOffline} isSignedOut={isSignedOut} />
        {error && !data ? (
          <section className="screen">
            <h1 className="unseen">Tianguis</h1>
            <FailureNote failure={error} onAgain={() => void refetch()} />
          </section>
        ) : (
          <MovedAt value={movedAt}>
            <Outlet />
          </MovedAt>
        )}
      </main>
      <Shortcuts links={data?.navigation ?? []} />
    </Timezone>
  );
}

function Organization({ frame: { organization, organizations } }: { frame: FrameData }) {
  return (
    <>
      {organizations.length < 2 ? (
        <span className="frame-organization">{organization.name}</span>
      ) : (
        <FrameMenu title={organization.name}>
          <ul>
            {organizations.map(({ id, name, role_name, address }) => (
              <li key={id}>
                <a href={address} aria-current={id === organizationId ? 'true' : undefined}>
                  {name}
                </a>{' '}
                <span className="frame-role">{role_name}</span>
              </li>
            ))}
          </ul>
        </FrameMenu>
      )}
      <span className="plan">{organization.plan}</span>
    </>
  );
}

function Person({ person }: { person: FrameData['person'] }) {
  return (
    <FrameMenu title={person.name} className="frame-person">
      <p>{person.email}</p>
      <p>
        <a href="/cuenta">{words.frame.account}</a>
      </p>
      <p>
        <a href="/docs/guia">{words.frame.docs}</a>
      </p>
      <form method="post" action="/cuenta/salir">
        <button type="submit">{words.frame.leave}</button>
      </form>
    </FrameMenu>
  );
}

function Navigation({ links }: { links: FrameData['navigation'] }) {
  const { pathname } = useLocation();
  const here = pathname.replace(/\/$/, '');
  const current = links.find(({ address }) => address.endsWith(`/${organizationId}${here}`));
  useEffect(() => {
    document.title = current ? `${current.name} · Tianguis` : 'Tianguis';
  }, [current]);
  return (
    <nav className="frame-nav" aria-label={words.frame.navigation}>
      {GROUPS.map((group) => (
        <div key={group} className="frame-group">
          <p>{words.frame.groups[group]}</p>
          <ul>
            {links
              .filter((link) => link.group === group)
              .map((link) => (
                <li key={link.place}>
                  <NavigationLink link={link} isHere={link === current} />
                </li>
              ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

function NavigationLink({
  link: { name, address },
  isHere,
}: {
  link: FrameData['navigation'][number];
  isHere: boolean;
}) {
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isHere && link.current) reveal(link.current);
  }, [isHere]);
  return (
    <PanelLink ref={link} address={address} aria-current={isHere ? 'page' : undefined}>
      {name}
    </PanelLink>
  );
}

/** Scrolls the navigation alone: on a phone it is one row, wider than the screen. */
function reveal(link: HTMLElement): void {
  const navigation = link.closest('nav');
  if (!navigation) return;
  const [own, whole] = [link.getBoundingClientRect(), navigation.getBoundingClientRect()];
  navigation.scrollBy(
    own.left - whole.left - (whole.width - own.width) / 2,
    Math.max(0, own.bottom - whole.bottom),
  );
}
