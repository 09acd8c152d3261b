/** Mutants that a rule makes: one small change of one place of a source file. */
import { parseSync } from 'vite';

export interface Generated {
  /** From 1. */
  readonly line: number;
  /** What is changed, in its line: `if (count «<» limit) return; → <=`. */
  readonly change: string;
  /** The whole file with the change. */
  readonly source: string;
}

/** A part of the file and what takes its place. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

const SWAPPED: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
};
/** In the text of a statement of SQL. */
const SWAPPED_IN_SQL: Readonly<Record<string, string>> = {
  ' < ': ' <= ',
  ' <= ': ' < ',
  ' > ': ' >= ',
  ' >= ': ' > ',
  ' + ': ' - ',
  ' - ': ' + ',
  ' and ': ' or ',
  greatest: 'least',
};
const LONGEST_SHOWN = 70;

/** Every mutant of a file of TypeScript, in the order of their places. */
export function mutantsOf(file: string, source: string): Generated[] {
  const edits: Edit[] = [];
  visit(parseSync(file, source).program as unknown as Node, (node) =>
    edits.push(...editsOf(node, source)),
  );
  return edits
    .toSorted((a, b) => a.start - b.start)
    .map(({ start, end, text }) => ({
      line: source.slice(0, start).split('\n').length,
      change: `${lineAt(source, start, end)} → ${shown(text)}`,
      source: source.slice(0, start) + text + source.slice(end),
    }));
}

/** Types are left out: they change nothing that runs. */
function visit(node: Node, look: (node: Node) => void): void {
  if (/^TS(?!NonNull|As|Satisfies)/.test(node.type) || node.type === 'ImportDeclaration') return;
  look(node);
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value])
      if (isNode(child)) visit(child, look);
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function editsOf(node: Node, source: string): Edit[] {
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
    case 'WhileStatement':
      return negated(node.test as Node, source);
    case 'BinaryExpression':
    case 'LogicalExpression':
      return operator(node, source);
    case 'ExpressionStatement':
    case 'ThrowStatement':
      return [{ start: node.start, end: node.end, text: ';' }];
    case 'Literal':
      return literal(node, source);
    case 'CallExpression':
      return (node.callee as Node).name === 'statement' ? sql(node, source) : [];
    default:
      return [];
  }
}

/** Nothing where the operator's own mutant is the same. */
function negated({ start, end, type, ...test }: Node, source: string): Edit[] {
  if (type === 'BinaryExpression' && /^[!=]==$/.test(String(test.operator))) return [];
  return [{ start, end, text: `!(${source.slice(start, end)})` }];
}

function operator(node: Node, source: string): Edit[] {
  const [left, right, sign] = [node.left as Node, node.right as Node, String(node.operator)];
  const start = left.end + source.slice(left.end, right.start).indexOf(sign);
  if (sign === '??') return [{ start, end: node.end, text: '' }];
  const text = SWAPPED[sign];
  return text ? [{ start, end: start + sign.length, text }] : [];
}

function literal({ start, end, value }: Node, source: string): Edit[] {
  if (typeof value === 'boolean') return [{ start, end, text: String(!value) }];
  if (typeof value !== 'number') return [];
  return [{ start, end, text: `(${source.slice(start, end)} + 1)` }];
}

function sql({ start, end }: Node, source: string): Edit[] {
  const text = source.slice(start, end);
  return Object.entries(SWAPPED_IN_SQL).flatMap(([from, to]) =>
    Array.from(text.matchAll(new RegExp(from.replace(/[+]/g, '\\$&'), 'g')), ({ index }) => ({
      start: start + index,
      end: start + index + from.length,
      text: to,
    })),
  );
}

/** What is replaced, in its line: `count «<» limit`. */
function lineAt(source: string, start: number, end: number): string {
  const before = source.slice(source.lastIndexOf('\n', start) + 1, start);
  const after = source.slice(end).split('\n')[0];
  return `${before.trimStart()}«${shown(source.slice(start, end))}»${after}`;
}

function shown(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST_SHOWN ? `${line.slice(0, LONGEST_SHOWN)}…` : line;
}
