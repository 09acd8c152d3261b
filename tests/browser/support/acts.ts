import type { Locator } from 'playwright-core';

/** What a person does, counted: an act is one click, or one text typed into a field. */
export interface Acts {
  click(target: Locator): Promise<void>;
  type(target: Locator, text: string): Promise<void>;
  /** Enter belongs to what was typed. */
  enter(target: Locator, text: string): Promise<void>;
  /** An act that no page of ours sees. */
  elsewhere(): void;
  done(): number;
  /** Since the first act could begin. */
  seconds(): string;
}

export function countActs(): Acts {
  const began = performance.now();
  let done = 0;
  const elsewhere = () => {
    done += 1;
  };
  return {
    elsewhere,
    click: (target) => target.click().then(elsewhere),
    type: (target, text) => target.fill(text).then(elsewhere),
    async enter(target, text) {
      await target.fill(text);
      await target.press('Enter');
      elsewhere();
    },
    done: () => done,
    seconds: () => `${((performance.now() - began) / 1_000).toFixed(1)} s`,
  };
}
