import assert from 'node:assert/strict';
import type { Known } from './people.ts';
import type { PageAnswer } from './visitor.ts';

export type Input = Readonly<Record<string, string | number | boolean>>;

/** Calls operations of the panel as a person. @param organizationOf is asked at each call */
export function openPanel(organizationOf: () => string) {
  async function ask({ visitor }: Known, name: string, input: object, kind: 'read' | 'write') {
    const path = `/panel/api/${organizationOf()}/${name}`;
    const answer =
      kind === 'write'
        ? await visitor.ask(path, input)
        : await visitor.get(`${path}?${new URLSearchParams(input as Record<string, string>)}`);
    return { status: answer.status, body: bodyOf(answer) };
  }
  async function answered(of: Known, name: string, input: Input, kind: 'read' | 'write') {
    const { status, body } = await ask(of, name, input, kind);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }
  return {
    ask,
    read: (of: Known, name: string, input: Input) => answered(of, name, input, 'read'),
    write: (of: Known, name: string, input: Input) => answered(of, name, input, 'write'),
  };
}

/** What an operation answered, without the id of the request. */
export function bodyOf({ headers, text }: PageAnswer) {
  const { meta, ...body } = JSON.parse(text);
  assert.equal(meta.request_id, headers.get('x-request-id'));
  return body;
}
