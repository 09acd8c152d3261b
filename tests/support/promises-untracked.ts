import hooks from 'node:async_hooks';

// The test runner maps each promise to its test, with two hooks in each promise's life: 6 % of the
// processor time of all tests. Errors that reach no `await` still fail the run, without the name of
// their test. Imported before `node:test`.

const { createHook } = hooks;
hooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });
