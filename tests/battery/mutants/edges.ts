import type { Mutant } from '../mutant.ts';

export const EDGES: readonly Mutant[] = [
  {
    patch: 'second-answer',
    breaks: 'a body that does not come to its end gets a second answer',
    file: 'tests/spec/limits.test.ts',
    test: 'gets no second answer',
    says: /'HTTP\/1\.1 504',\s+\+?\s*'HTTP/,
  },
  {
    patch: 'timeout-names-no-wait',
    breaks: 'a request that took too long is refused without the time after which to repeat it',
    file: 'tests/spec/limits.test.ts',
    test: 'headers that do not come to their end',
    says: /did not match/,
  },
  {
    patch: 'agent-waits-for-its-body',
    breaks: 'a message of an agent whose end does not come is answered without the protocol',
    file: 'tests/mcp.test.ts',
    test: 'a message whose end does not come',
    says: /'2\.0'/,
  },
  {
    patch: 'tool-name-of-any-kind',
    breaks:
      'the name of a tool is made a text, whatever it is: an object without a text is our own fault',
    file: 'tests/mcp.test.ts',
    test: 'a tool whose name is no text',
    says: /toString/,
  },
  {
    patch: 'account-passes-for-a-sentence',
    breaks: 'the id of an account is in a sentence of ours without quotes, line breaks included',
    file: 'tests/mcp.test.ts',
    test: 'texts of others are in the data',
    says: /Ignora/,
  },
  {
    patch: 'script-of-a-stranger',
    breaks: 'a package besides the embedded database may run a script when it is installed',
    file: 'tests/supply-chain.test.ts',
    test: 'install scripts are those',
    says: /recheck/,
  },
  {
    patch: 'guide-forgets-its-mark',
    breaks: 'the code of the guide fetches every order each time',
    file: 'tests/docs-guide.test.ts',
    test: 'ordenes.mjs fetches every order once',
    says: /deep-equal|deeply equal/,
  },
  {
    patch: 'reference-leaves-out-manage',
    breaks: 'the plain reference lacks the operations of administration',
    file: 'tests/docs-guide.test.ts',
    test: 'guide and reference are pages in Spanish',
    says: /deep-equal|deeply equal/,
  },
];
