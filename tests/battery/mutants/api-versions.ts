import type { Mutant } from '../mutant.ts';

const VERSIONS = 'tests/api-versions.test.ts';

export const API_VERSIONS: readonly Mutant[] = [
  {
    patch: 'api-version-end-unreported',
    breaks: 'the alert of a version that is in use comes nine days before its end',
    file: VERSIONS,
    test: 'a version that a connected account calls is announced 90 days before its end',
    says: /undefined/,
  },
  {
    patch: 'api-version-end-stays',
    breaks: 'the alert about a version stays when the version is called no more',
    file: VERSIONS,
    test: 'a version that credentials choose is announced where they do',
    says: /deep-equal/,
  },
];
