import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Output } from '../client.ts';
import { SidePanel } from '../parts/SidePanel.tsx';
import { words } from '../words.ts';

type Links = Output<'frame.read'>['navigation'];
const SECOND_KEY_MS = 1_500;

/** `/` finds, `g` and a letter goes, `?` lists them; none while something is being typed. */
export function Shortcuts({ links }: { links: Links }) {
  const router = useRouter();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    let goUntil = 0;
    function press(event: KeyboardEvent) {
      const link = links.find(({ letter }) => letter === event.key);
      if (isTyping(event)) return;
      if (link && event.timeStamp < goUntil) {
        goUntil = 0;
        event.preventDefault();
        go(link.address);
      } else if (event.key === 'g') goUntil = event.timeStamp + SECOND_KEY_MS;
      else help(event);
    }
    function help(event: KeyboardEvent) {
      if (event.key === '?') setOpen(true);
      if (event.key === '/') find(event);
    }
    function go(address: string) {
      if (address.startsWith('/panel/')) router.history.push(address);
      else location.assign(address);
    }
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [links, router]);
  return (
    <SidePanel isOpen={isOpen} title={words.shortcuts.title} onClose={() => setOpen(false)}>
      <dl className="shortcuts">
        <Line keys="/" meaning={words.shortcuts.find} />
        {links.map(({ place, letter, name }) =>
          letter ? (
            <Line key={place} keys={`g ${letter}`} meaning={words.shortcuts.go(name)} />
          ) : null,
        )}
        <Line keys="↑ ↓" meaning={words.shortcuts.list} />
        <Line keys="Enter" meaning={words.shortcuts.open} />
        <Line keys="Esc" meaning={words.shortcuts.close} />
        <Line keys="?" meaning={words.shortcuts.help} />
      </dl>
    </SidePanel>
  );
}

function Line({ keys, meaning }: { keys: string; meaning: string }) {
  return (
    <div className="shortcut">
      <dt>
        {keys.split(' ').map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{meaning}</dd>
    </div>
  );
}

function find(event: KeyboardEvent): void {
  event.preventDefault();
  document.getElementById('find-order')?.focus();
}

function isTyping({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const isField = target instanceof HTMLElement && target.matches('input, textarea, select');
  return isField || ctrlKey || metaKey || altKey;
}
