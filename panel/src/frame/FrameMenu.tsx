import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';

interface FrameMenuProps {
  readonly title: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A menu of the header. It closes with Escape, with a press beside it and on the next screen. */
export function FrameMenu({ title, className, children }: FrameMenuProps) {
  const menu = useRef<HTMLDetailsElement>(null);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another screen is the reason
  useEffect(() => {
    if (menu.current) menu.current.open = false;
  }, [pathname]);
  useEffect(() => {
    const press = ({ target }: Event) => {
      if (menu.current && !menu.current.contains(target as Node)) menu.current.open = false;
    };
    document.addEventListener('pointerdown', press);
    return () => document.removeEventListener('pointerdown', press);
  }, []);
  return (
    <details
      ref={menu}
      className={className ? `frame-menu ${className}` : 'frame-menu'}
      onKeyDown={({ key, currentTarget }) => {
        if (key !== 'Escape') return;
        currentTarget.open = false;
        currentTarget.querySelector('summary')?.focus();
      }}
    >
      <summary>{title}</summary>
      <div>{children}</div>
    </details>
  );
}
