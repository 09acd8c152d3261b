import type { ComponentProps, MouseEvent } from 'react';

interface BusyButtonProps extends Omit<ComponentProps<'button'>, 'disabled'> {
  /** Its work is under way, or there is none yet. */
  readonly isBusy: boolean;
}

/**
 * A button that does nothing while it is busy. One that is `disabled` would lose the focus. The
 * second click of a double click does nothing either: the button may be the way back by then.
 */
export function BusyButton({ isBusy, onClick, type = 'button', ...rest }: BusyButtonProps) {
  // Enter in a field of a form is a click, too.
  const click = (event: MouseEvent<HTMLButtonElement>) =>
    isBusy || event.detail > 1 ? event.preventDefault() : onClick?.(event);
  return <button {...rest} type={type} aria-disabled={isBusy} onClick={click} />;
}
