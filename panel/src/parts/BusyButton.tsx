import type { ComponentProps, MouseEvent } from 'react';

interface BusyButtonProps extends Omit<ComponentProps<'button'>, 'disabled'> {
  /** Its work is under way, or there is none yet. */
  readonly isBusy: boolean;
}

/** A button that does nothing while it is busy. One that is `disabled` would lose the focus. */
export function BusyButton({ isBusy, onClick, type = 'button', ...rest }: BusyButtonProps) {
  // Enter in a field of a form is a click, too.
  const click = (event: MouseEvent<HTMLButtonElement>) =>
    isBusy ? event.preventDefault() : onClick?.(event);
  return <button {...rest} type={type} aria-disabled={isBusy} onClick={click} />;
}
