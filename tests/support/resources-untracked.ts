import hooks, { type HookCallbacks } from 'node:async_hooks';

// The test runner maps each promise, timer and socket to its test, with hooks in each one's life: a
// tenth of the processor time of all tests. It needs to know the tests alone. Errors that reach no
// `await` still fail the run, without the name of their test. Imported before `node:test`.

/** For tests that count resources: the module's own is replaced below. */
export const { createHook } = hooks;
hooks.createHook = ({ init }: HookCallbacks) =>
  createHook({
    init: (id, type, ...others) => {
      if (type === 'Test') init?.(id, type, ...others);
    },
    trackPromises: false,
  });
