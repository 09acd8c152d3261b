import type { Mutant } from '../mutant.ts';

export const PANEL: readonly Mutant[] = [
  {
    patch: 'consent-of-anybody',
    breaks: 'a consent that one person began connects the account of another',
    file: 'tests/panel-connecting.test.ts',
    test: 'a consent that another person began',
    says: /303 !== 400|!== 400/,
  },
  {
    patch: 'one-fault-at-a-time',
    breaks: 'a form says only the first thing that is missing',
    file: 'tests/panel-connecting.test.ts',
    test: 'every form has exactly fields',
    says: /client_secret|walmart/,
  },
  {
    patch: 'panel-role-unchecked',
    breaks: 'the panel answers operations that the role does not allow',
    file: 'tests/panel.test.ts',
    test: 'every operation × role × plan',
    says: /403/,
  },
  {
    patch: 'poll-keeps-session',
    breaks: 'an open page keeps an idle session alive',
    file: 'tests/panel.test.ts',
    test: 'a page that asks by itself',
    says: /last_seen_at|strictly equal/,
  },
  {
    patch: 'stranger-posts-to-panel',
    breaks: "another site's page may post to the panel",
    file: 'tests/panel.test.ts',
    test: 'writes are taken from our own pages',
    says: /a stranger posted/,
  },
  {
    patch: 'panel-runs-scripts-of-others',
    breaks: 'the content policy of the panel allows scripts of other hosts',
    file: 'tests/panel.test.ts',
    test: '/ leads to the panel',
    says: /script-src/,
  },
  {
    patch: 'trial-never-ends',
    breaks: 'after the trial the panel still takes changes',
    file: 'tests/settings.test.ts',
    test: 'after the trial everything can be read',
    says: /trial_ended/,
  },
  {
    patch: 'plan-wish-mailed-again',
    breaks: 'a second click mails the operator again',
    file: 'tests/settings.test.ts',
    test: 'the operator is mailed once',
    says: /already/,
  },
  {
    patch: 'today-of-mexico-city',
    breaks: 'today is a day of Mexico City in every organisation',
    file: 'tests/settings.test.ts',
    test: '«hoy» is a day of the time zone',
    says: /deep-equal/,
  },
  {
    patch: 'grey-too-light',
    breaks: 'grey text has too little contrast',
    file: 'tests/browser/panel.test.ts',
    test: 'screens in light at 1366 px',
    says: /color-contrast/,
  },
];
