import type { Mutant } from '../mutant.ts';

const SIZE = 'tests/mcp-size.test.ts';
const QUESTIONS = 'tests/agents/questions.test.ts';

export const AGENTS: readonly Mutant[] = [
  {
    patch: 'silence-reads-ok',
    breaks: 'an account whose sync runs do not come reads as up to date',
    file: 'tests/mcp.test.ts',
    test: 'an account whose synchronisation does not come',
    says: /strictly deep-equal/,
  },
  {
    patch: 'answers-of-any-size',
    breaks: 'an answer of a tool has many times the tokens that a model reads',
    file: SIZE,
    test: 'pages of orders with symbols',
    says: /\d{5} tokens/,
  },
  {
    patch: 'bytes-of-others-count-once',
    breaks: 'a character of another alphabet is bounded by one token',
    file: SIZE,
    test: 'the bound is never below the tokenizer',
    says: /\d+ < \d+/,
  },
  {
    patch: 'freshness-of-fresh-accounts',
    breaks: 'an answer warns of the accounts that are fresh',
    file: SIZE,
    test: 'freshness names the accounts that are not fresh, and the oldest',
    says: /deep-equal/,
  },
  {
    patch: 'heading-counts-parts-from-zero',
    breaks: 'the line before the data counts the elements of a part from 0',
    file: SIZE,
    test: 'gives an order of 500 lines in parts',
    says: /did not match/,
  },
  {
    patch: 'heading-without-more',
    breaks: 'the line before the data calls a page the last one, although there are more',
    file: SIZE,
    test: 'pages of orders with symbols',
    says: /did not match/,
  },
  {
    patch: 'warning-left-out',
    breaks: 'the line before the data says nothing of accounts that are not fresh',
    file: QUESTIONS,
    test: 'every question gets its answer',
    says: /'Amazon A1'/,
  },
  {
    patch: 'warning-of-carriers-left-out',
    breaks: 'balances of carriers come along without the warning of their accounts',
    file: QUESTIONS,
    test: 'every question gets its answer',
    says: /Paquetexpress 88/,
  },
  {
    patch: 'plan-with-invented-value',
    breaks: 'a plan has a value that neither the question nor a former answer has',
    file: QUESTIONS,
    test: 'a plan says only what the question says',
    says: /limit 7 is not in the question/,
  },
  {
    patch: 'repair-names-no-list',
    breaks: 'the refusal of an unknown order does not say where ids come from',
    file: 'tests/agents/repairs.test.ts',
    test: 'the sentence of every refused call',
    says: /get_order .*«No existe una orden con ese identificador\.»/,
  },
  {
    patch: 'month-of-greenwich',
    breaks: 'the prompt of CFDI asks for a month that begins and ends six hours too early',
    file: 'tests/agents/conciliation.test.ts',
    test: 'the prompt conciliacion_cfdi finds the faults',
    says: /DE-OCTUBRE/,
  },
  {
    patch: 'message-outlives-its-agent',
    breaks: 'an agent reads that was disconnected while its message arrived',
    file: 'tests/oauth-adversary.test.ts',
    test: 'an agent that is disconnected while its message arrives',
    says: /200/,
  },
  {
    patch: 'odd-bytes-become-signs',
    breaks: 'an agent that searches in another encoding is answered that there is nothing',
    file: 'tests/mcp.test.ts',
    test: 'a message that is not UTF-8 is refused',
    says: /200/,
  },
];
