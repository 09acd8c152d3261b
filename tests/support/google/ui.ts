import type { Execution } from './execution.ts';
import { COSTS } from './limits.ts';

/** What the person at the screen does and sees. */
export interface Screen {
  /** What is typed into the next prompts; null = cancelled. */
  readonly typed: (string | null)[];
  /** Whether the next questions are answered with yes. */
  readonly agrees: boolean;
  readonly shown: string[];
  readonly menu: [label: string, functionName: string][];
}

/** @throws Error without a user at the screen */
export function uiOf(execution: Execution, screen: Screen): object {
  if (execution.kind === 'trigger')
    throw new Error('Cannot call SpreadsheetApp.getUi() from this context.');
  execution.use(COSTS.call);
  const ButtonSet = { OK: 'OK', OK_CANCEL: 'OK_CANCEL', YES_NO: 'YES_NO' };
  const Button = { OK: 'ok', CANCEL: 'cancel', YES: 'yes', NO: 'no' };
  return {
    ButtonSet,
    Button,
    createMenu() {
      const menu = {
        addItem(label: string, functionName: string) {
          screen.menu.push([label, functionName]);
          return menu;
        },
        addSeparator: () => menu,
        addToUi: () => execution.use(COSTS.call),
      };
      return menu;
    },
    alert(_title: string, said: string, buttons: string) {
      execution.use(COSTS.call);
      screen.shown.push(said);
      if (buttons !== ButtonSet.YES_NO) return Button.OK;
      return screen.agrees ? Button.YES : Button.NO;
    },
    prompt(_title: string, said: string) {
      execution.use(COSTS.call);
      screen.shown.push(said);
      const typed = screen.typed.shift() ?? null;
      return {
        getSelectedButton: () => (typed === null ? Button.CANCEL : Button.OK),
        getResponseText: () => typed ?? '',
      };
    },
  };
}
